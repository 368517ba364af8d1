// What a value of a config may be, in one place: a Shape checks the value in a file, prints as JSON schema,
// and has words for readers.
#pragma once

#include <functional>
#include <string>
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

/// A key of an object: a row of src/config/keys.cpp.
struct Key {
  std::string name;
  Shape shape;
  std::string what;    // one line
  Json fallback = {};  // what holds where the key is missing; null: nothing
  bool required = false;
};

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

}  // namespace redbench
