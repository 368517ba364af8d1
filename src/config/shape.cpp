#include "src/config/shape.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <memory>

#include "src/text/nearest.hpp"

namespace redbench {
namespace {

Shape leaf(const std::string& words, const std::function<bool(const Json&)>& fits, Json schema) {
  Shape shape;
  shape.words = words;
  shape.check = [=](const Node& node) {
    if (!fits(node.value())) node.expected(words);
  };
  shape.schema = std::move(schema);
  return shape;
}

Json list_schema(const Shape& entry, int least) {
  Json schema{{"type", "array"}};
  if (least > 0) schema["minItems"] = least;
  schema["items"] = entry.schema;
  return schema;
}

Json property_schema(const Key& key) {
  Json schema{{"description", key.what}};
  schema.update(key.shape.schema);
  if (!key.fallback.is_null()) schema["default"] = key.fallback;
  return schema;
}

std::string default_of(const Key& key) {
  if (key.required) return "needed";
  return key.fallback.is_null() ? "" : "`" + key.fallback.dump() + "`";
}

/// Rows of these keys and, below each, of the keys of its object.
void add_rows(const std::vector<Key>& keys, const std::string& before, std::string& out) {
  for (const Key& key : keys) {
    out += fmt::format("| `{}{}` | {} | {} | {} |\n", before, key.name, key.shape.words, default_of(key),
                       key.what);
    add_rows(key.shape.members, before + key.name + ".", out);
  }
}

void add_table(const std::string& heading, const std::vector<Key>& keys, std::string& out) {
  out += fmt::format("### {}\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n", heading);
  add_rows(keys, "", out);
  out += '\n';
}

}  // namespace

Key needed(Key key) {
  key.required = true;
  key.fallback = {};
  return key;
}

Shape text() {
  return leaf("a string", [](const Json& value) { return value.is_string(); }, {{"type", "string"}});
}

Shape text_like(std::string words, const std::string& pattern) {
  return leaf(words,
              [expression = std::make_shared<RE2>(pattern)](const Json& value) {
                return value.is_string() && RE2::FullMatch(value.get_ref<const std::string&>(), *expression);
              },
              {{"type", "string"}, {"pattern", "^" + pattern + "$"}});
}

Shape flag() {
  return leaf("true or false", [](const Json& value) { return value.is_boolean(); }, {{"type", "boolean"}});
}

Shape whole(std::int64_t least, std::int64_t most) {
  return leaf(fmt::format("a whole number from {} to {}", least, most),
              [=](const Json& value) {
                if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t(most))
                  return false;
                return value.is_number_integer() && value.get<std::int64_t>() >= least &&
                       value.get<std::int64_t>() <= most;
              },
              {{"type", "integer"}, {"minimum", least}, {"maximum", most}});
}

Shape number() {
  return leaf("a number", [](const Json& value) { return value.is_number(); }, {{"type", "number"}});
}

Shape number_above(double least) {
  return leaf(fmt::format("a number above {}", least),
              [=](const Json& value) { return value.is_number() && value.get<double>() > least; },
              {{"type", "number"}, {"exclusiveMinimum", least}});
}

Shape one_of(std::vector<std::string> names) {
  Shape shape;
  shape.words = alternatives(names);
  shape.schema = {{"enum", names}};
  shape.check = [names = std::move(names)](const Node& node) { node.choice(names); };
  return shape;
}

std::vector<std::size_t> chosen_of(const Node& node, const std::vector<std::string>& names) {
  std::vector<std::size_t> places;
  for (const Node& entry : node.one_or_more())
    for (const std::string& name : split_at_commas(entry.text()))
      if (const std::size_t place = entry.choice(name, names);
          std::ranges::find(places, place) == places.end())
        places.push_back(place);
  return places;
}

Shape some_of(const std::vector<std::string>& names) {
  Shape shape = one_or_more(one_of(names));
  shape.check = [names](const Node& node) { chosen_of(node, names); };
  const std::string any = fmt::format("({})", fmt::join(names, "|"));
  shape.schema["anyOf"].push_back({{"type", "string"}, {"pattern", fmt::format("^{0}(,{0})+$", any)}});
  return shape;
}

Shape one_or_more(const Shape& entry) {
  Shape shape = entry;
  shape.words = entry.words + ", or a list";
  shape.check = [check = entry.check](const Node& node) {
    for (const Node& value : node.one_or_more()) check(value);
  };
  shape.schema = Json::object();
  shape.schema["anyOf"] = {entry.schema, list_schema(entry, 1)};
  return shape;
}

Shape list_of(const Shape& entry, const std::string& noun) {
  Shape shape = entry;
  shape.words = "a list";
  shape.check = [check = entry.check, noun](const Node& node) {
    const std::vector<Node> entries = node.list();
    if (entries.empty() && !noun.empty())
      node.fail(fmt::format("the list is empty; at least one {} is needed", noun));
    for (const Node& value : entries) check(value);
  };
  shape.schema = list_schema(entry, noun.empty() ? 0 : 1);
  return shape;
}

Shape object(std::vector<Key> keys) {
  Shape shape = open_object(keys, false);
  shape.check = [names = names_of(keys), keys = std::move(keys)](const Node& node) {
    node.expect_object(names);
    for (const auto& [name, value] : node.value().items())
      std::ranges::find(keys, name, &Key::name)->shape.check(node[name]);
    for (const Key& key : keys)
      if (key.required && !node.has(key.name))
        node.fail(fmt::format("the key `{}` is missing: {}", key.name, key.what));
  };
  return shape;
}

Shape open_object(std::vector<Key> keys, const Json& others) {
  Shape shape = leaf("an object", [](const Json& value) { return value.is_object(); },
                     {{"type", "object"}, {"additionalProperties", others}});
  Json required = Json::array();
  for (const Key& key : keys) {
    shape.schema["properties"][key.name] = property_schema(key);
    shape.definitions.update(key.shape.definitions);
    if (key.required) required.push_back(key.name);
  }
  if (!required.empty()) shape.schema["required"] = required;
  shape.members = std::move(keys);
  return shape;
}

Shape described(std::string words, Json schema) {
  Shape shape;
  shape.words = std::move(words);
  shape.check = [](const Node&) {};
  shape.schema = std::move(schema);
  return shape;
}

Shape named(const std::string& name, Shape shape) {
  shape.definitions[name] = std::move(shape.schema);
  shape.schema = {{"$ref", "#/definitions/" + name}};
  return shape;
}

std::vector<std::string> names_of(const std::vector<Key>& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) names.push_back(key.name);
  return names;
}

std::string schema_text(const Shape& file, const std::string& title, const std::string& description) {
  Json schema{
      {"$schema", "http://json-schema.org/draft-07/schema#"}, {"title", title}, {"description", description}};
  schema.update(file.schema);
  schema["definitions"] = file.definitions;
  return schema.dump(2) + '\n';
}

std::string keys_markdown(const Shape& file) {
  std::vector<Key> keys = file.members;
  std::string parts;
  for (Key& key : keys) {
    if (key.shape.members.empty()) continue;
    const bool is_list = key.shape.schema.value("type", "") == "array";
    add_table(fmt::format("`{}{}`", key.name, is_list ? "[]" : ""), key.shape.members, parts);
    key.shape.members.clear();
  }
  std::string out;
  add_table("At the top", keys, out);
  out += parts;
  out.pop_back();
  return out;
}

}  // namespace redbench
