#include "src/json/strict.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
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

/// Makes a value of what the parser meets, and refuses what it lets pass: a key twice in one object (the last
/// would win in silence), and nesting without end.
class StrictReader {
 public:
  explicit StrictReader(const std::string& place) : place_(place) {}

  bool null() { return add(nullptr), true; }
  bool boolean(bool value) { return add(value), true; }
  bool number_integer(Json::number_integer_t value) { return add(value), true; }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value), true; }
  bool number_float(double value, const std::string&) { return add(value), true; }
  bool string(std::string& value) {
    refuse_nul(value);
    return add(std::move(value)), true;
  }
  bool binary(Json::binary_t&) { return false; }  // not in text
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return levels_.pop_back(), true; }
  bool end_array() { return levels_.pop_back(), true; }

  bool key(const std::string& name) {
    refuse_nul(name);
    const auto [member, is_new] =
        levels_.back().value->get_ref<Json::object_t&>().emplace(SharedKey(name), nullptr);
    levels_.back().member = &*member;
    if (!is_new) throw UsageError(fmt::format("{}: {}: the key is there twice", place_, path()));
    return true;
  }

  template <class Error>
  bool parse_error(std::size_t, const std::string&, const Error& error) {
    throw error;
  }

  /// Of what is being read.
  std::string path() const {
    std::string text = "$";
    for (const Level& level : levels_) {
      const bool has_open = &level != &levels_.back();
      if (level.value->is_array()) text += fmt::format("[{}]", level.value->size() - has_open);
      else text += "." + (level.member ? std::string(level.member->first) : "");
    }
    return text;
  }

  Json read;

 private:
  /// No name, path or title has one, and messages would end there.
  void refuse_nul(const std::string& text) const {
    if (text.find('\0') != text.npos) throw UsageError(place_ + ": " + path() + ": holds \\u0000");
  }

  /// A list or an object that has not ended.
  struct Level {
    Json* value;
    Json::object_t::value_type* member = nullptr;  // the last one
  };

  Json& add(Json value) {
    Json& place = levels_.empty()                    ? read
                  : levels_.back().value->is_array() ? levels_.back().value->emplace_back()
                                                     : levels_.back().member->second;
    return place = std::move(value);
  }

  bool open(Json value) {
    levels_.push_back({&add(std::move(value))});
    if (levels_.size() > deepest_json)
      throw UsageError(
          fmt::format("{}: {}: is nested deeper than {} levels", place_, path().substr(0, 60), deepest_json));
    return true;
  }

  const std::string& place_;
  std::vector<Level> levels_;
};

}  // namespace

Json parse_strictly(const std::string& text, const std::string& place) {
  if (text.empty()) throw UsageError(place + ": line 1, column 1: is empty, JSON is expected");
  StrictReader reader(place);
  // To the parser it ends the text, whatever follows.
  if (const std::size_t at = text.find('\0'); at != text.npos)
    throw UsageError(fmt::format("{}: byte {} is NUL, which JSON does not hold", place, at + 1));
  try {
    Json::sax_parse(text, &reader);
    return std::move(reader.read);
  } catch (const Json::parse_error& error) {
    std::string_view what = error.what();
    const std::size_t start = what.find("line ");
    throw UsageError(place + ": " + std::string(start == what.npos ? what : what.substr(start)));
  } catch (const Json::out_of_range&) {
    throw UsageError(fmt::format("{}: {}: is a number larger than any", place, reader.path()));
  }
}

Json read_json_file(const std::string& path, const std::string& what) {
  return parse_strictly(read_text(path, what), path);
}

}  // namespace redbench
