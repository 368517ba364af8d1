// A machine as the simulator sees it: caches, address translation and the limits of a core. As JSON it is a
// file of configs/devices/caches, one of the user's own, or the result of a probe of this host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/cachesim/cache.hpp"
#include "src/json/json.hpp"

namespace redbench::cachesim {

/// Hardware prefetchers. `next_line` fetches the line after a miss, and after the first use of a prefetched
/// line. `stride` fetches one step ahead for an instruction whose last two steps, in lines, were equal.
/// `streams` fetches the next line of a page whose lines are used in order, for the 32 pages used last, as
/// processors of today do. None crosses into a page that lies elsewhere in memory.
enum class Prefetch : std::uint8_t { none, next_line, stride, streams };
inline constexpr std::array<std::string_view, 4> prefetch_names{"none", "next_line", "stride", "streams"};

struct Level {
  std::string name;
  std::uint64_t bytes = 0;
  unsigned ways = 0;
  double ns = 0;  // of an access that hits here
  Replacement replacement = Replacement::tree_plru;
};

struct TlbLevel {
  std::string name;
  std::uint64_t entries = 0;
  unsigned ways = 0;
  double ns = 0;  // added where the page is found here and not above
};

/// Address translation with pages of one size. A page walk reads the page's entry through the caches, and the
/// directory entry above it unless that is among the `directories` used last; reads of the tables above those
/// are assumed to take no time.
struct Translation {
  std::uint64_t page_bytes = 4096;
  std::vector<TlbLevel> levels;
  double walk_ns = 0;  // of a walk, without its reads
  unsigned directories = 32;
};

/// Limits to the overlap of independent accesses, as the overlapped timing uses them.
struct Core {
  double input_ns = 0;        // per input of a loop over a few buckets
  double forward_ns = 0;      // from an update of a bucket to its next one
  double chain_ns = 0;        // in a dependent loop, from a bucket's value to the next address
  unsigned misses = 1;        // loads in flight that miss the first level
  unsigned store_misses = 1;  // stores in flight that miss it
  unsigned window = 1;        // inputs in flight
  unsigned stores = 1;        // in the store buffer
  unsigned walks = 1;         // concurrent page walks
  double line_ns = 0;         // between two lines from memory: the inverse of one core's bandwidth
};

struct Machine {
  std::string name, title, source;
  std::string published_as;  // its name among published numbers (results/papers/); may be empty
  unsigned line_bytes = 64;
  std::vector<Level> levels;  // from the core outwards
  double memory_ns = 0;
  Prefetch prefetch = Prefetch::next_line;
  bool scattered_frames = false;          // pages lie anywhere in memory, not one after the other
  std::vector<Translation> translations;  // by page size, smallest first; may be empty
  Core core;
  std::vector<std::string> unsure;  // sentences: which of the numbers are doubtful, and why
};

}  // namespace redbench::cachesim

namespace redbench {

/// The names of the files in configs/devices/caches, sorted.
std::vector<std::string> own_machines();

/// `name`: a file of configs/devices/caches, or a path. Throws UsageError: an unknown name with the nearest
/// match, a mistake in a file by file and JSON path.
cachesim::Machine load_machine(const std::string& name);

/// Parses the text of such a file; `place` begins messages.
cachesim::Machine parse_machine(const std::string& name, const std::string& text, const std::string& place);

/// The inverse of parse_machine, but for `published_as`.
Json serialize_machine(const cachesim::Machine& machine);

/// Whether the machine has the core that the overlapped model needs.
bool has_core(const cachesim::Machine& machine);

}  // namespace redbench
