#include "src/records/field_docs.hpp"

#include <fmt/format.h>

#include "src/records/derived.hpp"
#include "src/records/fields.hpp"
#include "src/records/record.hpp"

namespace redbench {
namespace {

constexpr const char* json_types[] = {"string", "integer", "number", "boolean", "array", "object"};
constexpr const char* digits_names[] = {"four", "by_interval", "whole"};

std::string null_text(const Field& field) {
  if (!field.of_passed) return field.null_where;
  return field.null_where.empty() ? "not passed" : "not passed; " + field.null_where;
}

std::string markdown_rows(const std::vector<Field>& fields) {
  std::string text = "| field | meaning | null where |\n| --- | --- | --- |\n";
  for (const Field& field : fields)
    text += fmt::format("| `{}` | {} | {} |\n", field.name, field.meaning, null_text(field));
  return text;
}

Json object_json(const std::vector<Field>& fields);

Json shown_json(const Field& field) {
  Json shown{{"label", field.label},
             {"unit", field.unit},
             {"scale", field.scale},
             {"digits", digits_names[std::size_t(field.digits)]}};
  for (const PublishedUnit& unit : field.published)
    shown["published"].push_back({{"quantity", unit.quantity}, {"unit", unit.unit}, {"factor", unit.factor}});
  return shown;
}

Json field_json(const Field& field) {
  const char* const type = json_types[std::size_t(field.kind)];
  Json json{{"description", field.meaning}};
  json["type"] = field.nullable() ? Json{type, "null"} : Json(type);
  if (field.kind == FieldKind::whole || field.kind == FieldKind::number) json["minimum"] = 0;
  if (!field.allowed.empty()) json["enum"] = field.allowed;
  if (field.name == "schema") json["const"] = record_schema;
  if (!field.fields.empty()) {
    const Json entries = object_json(field.fields);
    if (field.kind == FieldKind::list) json["items"] = entries;
    else json.update(entries);
  }
  if (field.nullable()) json["null"] = null_text(field);
  if (field.is_axis) json["axis"] = true;
  if (field.is_quantity()) json["shown"] = shown_json(field);
  return json;
}

Json object_json(const std::vector<Field>& fields) {
  Json json{{"required", Json::array()}, {"additionalProperties", false}, {"properties", Json::object()}};
  for (const Field& field : fields) {
    if (!field.nullable() && !field.is_derived) json["required"].push_back(field.name);
    json["properties"][field.name] = field_json(field);
  }
  return json;
}

}  // namespace

std::string fields_markdown() {
  return markdown_rows(case_fields()) + "\nOf each entry of `launches`:\n\n" +
         markdown_rows(launch_fields()) + "\nWhat follows from counters, beside them in `counters`:\n\n" +
         markdown_rows(derived_count_fields()) + "\nOf `run.json`:\n\n" + markdown_rows(run_fields()) +
         "\nOf each entry of its `sessions`:\n\n" + markdown_rows(session_fields());
}

Json record_schema_json() {
  Json json{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "A record of redbench"},
            {"description",
             "A line of records.jsonl: one case in one mode (docs/reference/records.md). A field that may "
             "be null may be missing. Written by `redbench fields --schema`."},
            {"type", "object"}};
  json.update(object_json(case_fields()));
  return json;
}

}  // namespace redbench
