#include "src/config/json_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "src/error.hpp"
#include "src/parse_json.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

std::string read_text(const std::string& path) {
  constexpr std::size_t largest = std::size_t(16) << 20;  // written by hand, so far smaller
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw UsageError(path + ": there is no such file");
  if (status.type() == fs::file_type::directory)
    throw UsageError(path + ": is a directory; a config is a JSON file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(path + ": cannot be opened: " + std::strerror(errno));
  std::string text;
  for (char part[4096]; text.size() <= largest && file;) {  // not all of `largest` for a file of a few lines
    file.read(part, sizeof part);
    text.append(part, std::size_t(file.gcount()));
  }
  if (file.bad()) throw UsageError(path + ": cannot be read");
  if (text.size() > largest) throw UsageError(path + ": is larger than 16 MiB: no config is");
  return text;
}

/// Follows the parser to refuse what it lets pass: a key twice in one object (the last would win in silence),
/// and nesting without end.
class StrictWatch {
 public:
  explicit StrictWatch(const std::string& file) : file_(file) {}

  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        levels_.push_back({event == Event::array_start, {}, {}, 0});
        if (levels_.size() > deepest_json) throw UsageError(file_ + ": is nested deeper than any config");
        break;
      case Event::object_end:
      case Event::array_end:
        levels_.pop_back();
        next();
        break;
      case Event::value:
        next();
        break;
      case Event::key:
        levels_.back().key = parsed.get<std::string>();
        if (!levels_.back().keys.insert(levels_.back().key).second)
          throw UsageError(fmt::format("{}: {}: the key is there twice", file_, path()));
        break;
    }
    return true;
  }

 private:
  struct Level {
    bool is_list;
    std::set<std::string> keys;
    std::string key;
    std::size_t index;
  };
  void next() {
    if (!levels_.empty()) ++levels_.back().index;
  }
  std::string path() const {
    std::string text = "$";
    for (const Level& level : levels_)
      text += level.is_list ? fmt::format("[{}]", level.index) : "." + level.key;
    return text;
  }

  const std::string& file_;
  std::vector<Level> levels_;
};

bool within(std::string_view path, std::string_view part) {
  return path.starts_with(part) &&
         (path.size() == part.size() || path[part.size()] == '.' || path[part.size()] == '[');
}

std::string shortened(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > 60 ? text.substr(0, 57) + "..." : text;
}

}  // namespace

Json read_json_file(const std::string& path) {
  const std::string text = read_text(path);
  try {
    StrictWatch watch(path);
    // By reference: the parser copies its call-back.
    return Json::parse(text, [&watch](int depth, Json::parse_event_t event, Json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const Json::parse_error& error) {
    std::string_view what = error.what();
    const std::size_t start = what.find("line ");
    throw UsageError(path + ": " + std::string(start == what.npos ? what : what.substr(start)));
  } catch (const Json::exception& error) {  // a number that no type holds
    throw UsageError(path + ": " + error.what());
  }
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
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
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
