// Tables of cases, launches and levels for readers: the axes that vary, then each quantity that any case has,
// next to the numbers of the paper.
#pragma once

#include <vector>

#include "src/records/record.hpp"
#include "src/tables/published.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// A row for each case. The caption has the axes that do not vary, and says where all cases passed; else a
/// note says why a case did not. Times have as many digits as their interval supports.
Table case_table(const std::vector<Record>& records, const std::vector<PublishedNumber>& published);

/// A row for each launch. Launches are counted from 1, as in papers; one that reads nothing (it fills the
/// result) is launch 0.
Table launch_table(const std::vector<Record>& records, const std::vector<PublishedNumber>& published);

/// A row for each traced access that the config calls a level (TraceOptions), in the terms of Martín et al.:
/// accesses are lanes, transfers are cache lines. With the case where a variant has several.
Table level_table(const std::vector<Record>& records);

}  // namespace redbench
