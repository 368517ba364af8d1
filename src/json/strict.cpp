#include "src/json/strict.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "src/error.hpp"
#include "src/json/parse.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

std::string read_text(const std::string& path, const std::string& what) {
  constexpr std::size_t largest = std::size_t(16) << 20;  // written by hand, so far smaller
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw UsageError(path + ": there is no such file");
  if (status.type() == fs::file_type::directory)
    throw UsageError(path + ": is a directory; " + what + " is a JSON file");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(path + ": cannot be opened: " + std::strerror(errno));
  std::string text;
  for (char part[4096]; text.size() <= largest && file;) {  // not all of `largest` for a file of a few lines
    file.read(part, sizeof part);
    text.append(part, std::size_t(file.gcount()));
  }
  if (file.bad()) throw UsageError(path + ": cannot be read");
  if (text.size() > largest) throw UsageError(path + ": is larger than 16 MiB, which " + what + " never is");
  return text;
}

/// Follows the parser to refuse what it lets pass: a key twice in one object (the last would win in silence),
/// and nesting without end.
class StrictWatch {
 public:
  explicit StrictWatch(const std::string& place) : place_(place) {}

  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        levels_.push_back({event == Event::array_start, {}, {}, 0});
        if (levels_.size() > deepest_json)
          throw UsageError(fmt::format("{}: {}: is nested deeper than {} levels", place_,
                                       path().substr(0, 60), deepest_json));
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
          throw UsageError(fmt::format("{}: {}: the key is there twice", place_, path()));
        break;
    }
    return true;
  }

  /// Of what is being read.
  std::string path() const {
    std::string text = "$";
    for (const Level& level : levels_)
      text += level.is_list ? fmt::format("[{}]", level.index) : "." + level.key;
    return text;
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

  const std::string& place_;
  std::vector<Level> levels_;
};

}  // namespace

Json parse_strictly(const std::string& text, const std::string& place) {
  if (text.empty()) throw UsageError(place + ": line 1, column 1: is empty, JSON is expected");
  StrictWatch watch(place);
  try {
    // By reference: the parser copies its call-back.
    return Json::parse(text, [&watch](int depth, Json::parse_event_t event, Json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const Json::parse_error& error) {
    std::string_view what = error.what();
    const std::size_t start = what.find("line ");
    throw UsageError(place + ": " + std::string(start == what.npos ? what : what.substr(start)));
  } catch (const Json::out_of_range&) {
    throw UsageError(fmt::format("{}: {}: is a number larger than any", place, watch.path()));
  }
}

Json read_json_file(const std::string& path, const std::string& what) {
  return parse_strictly(read_text(path, what), path);
}

}  // namespace redbench
