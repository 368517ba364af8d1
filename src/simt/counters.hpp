// What a device counts while kernels run, by launch and by source line. The modelled device counts exactly;
// Nsight Compute's counters of the same meaning are named in docs/simt.md.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace redbench {

/// A request is one instruction of a warp that accesses memory; its lanes are those that take part. "Ideal"
/// is what the same bytes, packed, would need. A cache line is 128 bytes of memory.
enum class Counter : std::uint8_t {
  global_load_requests,
  global_load_lanes,
  global_load_sectors,
  global_load_sectors_ideal,
  global_load_cache_lines,
  global_store_requests,
  global_store_lanes,
  global_store_sectors,
  global_store_sectors_ideal,
  global_store_cache_lines,
  global_atomic_requests,
  global_atomic_lanes,
  global_atomic_sectors,
  global_atomic_sectors_ideal,
  global_atomic_cache_lines,
  global_atomic_degree,  // the most lanes of a request that share an address, summed over requests
  shared_load_requests,
  shared_load_lanes,
  shared_load_wavefronts,
  shared_load_conflicts,
  shared_store_requests,
  shared_store_lanes,
  shared_store_wavefronts,
  shared_store_conflicts,
  shared_atomic_requests,
  shared_atomic_lanes,
  shared_atomic_wavefronts,
  shared_atomic_conflicts,
  shared_atomic_degree,
  warp_basic_blocks,       // that warps execute,
  warp_basic_block_lanes,  // and the lanes that are active in them
  branches,                // executed at the end of basic blocks after which more than one was seen to follow
  divergent_branches,      // those after which the warp's lanes part,
  predicable_divergent_branches,  // and those of them around a few accesses, which nvcc may predicate
  block_barriers,
  named_barriers,
  warp_barriers,   // per warp
  warp_exchanges,  // shuffles, votes, matches and warp reductions, per warp
};
inline constexpr std::size_t counter_count = std::size_t(Counter::warp_exchanges) + 1;
extern const std::array<std::string_view, counter_count> counter_names;

struct Counters {
  std::array<std::uint64_t, counter_count> values{};

  std::uint64_t& operator[](Counter counter) { return values[std::size_t(counter)]; }
  std::uint64_t operator[](Counter counter) const { return values[std::size_t(counter)]; }
  Counters& operator+=(const Counters& other);
};

/// Counters of one line of a kernel's source. Line 0: no line is known.
struct LineCounters {
  std::string file;
  int line = 0;
  Counters counters;
};

/// Accesses that a trace holds, the first of its warp: a record is one line of text.
inline constexpr std::size_t most_traced = std::size_t(1) << 16;

/// One access of global memory by the traced warp.
struct TracedAccess {
  std::string_view kind;  // "load", "store" or "atomic"
  unsigned lanes = 0;     // that took part
  unsigned cache_lines = 0;
  std::string file;  // of the source
  int line = 0;      // 0: no line is known
};

struct LaunchCounters {
  std::string kernel;
  Counters total;
  std::vector<LineCounters> lines;  // by file and line
  std::vector<TracedAccess> trace;  // in the warp's order; empty unless the warp is of this launch
};

/// One warp of the launches of a case, each number from 0.
struct WarpPlace {
  std::int64_t launch = 0, block = 0;
  std::int64_t warp = 0;  // in its block
};

/// Counts what kernels do.
class Profiler {
 public:
  virtual ~Profiler() = default;
  /// Counters of each launch of `work`, in order, and the accesses of one warp. Throws DeviceError as the
  /// launches do.
  virtual std::vector<LaunchCounters> count(const std::optional<WarpPlace>& traced,
                                            const std::function<void()>& work) = 0;
};

}  // namespace redbench
