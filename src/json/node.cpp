#include "src/json/node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/error.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

bool within(std::string_view path, std::string_view part) {
  return path.starts_with(part) &&
         (path.size() == part.size() || path[part.size()] == '.' || path[part.size()] == '[');
}

}  // namespace

std::string shortened(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57).append("...") : text;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

std::string Origins::place(std::string_view path) const {
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    if (within(path, part->path)) {
      const std::string shown =
          part->prefix.empty() ? std::string(path) : part->prefix + std::string(path.substr(1));
      return fmt::format("{}: {}{}", file, shown, part->note.empty() ? "" : " (" + part->note + ")");
    }
  return fmt::format("{}: {}", file, path);
}

void Node::fail(const std::string& sentence) const {
  throw UsageError(origins_->place(path_) + ": " + sentence);
}

void Node::expected(std::string_view what) const {
  fail(fmt::format("expected {}, got {}", what, shortened(*value_)));
}

Node Node::operator[](const std::string& key) const {
  return {value_->at(key), path_ + "." + key, *origins_};
}

Node Node::operator[](std::size_t index) const {
  return {value_->at(index), fmt::format("{}[{}]", path_, index), *origins_};
}

void Node::expect_object(const std::vector<std::string>& keys) const {
  if (!value_->is_object()) expected("an object");
  for (const auto& [key, member] : value_->items())
    if (std::ranges::find(keys, key) == keys.end())
      (*this)[key].fail("unknown key; allowed are " + alternatives(keys) + nearest_match(key, keys));
}

std::vector<Node> Node::list() const {
  if (!value_->is_array()) expected("a list");
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < value_->size(); ++i) nodes.push_back((*this)[i]);
  return nodes;
}

std::vector<Node> Node::one_or_more() const {
  if (!value_->is_array()) return {*this};
  if (value_->empty()) fail("the list is empty; at least one value is needed");
  return list();
}

const std::string& Node::text() const {
  if (!value_->is_string()) expected("a string");
  return value_->get_ref<const std::string&>();
}

std::size_t Node::choice(const std::string& name, const std::vector<std::string>& names) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    fail(fmt::format("unknown name `{}`; allowed are {}{}", name, alternatives(names),
                     nearest_match(name, names)));
  return std::size_t(found - names.begin());
}

}  // namespace redbench
