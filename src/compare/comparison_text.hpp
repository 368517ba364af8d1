// A comparison for readers and for programs.
#pragma once

#include "src/compare/comparison.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// A row for each case: both times, the ratio with its interval, the verdict.
Table comparison_table(const Comparison& comparison);

/// The table under a title, with the summary below.
std::string markdown(const Comparison& comparison, int width);

/// All of it, as scripts/plot_compare.py reads it: ratios are of the second to the first, null where there is
/// none.
Json to_json(const Comparison& comparison);

}  // namespace redbench
