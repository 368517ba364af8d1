// Values of a JSON document with their paths, so that messages name the file and the JSON path of each
// mistake.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/json/strict.hpp"

namespace redbench {

/// Where the parts of a document come from, for messages.
struct Origins {
  struct Part {
    std::string path;    // "$.measure"
    std::string prefix;  // "$.on_simt" where a patch of the file put it there
    std::string note;    // "--set measure.max_noise=x" where the command line did
  };
  std::string file;
  std::vector<Part> parts;  // later ones replace earlier ones

  /// "FILE: $.path (note)"
  std::string place(std::string_view path) const;
};

/// A value as a message shows it: at most 60 characters, on one line.
std::string shortened(const Json& value);

/// Text at commas that are not within brackets or braces: "n=[1:9:2],7" has two parts.
std::vector<std::string> split_at_commas(std::string_view text);

/// A value and its place. Accessors throw UsageError where the value has another type.
class Node {
 public:
  Node(const Json& value, std::string path, const Origins& origins)
      : value_(&value), path_(std::move(path)), origins_(&origins) {}

  const Json& value() const { return *value_; }
  const std::string& path() const { return path_; }
  [[noreturn]] void fail(const std::string& sentence) const;
  /// Runs `read`, putting the place before the UsageError that it may throw.
  template <class Read>
  auto placed(const Read& read) const {
    try {
      return read();
    } catch (const std::runtime_error& error) {
      fail(error.what());
    }
  }

  bool has(const std::string& key) const { return value_->contains(key); }
  Node operator[](const std::string& key) const;
  Node operator[](std::size_t index) const;
  /// Refuses a value that is no object, and keys other than these.
  void expect_object(const std::vector<std::string>& keys) const;
  /// The elements of a list, which must not be empty; one value stands for a list of it.
  std::vector<Node> one_or_more() const;
  std::vector<Node> list() const;

  const std::string& text() const;
  /// One of `names`, by its index.
  std::size_t choice(const std::vector<std::string>& names) const { return choice(text(), names); }
  /// One of `names` by its index, for a name that is a part of this value.
  std::size_t choice(const std::string& name, const std::vector<std::string>& names) const;
  /// Fails with "expected WHAT, got VALUE".
  [[noreturn]] void expected(std::string_view what) const;

 private:
  const Json* value_;
  std::string path_;
  const Origins* origins_;
};

}  // namespace redbench
