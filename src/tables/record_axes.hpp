// Axes of the cases of a run.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/records/packed_records.hpp"

namespace redbench {

/// Axes of records in order: fields, the problems' own axes, launch parameters, device and mode. A parameter
/// is an axis only where one variant takes several values of it; else each variant has its default.
struct RecordAxes {
  explicit RecordAxes(const std::vector<Record>& records);
  /// `also` gets each record, in order.
  RecordAxes(const PackedRecords& records, const std::function<void(const Record&)>& also);

  std::vector<std::string> varying;
  std::vector<std::string> common;  // the same value in all records
  std::set<std::string> of_texts;   // those with a value that is no number
};

/// The value of an axis; null where the record does not have it.
const Json* find_axis(const Record& record, const std::string& axis);
/// For readers: 16777216 as "16Mi"; "-" where the record does not have the axis.
std::string axis_value(const Record& record, const std::string& axis);

/// The axes of a problem that records leave out at their defaults, with these.
std::map<std::string, Json> unsaid_axes(const std::string& problem);

/// The name of the record's variant without its problem: "harris3".
std::string short_variant(const Record& record);

}  // namespace redbench
