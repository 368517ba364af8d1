// What a machine's memory is made of, as the simulator knows it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/caches/cache.hpp"

namespace redbench::caches {

/// What is fetched before it is asked for. `next_line`: the line after one that was missing, or was used for
/// the first time after it came this way. `stride`: what comes next at the place in the program whose last
/// two steps, in lines, were the same. `streams`: the next line of a page whose lines are used in order, of
/// the 32 pages used last, as today's processors do. None fetches across a page whose neighbour lies
/// elsewhere.
enum class Prefetch : std::uint8_t { none, next_line, stride, streams };
inline constexpr std::array<std::string_view, 4> prefetch_names{"none", "next_line", "stride", "streams"};

struct Level {
  std::string name;
  std::uint64_t bytes = 0;
  unsigned ways = 0;
  double ns = 0;  // of an access that finds its line here
  Replacement replacement = Replacement::tree_plru;
};

struct TlbLevel {
  std::string name;
  std::uint64_t entries = 0;
  unsigned ways = 0;
  double ns = 0;  // more, for an access that finds its page here and not above
};

/// Address translation with pages of one size. A walk reads the page's entry through the caches, and the
/// entry of the directory above it unless that is among the last `directories` ones; the tables above are
/// taken to be at hand.
struct Translation {
  std::uint64_t page_bytes = 4096;
  std::vector<TlbLevel> levels;
  double walk_ns = 0;  // of a walk, besides what it reads
  unsigned directories = 32;
};

/// What keeps independent accesses from overlapping without end.
struct Core {
  double input_ns = 0;        // of a loop over a few buckets, for each input
  double forward_ns = 0;      // from an update of a bucket to the next one of the same
  double chain_ns = 0;        // of a dependent loop: from a bucket's value to the next one's address
  unsigned misses = 1;        // lines under way beyond the first level, of loads
  unsigned store_misses = 1;  // of stores
  unsigned window = 1;        // inputs begun before the oldest has ended
  unsigned stores = 1;        // not yet in the first level
  unsigned walks = 1;         // at a time
  double line_ns = 0;         // between two lines from memory: the inverse of one core's bandwidth
};

struct Machine {
  std::string name, title, source;
  unsigned line_bytes = 64;
  std::vector<Level> levels;  // from the core outwards
  double memory_ns = 0;
  Prefetch prefetch = Prefetch::next_line;
  bool scattered_frames = false;          // pages lie anywhere in memory, else one after the other
  std::vector<Translation> translations;  // by page size, smallest first; may be empty
  Core core;
  std::vector<std::string> unsure;  // sentences: what may be otherwise
};

}  // namespace redbench::caches
