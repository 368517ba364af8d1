// A comparison as a table, Markdown and JSON.
#pragma once

#include "src/compare/comparison.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// A row for each case: both times, the ratio with its interval, the verdict.
Table comparison_table(const Comparison& comparison);

/// The table under a title, with the summary below.
std::string markdown(const Comparison& comparison, int width);

/// For scripts/plot_compare.py. Ratios are second / first; null where there is none.
Json to_json(const Comparison& comparison);

}  // namespace redbench
