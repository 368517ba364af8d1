#include "src/tables/record_axes.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "src/parallel.hpp"
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

/// Of an axis, for readers; null where a record does not have it.
std::string text_of(const Json* value) {
  if (!value) return "-";
  return value->is_number_integer() ? format_size(value->get<Index>()) : axis_text(*value);
}

/// Whether readers see two values. Most are the same: texts are made of the others alone.
bool differ(const Json* a, const Json* b) {
  if (a && b && a->type() == b->type() && *a == *b) return false;
  return text_of(a) != text_of(b);
}

bool varies(const std::vector<Record>& records, const std::string& axis) {
  const Json* const first = find_axis(records[0], axis);
  return std::ranges::any_of(records,
                             [&](const Record& record) { return differ(find_axis(record, axis), first); });
}

bool swept(const std::vector<Record>& records, const std::string& parameter) {
  std::map<std::string_view, const Json*> first;  // of each variant
  return std::ranges::any_of(records, [&](const Record& record) {
    const auto& variant = record["variant"].get_ref<const std::string&>();
    const Json* const value = find_axis(record, parameter);
    return differ(value, first.try_emplace(variant, value).first->second);
  });
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
  return text_of(find_axis(record, axis));
}

RecordAxes::RecordAxes(const std::vector<Record>& records) {
  const auto sort_in = [&](const std::vector<std::string>& axes) {
    std::vector<char> found(axes.size());
    in_parallel(axes.size(), [&](std::size_t i) { found[i] = varies(records, axes[i]); });
    for (std::size_t i = 0; i < axes.size(); ++i) (found[i] ? varying : common).push_back(axes[i]);
  };
  if (records.empty()) return;
  sort_in({"problem"});
  sort_in(axes_of_every_record(false));
  sort_in(member_names(records, "axes"));
  for (const std::string& parameter : member_names(records, "parameters"))
    if (swept(records, parameter)) varying.push_back(parameter);
  sort_in(axes_of_every_record(true));
  // Parameters that are as printed need no word.
  if (const Json* const tuned = find_axis(records[0], "tuned"); tuned && *tuned != true)
    std::erase(common, "tuned");
}

}  // namespace redbench
