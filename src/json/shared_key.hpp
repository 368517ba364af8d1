// Keys of JSON objects, each text kept once: the records of a run have the same hundred names 60 000 times.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <nlohmann/ordered_map.hpp>
#include <string>
#include <string_view>
#include <utility>

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
class ObjectOfSharedKeys : public nlohmann::ordered_map<SharedKey, Value> {
 public:
  using Base = nlohmann::ordered_map<SharedKey, Value>;
  using Base::Base;
  using key_type = Key;
  using typename Base::iterator;

  iterator find(std::string_view name) { return found(name); }
  iterator find(SharedKey name) { return found(name); }

  template <class Name>
  std::pair<iterator, bool> emplace(const Name& name, Value value) {
    if (const iterator member = find(name); member != this->end()) return {member, false};
    this->emplace_back(name, std::move(value));
    return {std::prev(this->end()), true};
  }

 private:
  /// Begins after what this thread has found last, as members are mostly asked for in the order that they have.
  template <class Name>
  iterator found(Name name) {
    const std::size_t count = this->size();
    std::size_t at = after_found;
    for (std::size_t i = 0; i < count; ++i, ++at) {
      if (at >= count) at = 0;
      if (this->data()[at].first == name) {
        after_found = at + 1;
        return this->begin() + std::ptrdiff_t(at);
      }
    }
    return this->end();
  }

  static inline constinit thread_local std::size_t after_found = 0;
};

}  // namespace redbench
