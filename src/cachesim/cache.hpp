// One set-associative cache: of memory lines, or of a TLB's pages. It knows which blocks it holds, which of
// them are dirty, and which one an insertion evicts.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
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
  Cache(std::uint64_t sets, unsigned ways, Replacement replacement)
      : sets_(sets),
        mask_(std::has_single_bit(sets) ? sets - 1 : 0),
        ways_(ways),
        is_lru_(replacement == Replacement::lru),
        entries_(std::size_t(sets) * ways, none),
        trees_(is_lru_ ? 0 : std::size_t(sets), 0) {}

  struct Found {
    bool hit = false;
    bool first_use = false;  // of a prefetched block
  };
  /// Looks a block up; a write makes it dirty. A miss changes nothing.
  Found use(Block block, bool write) {
    Entry* const set = set_of(block);
    const unsigned way = way_of(set, block);
    if (way == ways_) return {};
    Entry entry = set[way];
    const bool first_use = entry & prefetched_bit;
    entry = (entry & ~prefetched_bit) | (write ? dirty_bit : 0);
    if (is_lru_) {
      for (unsigned i = way; i > 0; --i) set[i] = set[i - 1];
      set[0] = entry;
    } else {
      set[way] = entry;
      point_away(index_of(block), way);
    }
    return {true, first_use};
  }

  struct Victim {
    Block block = 0;
    bool is_dirty = false;  // also false where the set had room
  };
  /// Inserts a block that is not there. Returns the block that it evicts.
  Victim insert(Block block, bool dirty, bool prefetched) {
    Entry* const set = set_of(block);
    const Entry entry = block << 2 | (prefetched ? prefetched_bit : 0) | (dirty ? dirty_bit : 0);
    Entry victim;
    if (is_lru_) {
      victim = set[ways_ - 1];
      for (unsigned i = ways_ - 1; i > 0; --i) set[i] = set[i - 1];
      set[0] = entry;
    } else {
      unsigned way = unsigned(std::find(set, set + ways_, none) - set);
      if (way == ways_) way = way_pointed_at(index_of(block));
      victim = set[way];
      set[way] = entry;
      point_away(index_of(block), way);
    }
    if (victim == none) return {};
    return {victim >> 2, (victim & dirty_bit) != 0};
  }

  /// Whether the block is there; the order of replacement stays.
  bool holds(Block block) const {
    const Entry* const set = &entries_[std::size_t(index_of(block)) * ways_];
    return way_of(set, block) < ways_;
  }
  /// Takes a write-back from the level above: the block becomes dirty if it is there (returned), and the
  /// order of replacement stays.
  bool write_back(Block block) {
    Entry* const set = set_of(block);
    const unsigned way = way_of(set, block);
    if (way == ways_) return false;
    set[way] |= dirty_bit;
    return true;
  }

 private:
  using Entry = std::uint64_t;  // block << 2 | prefetched << 1 | dirty
  static constexpr Entry none = ~Entry(0), dirty_bit = 1, prefetched_bit = 2;

  Entry* set_of(Block block) { return &entries_[std::size_t(index_of(block)) * ways_]; }
  std::uint64_t index_of(Block block) const { return mask_ ? block & mask_ : block % sets_; }
  unsigned way_of(const Entry* set, Block block) const {
    unsigned way = 0;
    while (way < ways_ && set[way] >> 2 != block) ++way;
    return way;
  }
  void point_away(std::uint64_t index, unsigned way) {
    std::uint64_t& tree = trees_[std::size_t(index)];
    for (unsigned node = ways_ + way; node > 1; node /= 2) {
      const std::uint64_t bit = std::uint64_t(1) << (node / 2);
      if (node % 2) tree &= ~bit;  // a right child: point to the left one
      else tree |= bit;
    }
  }
  unsigned way_pointed_at(std::uint64_t index) const {
    const std::uint64_t tree = trees_[std::size_t(index)];
    unsigned node = 1;
    while (node < ways_) node = 2 * node + unsigned(tree >> node & 1);
    return node - ways_;
  }

  std::uint64_t sets_, mask_;  // mask_ 0: sets_ is 1 or no power of two
  unsigned ways_;
  bool is_lru_;
  std::vector<Entry> entries_;        // set after set; lru: most recently used first
  std::vector<std::uint64_t> trees_;  // a set's tree: bit i is node i, the root is 1
};

}  // namespace redbench::cachesim
