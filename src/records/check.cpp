#include "src/records/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/error.hpp"
#include "src/records/derived.hpp"
#include "src/records/fields.hpp"

namespace redbench {
namespace {

std::string shown(const Json& value) {
  constexpr std::size_t most = 40;
  const std::string text = line_of(value);
  return text.size() > most ? fmt::format("{:.{}}...", text, most) : text;
}

bool fits(const Json& value, FieldKind kind) {
  switch (kind) {
    case FieldKind::text:
      return value.is_string();
    case FieldKind::whole:
      return value.is_number_unsigned() || (value.is_number_integer() && value >= 0);
    case FieldKind::number:
      return value.is_number() && std::isfinite(value.get<double>()) && value >= 0;
    case FieldKind::flag:
      return value.is_boolean();
    case FieldKind::list:
      return value.is_array();
    case FieldKind::object:
      return value.is_object();
  }
  return false;
}

constexpr const char* kind_texts[] = {
    "a text", "a whole number from 0", "a finite number from 0", "true or false", "a list", "an object"};

std::string mistake_in_value(const Json& value, const Field& field, const std::string& place);

std::string unknown_in(const Json& object, const std::vector<Field>& fields, const std::string& place) {
  const auto known = std::ranges::count_if(fields, [&](const Field& f) { return object.contains(f.name); });
  if (std::size_t(known) == object.size()) return {};
  std::vector<std::string> names;
  for (const Field& field : fields) names.push_back(field.name);
  for (const auto& [name, value] : object.items())
    if (std::ranges::find(names, name) == names.end())
      return fmt::format("{}{}: no such field{}", place, name, nearest_match(name, names));
  return {};
}

/// `place` is a path that ends with a dot, or nothing.
std::string mistake_in_object(const Json& object, const std::vector<Field>& fields,
                              const std::string& place) {
  if (const std::string mistake = unknown_in(object, fields, place); !mistake.empty()) return mistake;
  for (const Field& field : fields) {
    const auto found = object.find(field.name);
    const bool is_missing = found == object.end(), is_null = is_missing || found->is_null();
    if ((is_null && field.nullable()) || (is_missing && field.is_derived)) continue;
    const std::string mistake = is_null ? fmt::format("{}{}: missing", place, field.name)
                                        : mistake_in_value(*found, field, place + field.name);
    if (!mistake.empty()) return mistake;
  }
  return {};
}

std::string mistake_in_value(const Json& value, const Field& field, const std::string& place) {
  if (!fits(value, field.kind))
    return fmt::format("{}: {} is expected, not {}", place, kind_texts[std::size_t(field.kind)],
                       shown(value));
  const std::vector<std::string>& allowed = field.allowed;
  if (!allowed.empty() &&
      std::find(allowed.begin(), allowed.end(), value.get<std::string>()) == allowed.end())
    return fmt::format("{}: {} is expected, not {}", place, alternatives(allowed), shown(value));
  if (field.fields.empty()) return {};
  if (field.kind == FieldKind::object) return mistake_in_object(value, field.fields, place + ".");
  for (std::size_t i = 0; i < value.size(); ++i) {
    const std::string entry = fmt::format("{}[{}]", place, i);
    if (!value[i].is_object())
      return fmt::format("{}: an object is expected, not {}", entry, shown(value[i]));
    if (std::string mistake = mistake_in_object(value[i], field.fields, entry + "."); !mistake.empty())
      return mistake;
  }
  return {};
}

/// Each axis and parameter is a column beside the fields.
std::string mistake_in_columns(const Json& record) {
  static const std::vector<std::string> taken = column_names();
  for (const char* group : {"axes", "parameters"})
    for (const auto& [name, value] : record[group].items()) {
      if (std::find(taken.begin(), taken.end(), name) != taken.end())
        return fmt::format("{}.{}: the name of a field", group, name);
      if (value.is_array())
        return fmt::format("{}.{}: one value is expected, not {}", group, name, shown(value));
    }
  return {};
}

void complete(Json& object, const std::vector<Field>& fields, bool passed) {
  for (const Field& field : fields) {
    Json& value = object[field.name];
    if (!passed && field.of_passed) value = nullptr;
    if (value.is_array() && !field.fields.empty())
      for (Json& entry : value) complete(entry, field.fields, passed);
  }
}

}  // namespace

std::string mistake_in(const Json& line) {
  if (!line.is_object()) return "an object is expected";
  const auto schema = line.find("schema");
  if (schema == line.end() || *schema != record_schema)
    return fmt::format("not a record of schema {}, which this redbench writes and reads", record_schema);
  const std::string mistake = mistake_in_object(line, case_fields(), "");
  return mistake.empty() ? mistake_in_columns(line) : mistake;
}

Record completed(const Record& record) {
  Record whole = record;
  complete(whole, case_fields(), record["outcome"] == name_of(Outcome::passed));
  add_derived(whole);
  return whole;
}

}  // namespace redbench
