// Keys of JSON objects, each text kept once: the records of a run have the same hundred names 60 000 times.
#pragma once

#include <compare>
#include <nlohmann/ordered_map.hpp>
#include <string>
#include <string_view>

namespace redbench {

/// A text that stays for the rest of the process. Copies and comparisons of keys are those of a pointer.
class SharedKey {
 public:
  explicit SharedKey(std::string_view text = {});
  operator const std::string&() const { return *text_; }

  friend bool operator==(SharedKey a, SharedKey b) { return a.text_ == b.text_; }
  friend bool operator==(SharedKey a, std::string_view b) { return *a.text_ == b; }
  friend auto operator<=>(SharedKey a, SharedKey b) { return *a.text_ <=> *b.text_; }

 private:
  const std::string* text_;
};

/// The objects of Json: in order of insertion. Who reads a key gets std::string; flatten() alone does not
/// compile, as it makes texts of the type that is stored.
template <class Key, class Value, class, class>
struct ObjectOfSharedKeys : nlohmann::ordered_map<SharedKey, Value> {
  using nlohmann::ordered_map<SharedKey, Value>::ordered_map;
  using key_type = Key;
};

}  // namespace redbench
