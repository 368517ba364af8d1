// The records of a run in a tenth of their memory, for what goes through them one by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "src/parallel.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// Records of a run differ in their numbers and in few texts. Which members a record has, of which types, is
/// kept once for all that have the same, and so is each text: a record takes 8 bytes for each of its numbers
/// and texts.
class PackedRecords {
 public:
  PackedRecords() = default;
  explicit PackedRecords(const std::vector<Record>& records);

  void push_back(const Record& record);
  std::size_t size() const { return places_.size(); }
  bool empty() const { return places_.empty(); }

  /// Those at these places, in this order. The memory is shared.
  PackedRecords chosen(const std::vector<std::size_t>& places) const;

  /// Calls take(record) for each record in order.
  template <class Take>
  void for_each(const Take& take) const {
    Record record;
    for (std::size_t i = 0; i < size(); ++i) {
      unpack(i, record);
      take(std::as_const(record));
    }
  }

  /// Calls take(make(record)) for each record in order; `make` on all cores.
  template <class Make, class Take>
  void for_each(const Make& make, const Take& take) const {
    constexpr std::size_t at_once = 256;
    std::size_t next = 0;
    const auto next_records = [&] {
      return next < size() ? std::optional(std::exchange(next, std::min(next + at_once, size())))
                           : std::nullopt;
    };
    const auto make_some = [&](std::size_t first) {
      std::vector<std::remove_cvref_t<decltype(make(std::declval<const Record&>()))>> made;
      Record record;
      for (std::size_t i = first; i < std::min(first + at_once, size()); ++i) {
        unpack(i, record);
        made.push_back(make(std::as_const(record)));
      }
      return made;
    };
    in_order(next_records, make_some, [&](auto made) {
      for (auto& value : made) take(std::move(value));
    });
  }

 private:
  /// A value of a record, without what changes from record to record.
  struct Part {
    SharedKey key;  // in its object
    Json::value_t type;
    std::uint32_t count;  // of members or entries; of a flag its value
    bool operator==(const Part&) const = default;
  };
  using Shape = std::vector<Part>;  // each object and list is followed by what it holds
  struct ShapeHash {
    std::size_t operator()(const Shape& shape) const;
  };
  struct Memory {
    std::unordered_set<Shape, ShapeHash> shapes;
    std::unordered_set<std::string> texts;
    std::deque<std::uint64_t> values;  // numbers as they are, texts by address
  };
  struct Place {
    const Shape* shape;
    std::size_t first;  // of its values
  };

  void add(Shape& shape, SharedKey key, const Json& value);
  /// The memory of what `record` was is used again.
  void unpack(std::size_t i, Record& record) const;

  std::shared_ptr<Memory> memory_ = std::make_shared<Memory>();
  std::vector<Place> places_;
};

}  // namespace redbench
