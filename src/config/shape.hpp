// What a value of a config may be, in one place: a Shape checks the value in a file, prints as JSON schema,
// and has words for readers. A Row is a key whose value becomes a member of a struct.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/json/node.hpp"

namespace redbench {

struct Key;

struct Shape {
  std::string words;                       // "a whole number from 1 to 9"
  std::function<void(const Node&)> check;  // throws UsageError with the place
  Json schema;                             // JSON schema, draft 7
  Json definitions = Json::object();       // what `schema` refers to, by name
  std::vector<Key> members;                // the keys of an object, or of each object of a list
};

/// A key of an object, as in src/config/keys.cpp.
struct Key {
  std::string name;
  Shape shape;
  std::string what;    // one line
  Json fallback = {};  // what holds where the key is missing; null: nothing
  bool required = false;
};

/// A key that may not be missing.
Key needed(Key key);

Shape text();
/// Text that the regular expression fits as a whole.
Shape text_like(std::string words, const std::string& pattern);
Shape flag();
Shape whole(std::int64_t least, std::int64_t most);
Shape number();
Shape number_above(double least);
Shape one_of(std::vector<std::string> names);
/// The names of an enumeration, as one_of and Node::choice take them.
template <class Names>
std::vector<std::string> strings(const Names& names) {
  return {names.begin(), names.end()};
}
/// One of the names or several: a list of them, or one text with commas between them, as the command line
/// gives them.
Shape some_of(const std::vector<std::string>& names);
/// The places of those names, each once.
std::vector<std::size_t> chosen_of(const Node& node, const std::vector<std::string>& names);
/// One value or a list of them, not empty: Node::one_or_more reads it.
Shape one_or_more(const Shape& entry);
/// `noun` is for a list that must not be empty: "experiment".
Shape list_of(const Shape& entry, const std::string& noun = {});
/// These keys and no others.
Shape object(std::vector<Key> keys);
/// These keys, and others of the JSON schema `others`. The shape checks only that the value is an object:
/// which members it may have depends on the rest of the config.
Shape open_object(std::vector<Key> keys, const Json& others);
/// A value that is not checked here, as it depends on the rest of the config.
Shape described(std::string words, Json schema);
/// The shape, which the JSON schema prints once, under this name.
Shape named(const std::string& name, Shape shape);

std::vector<std::string> names_of(const std::vector<Key>& keys);

/// The JSON schema of a file of this shape.
std::string schema_text(const Shape& file, const std::string& title, const std::string& description);
/// The lists of its keys: those at the top, then of each of them that has keys of its own.
std::string keys_markdown(const Shape& file);

/// A key whose value becomes a member of Options; its default is that of the member.
template <class Options>
struct Row {
  Key key;
  std::function<void(const Node&, Options&)> read;
  std::function<Json(const Options&)> written;  // may be empty: it is only read
};
template <class Options>
using Rows = std::vector<Row<Options>>;

template <class Options, class T>
Row<Options> row(const std::string& name, T Options::*member, Shape shape, const std::string& what) {
  return {{name, std::move(shape), what, Json(Options().*member)},
          [member](const Node& node, Options& options) { node.value().get_to(options.*member); },
          [member](const Options& options) { return Json(options.*member); }};
}
/// Of an enumeration, by the names of its values.
template <class Options, class Enum, std::size_t count>
Row<Options> row(const std::string& name, Enum Options::*member,
                 const std::array<std::string_view, count>& names, const std::string& what) {
  return {{name, one_of(strings(names)), what, names[std::size_t(Options().*member)]},
          [=](const Node& node, Options& options) { options.*member = Enum(node.choice(strings(names))); },
          [=](const Options& options) { return Json(names[std::size_t(options.*member)]); }};
}
/// Of several values of an enumeration.
template <class Options, class Enum, std::size_t count>
Row<Options> row(const std::string& name, std::vector<Enum> Options::*member,
                 const std::array<std::string_view, count>& names, const std::string& what) {
  const auto written = [=](const Options& options) {
    Json list = Json::array();
    for (const Enum value : options.*member) list.push_back(names[std::size_t(value)]);
    return list;
  };
  return {{name, some_of(strings(names)), what, written(Options())},
          [=](const Node& node, Options& options) {
            (options.*member).clear();
            for (const std::size_t place : chosen_of(node, strings(names)))
              (options.*member).push_back(Enum(place));
          },
          written};
}

template <class Options>
Row<Options> needed(Row<Options> row) {
  row.key = needed(std::move(row.key));
  return row;
}

template <class Options>
std::vector<Key> keys_of(const Rows<Options>& rows) {
  std::vector<Key> keys;
  for (const Row<Options>& row : rows) keys.push_back(row.key);
  return keys;
}
/// What an object says, whose shape has been checked. Null is as if the key was missing.
template <class Options>
Options read_members(const Rows<Options>& rows, const Node& node) {
  Options options;
  for (const Row<Options>& row : rows)
    if (const Json value = node.value().value(row.key.name, Json()); !value.is_null())
      row.read(node[row.key.name], options);
  return options;
}
template <class Options>
Json write_members(const Rows<Options>& rows, const Options& options) {
  Json json = Json::object();
  for (const Row<Options>& row : rows)
    if (row.written) json[row.key.name] = row.written(options);
  return json;
}

}  // namespace redbench
