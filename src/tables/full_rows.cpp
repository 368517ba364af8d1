#include "src/tables/full_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "src/json/parse.hpp"
#include "src/records/fields.hpp"
#include "src/records/provenance.hpp"
#include "src/tables/record_axes.hpp"
#include "src/tables/tables.hpp"

namespace redbench {
namespace {

struct Column {
  std::string name;
  std::function<Json(const Record&)> value;
};

/// A field of each launch, or of its counters, as a list; null where no launch has it.
Json of_launches(const Record& record, const std::string& name, bool counted) {
  Json list = Json::array();
  for (const Json& launch : record["launches"])
    list.push_back(part_of(counted ? launch["counters"] : launch, name.c_str()));
  const bool any = std::ranges::any_of(list, [](const Json& value) { return !value.is_null(); });
  return any ? list : Json();
}

/// A column for each member of the records' objects, called by its name after `prefix`.
void add_members(std::vector<Column>& columns, const std::vector<Record>& records, const std::string& field,
                 const std::string& prefix) {
  for (const std::string& name : member_names(records, field))
    columns.push_back({prefix + name, [field, name](const Record& record) {
                         const Json value = part_of(record[field], name.c_str());
                         return value.is_object() ? Json(axis_text(value)) : value;
                       }});
}

void add_launches(std::vector<Column>& columns, bool counted) {
  for (const Field& field : launch_fields())
    if (field.kind != FieldKind::list && field.kind != FieldKind::object)
      columns.push_back({field.name + "_per_launch",
                         [&field](const Record& record) { return of_launches(record, field.name, false); }});
  for (const Field& field : counter_fields())
    if (counted && field.is_quantity())
      columns.push_back({field.name + "_per_launch",
                         [&field](const Record& record) { return of_launches(record, field.name, true); }});
}

void add_published(std::vector<Column>& columns, const std::vector<PublishedNumber>& published) {
  for (const PublishedNumber& number : published) {
    if (number.of_launch) continue;
    const std::string name = fmt::format("published_{} ({})", number.field->name, number.device);
    if (std::ranges::find(columns, name, &Column::name) != columns.end()) continue;
    columns.push_back(
        {name, [&published, &number](const Record& record) {
           Json value;
           for (const PublishedNumber& other : published)
             if (other.field == number.field && other.device == number.device && other.is_of(record))
               value = other.relation == "=" ? Json(other.value)
                                             : Json(fmt::format("{}{}", other.relation, other.value));
           return value;
         }});
  }
}

std::vector<Column> columns_of(const std::vector<Record>& records,
                               const std::vector<PublishedNumber>& published) {
  const bool counted =
      std::ranges::any_of(records, [](const Record& record) { return record["counters"].is_object(); });
  std::vector<Column> columns;
  for (const Field& field : case_fields()) {
    if (field.name == "launches") add_launches(columns, counted);
    else if (field.name == "samples_ns")
      columns.push_back({"samples", [](const Record& record) {
                           if (record["samples_ns"].is_null()) return Json();
                           std::size_t count = 0;
                           for (const Json& fork : record["samples_ns"]) count += fork.size();
                           return Json(count);
                         }});
    else if (field.name == "axes" || field.name == "parameters" || !field.fields.empty())
      add_members(columns, records, field.name, "");
    else if (field.kind == FieldKind::object) add_members(columns, records, field.name, field.name + "_");
    else if (field.kind != FieldKind::list)
      columns.push_back({field.name, [&field](const Record& record) { return record[field.name]; }});
  }
  columns.push_back({"stale", [](const Record& record) {
                       const std::string reason = why_stale(record);
                       return reason.empty() ? Json() : Json(reason);
                     }});
  add_published(columns, published);
  return columns;
}

std::string field_text(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> parts;
  for (const Json& entry : value) parts.push_back(field_text(entry));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::string comma_separated(const std::vector<Record>& records,
                            const std::vector<PublishedNumber>& published) {
  const std::vector<Column> columns = columns_of(records, published);
  Table table;
  for (const Column& column : columns) table.columns.push_back({column.name, false});
  for (const Record& record : records) {
    std::vector<std::string>& row = table.rows.emplace_back();
    for (const Column& column : columns) row.push_back(field_text(column.value(record)));
  }
  return comma_separated(table);
}

std::string json_rows(const std::vector<Record>& records, const std::vector<PublishedNumber>& published) {
  const std::vector<Column> columns = columns_of(records, published);
  Json rows = Json::array();
  for (const Record& record : records) {
    Json& row = rows.emplace_back(Json::object());
    for (const Column& column : columns) row[column.name] = column.value(record);
  }
  return rows.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace redbench
