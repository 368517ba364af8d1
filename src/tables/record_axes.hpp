// Axes of the cases of a run.
#pragma once

#include <string>
#include <vector>

#include "src/records/record.hpp"

namespace redbench {

/// Axes of records in order: fields, the problems' own axes, launch parameters, device and mode. A parameter
/// is an axis only where one variant takes several values of it; else each variant has its default.
struct RecordAxes {
  explicit RecordAxes(const std::vector<Record>& records);

  std::vector<std::string> varying;
  std::vector<std::string> common;  // the same value in all records
};

/// The value of an axis; null where the record does not have it.
const Json* find_axis(const Record& record, const std::string& axis);
/// For readers: 16777216 as "16Mi"; "-" where the record does not have the axis.
std::string axis_value(const Record& record, const std::string& axis);

/// The name of the record's variant without its problem: "harris3".
std::string short_variant(const Record& record);

/// Names of the members of the records' `axes` or `parameters`, in order of appearance.
std::vector<std::string> member_names(const std::vector<Record>& records, const std::string& field);

}  // namespace redbench
