// One set-associative cache of blocks: of lines, or of a TLB's pages. It knows which blocks it holds, which
// of them were written, and which one goes when another comes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace redbench::caches {

using Block = std::uint64_t;  // an address over the size of a line or page; below 2^62

/// `tree_plru` approximates least recently used by a bit for each inner node of a binary tree over the ways,
/// which points away from what was used last; it takes a power of two of them, at most 64.
enum class Replacement : std::uint8_t { lru, tree_plru };
inline constexpr std::array<std::string_view, 2> replacement_names{"lru", "tree_plru"};

class Cache {
 public:
  /// The set of a block is its number modulo `sets`.
  Cache(std::uint64_t sets, unsigned ways, Replacement replacement);

  struct Found {
    bool hit = false;
    bool first_use = false;  // of a block that came before it was asked for
  };
  /// Asks for a block; a write makes it dirty. Where it is not there, nothing changes.
  Found use(Block block, bool write);

  struct Victim {
    Block block = 0;
    bool is_dirty = false;  // false: there is nothing to write
  };
  /// Puts in a block that is not there. Gives what had to go.
  Victim insert(Block block, bool dirty, bool ahead_of_use);

  /// Whether it is there, as `use` without any effect.
  bool holds(Block block) const;
  /// Takes a block written back from above: dirty where it is there. Its turn to go is the same.
  bool take_back(Block block);

 private:
  using Entry = std::uint64_t;  // block << 2 | ahead << 1 | dirty
  static constexpr Entry none = ~Entry(0), dirty_bit = 1, ahead_bit = 2;

  Entry* set_of(Block block) { return &entries_[std::size_t(index_of(block)) * ways_]; }
  std::uint64_t index_of(Block block) const { return mask_ ? block & mask_ : block % sets_; }
  unsigned way_of(const Entry* set, Block block) const;
  void point_away(std::uint64_t index, unsigned way);
  unsigned pointed_at(std::uint64_t index) const;

  std::uint64_t sets_, mask_;  // mask_ 0: sets_ is no power of two, or one
  unsigned ways_;
  bool is_lru_;
  std::vector<Entry> entries_;        // of each set; lru: the last used first
  std::vector<std::uint64_t> trees_;  // of each set, bit i for node i, the root 1
};

}  // namespace redbench::caches
