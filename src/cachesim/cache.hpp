// One set-associative cache: of memory lines, or of a TLB's pages. It knows which blocks it holds, which of
// them are dirty, and which one an insertion evicts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace redbench::cachesim {

using Block = std::uint64_t;  // an address over the size of a line or page; below 2^62

/// `tree_plru`: tree pseudo-LRU, a bit for each inner node of a binary tree over the ways, which points away
/// from the way used last. It takes a power of two ways, at most 64.
enum class Replacement : std::uint8_t { lru, tree_plru };
inline constexpr std::array<std::string_view, 2> replacement_names{"lru", "tree_plru"};

class Cache {
 public:
  /// The set of a block is its number modulo `sets`.
  Cache(std::uint64_t sets, unsigned ways, Replacement replacement);

  struct Found {
    bool hit = false;
    bool first_use = false;  // of a prefetched block
  };
  /// Looks a block up; a write makes it dirty. A miss changes nothing.
  Found use(Block block, bool write);

  struct Victim {
    Block block = 0;
    bool is_dirty = false;  // also false where the set had room
  };
  /// Inserts a block that is not there. Returns the block that it evicts.
  Victim insert(Block block, bool dirty, bool prefetched);

  /// Whether the block is there; the order of replacement stays.
  bool holds(Block block) const;
  /// Takes a write-back from the level above: the block becomes dirty if it is there (returned), and the
  /// order of replacement stays.
  bool write_back(Block block);

 private:
  using Entry = std::uint64_t;  // block << 2 | prefetched << 1 | dirty
  static constexpr Entry none = ~Entry(0), dirty_bit = 1, prefetched_bit = 2;

  Entry* set_of(Block block) { return &entries_[std::size_t(index_of(block)) * ways_]; }
  std::uint64_t index_of(Block block) const { return mask_ ? block & mask_ : block % sets_; }
  unsigned way_of(const Entry* set, Block block) const;
  void point_away(std::uint64_t index, unsigned way);
  unsigned way_pointed_at(std::uint64_t index) const;

  std::uint64_t sets_, mask_;  // mask_ 0: sets_ is 1 or no power of two
  unsigned ways_;
  bool is_lru_;
  std::vector<Entry> entries_;        // set after set; lru: most recently used first
  std::vector<std::uint64_t> trees_;  // a set's tree: bit i is node i, the root is 1
};

}  // namespace redbench::cachesim
