// Tables of cases, launches and levels for readers: the axes that vary, then each quantity that any case has,
// next to the numbers of the paper.
#pragma once

#include <vector>

#include "src/records/packed_records.hpp"
#include "src/tables/published.hpp"
#include "src/tables/record_axes.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// Records that a table shows, and what it needs to know of all of them.
struct TableRecords {
  explicit TableRecords(PackedRecords of_table);

  PackedRecords records;
  Record first = {};  // null without records
  bool all_passed = true;
  bool timed = false, counted = false, traced = false;  // any of them
  bool several = false;                                 // of one variant
  bool much_taken_off = false;  // so much of a time between the events that readers must see it
  RecordAxes axes;
};

/// A row for each case. The caption has the axes that do not vary, and says where all cases passed; else a
/// note says why a case did not. Times have as many digits as their interval supports.
Table case_table(const TableRecords& records, const std::vector<PublishedNumber>& published);

/// A row for each launch. Launches are counted from 1, as in papers; one that reads nothing (it fills the
/// result) is launch 0.
Table launch_table(const TableRecords& records, const std::vector<PublishedNumber>& published);

/// The same table for readers: launches one after the other that differ in their numbers alone are one row.
Table with_ranges(Table launches);

/// A row for each traced access that the config calls a level (TraceOptions), in the terms of Martín et al.:
/// accesses are lanes, transfers are cache lines. With the case where a variant has several.
Table level_table(const TableRecords& records, const std::vector<PublishedNumber>& published);

/// The same of few records.
inline Table case_table(const std::vector<Record>& records, const std::vector<PublishedNumber>& published) {
  return case_table(TableRecords(PackedRecords(records)), published);
}

}  // namespace redbench
