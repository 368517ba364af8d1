#include "src/tables/record_axes.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "src/records/fields.hpp"

namespace redbench {
namespace {

/// Fields that are axes: those of measuring, device and mode, or the others.
std::vector<std::string> axes_of_every_record(bool of_measuring) {
  std::vector<std::string> names;
  for (const Field& field : case_fields())
    if (field.is_axis && (field.name == "device" || field.name == "mode") == of_measuring)
      names.push_back(field.name);
  return names;
}

bool varies(const std::vector<Record>& records, const std::string& axis) {
  return std::ranges::any_of(records, [&](const Record& record) {
    return axis_value(record, axis) != axis_value(records[0], axis);
  });
}

bool swept(const std::vector<Record>& records, const std::string& parameter) {
  std::map<std::string, std::set<std::string>> values;
  for (const Record& record : records) values[record["variant"]].insert(axis_value(record, parameter));
  return std::ranges::any_of(values, [](const auto& entry) { return entry.second.size() > 1; });
}

}  // namespace

std::vector<std::string> member_names(const std::vector<Record>& records, const std::string& field) {
  std::vector<std::string> names;
  for (const Record& record : records)
    for (const auto& [name, value] : record[field].items())
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

std::string short_variant(const Record& record) {
  const std::string variant = record["variant"];
  return variant.substr(variant.find('/') + 1);
}

const Json* find_axis(const Record& record, const std::string& axis) {
  for (const Json* const group : {&record["axes"], &record["parameters"], &record})
    if (const auto found = group->find(axis); found != group->end()) return &*found;
  return nullptr;
}

std::string axis_value(const Record& record, const std::string& axis) {
  const Json* const value = find_axis(record, axis);
  if (!value) return "-";
  return value->is_number_integer() ? format_size(value->get<Index>()) : axis_text(*value);
}

RecordAxes::RecordAxes(const std::vector<Record>& records) {
  const auto sort_in = [&](const std::vector<std::string>& axes) {
    for (const std::string& axis : axes) (varies(records, axis) ? varying : common).push_back(axis);
  };
  if (records.empty()) return;
  sort_in({"problem"});
  sort_in(axes_of_every_record(false));
  sort_in(member_names(records, "axes"));
  for (const std::string& parameter : member_names(records, "parameters"))
    if (swept(records, parameter)) varying.push_back(parameter);
  sort_in(axes_of_every_record(true));
}

}  // namespace redbench
