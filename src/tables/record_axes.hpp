// What tells the cases of a run apart.
#pragma once

#include <string>
#include <vector>

#include "src/records/record.hpp"

namespace redbench {

/// Axes of records, in order: the fields that are axes, the problems' own, launch parameters. A parameter
/// tells apart only where one variant takes it at several values: else each variant has its default.
struct RecordAxes {
  explicit RecordAxes(const std::vector<Record>& records);

  std::vector<std::string> varying;
  std::vector<std::string> common;  // those that all records have with one value
};

/// The value of an axis; null where the record has none such.
const Json* find_axis(const Record& record, const std::string& axis);
/// As readers see it: 16777216 as "16Mi"; "-" where the record has none such.
std::string axis_value(const Record& record, const std::string& axis);

/// Names of the members that any record's `axes` or `parameters` have, in order of appearance.
std::vector<std::string> member_names(const std::vector<Record>& records, const std::string& field);

}  // namespace redbench
