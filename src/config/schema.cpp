#include "src/config/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "src/config/keys.hpp"

namespace redbench {
namespace {

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

/// The paths of these keys and of the members of objects among them, not of the members of lists.
void add_paths(const std::vector<Key>& keys, const std::string& before, std::vector<std::string>& paths) {
  for (const Key& key : keys) {
    if (key.shape.members.empty()) paths.push_back(before + key.name);
    else if (key.shape.schema.value("type", "") != "array")
      add_paths(key.shape.members, before + key.name + ".", paths);
  }
}

}  // namespace

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

std::string schema_text(const Columns& columns) {
  return schema_text(
      config_shape(columns), "A redbench config",
      "Printed by `redbench schema`. redbench itself checks more: names of problems, variants and columns, "
      "parameters, files.");
}

std::string keys_markdown(const Columns& columns) { return keys_markdown(config_shape(columns)); }

std::vector<std::string> settable_keys() {
  std::vector<std::string> paths;
  add_paths(config_shape({}).members, "", paths);
  return paths;
}

std::string meaning_of_key(const std::string& path) {
  const std::vector<Key>* keys = &config_shape({}).members;
  std::string_view rest = path;
  while (true) {
    const std::size_t dot = rest.find('.');
    const auto key = std::ranges::find(*keys, rest.substr(0, dot), &Key::name);
    if (key == keys->end()) throw std::logic_error("no key " + path);
    if (dot == rest.npos) return key->what;
    rest.remove_prefix(dot + 1);
    keys = &key->shape.members;
  }
}

}  // namespace redbench
