// Records as tables for readers: what tells the cases apart, then each quantity that any case has, with the
// paper's numbers beside the measured ones.
#pragma once

#include <vector>

#include "src/records/record.hpp"
#include "src/tables/published.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// A row for each case; the caption says what is the same in all of them. Times are in as many digits as
/// their interval bears out. Why a case has not passed is a note; the caption says where all have.
Table case_table(const std::vector<Record>& records, const std::vector<PublishedNumber>& published);

/// A row for each launch of the cases that tell them. Launches are counted from 1, as papers do; one that
/// reads nothing (it fills the result) is launch 0.
Table launch_table(const std::vector<Record>& records, const std::vector<PublishedNumber>& published);

}  // namespace redbench
