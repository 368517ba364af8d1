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

// A request is one instruction of a warp that accesses memory; its lanes are those that take part. "Ideal" is
// what the same bytes, packed, would need. A cache line is 128 bytes of memory. The degree of an atomic is
// the most lanes of a request that share an address, summed over requests.
#define REDBENCH_GLOBAL_COUNTERS(COUNTER, access) \
  COUNTER(global_##access##_requests)             \
  COUNTER(global_##access##_lanes)                \
  COUNTER(global_##access##_sectors)              \
  COUNTER(global_##access##_sectors_ideal)        \
  COUNTER(global_##access##_cache_lines)
#define REDBENCH_SHARED_COUNTERS(COUNTER, access) \
  COUNTER(shared_##access##_requests)             \
  COUNTER(shared_##access##_lanes)                \
  COUNTER(shared_##access##_wavefronts)           \
  COUNTER(shared_##access##_conflicts)
// Basic blocks are counted as warps execute them, with the lanes that are active. A branch is the end of a
// basic block that more than one block was seen to follow. After a divergent branch the warp's lanes part; of
// these the predicable ones are around a few accesses, which nvcc may predicate. Barriers and exchanges
// (shuffles, votes, matches and warp reductions) are counted for each warp.
#define REDBENCH_COUNTERS(COUNTER)          \
  REDBENCH_GLOBAL_COUNTERS(COUNTER, load)   \
  REDBENCH_GLOBAL_COUNTERS(COUNTER, store)  \
  REDBENCH_GLOBAL_COUNTERS(COUNTER, atomic) \
  COUNTER(global_atomic_degree)             \
  REDBENCH_SHARED_COUNTERS(COUNTER, load)   \
  REDBENCH_SHARED_COUNTERS(COUNTER, store)  \
  REDBENCH_SHARED_COUNTERS(COUNTER, atomic) \
  COUNTER(shared_atomic_degree)             \
  COUNTER(warp_basic_blocks)                \
  COUNTER(warp_basic_block_lanes)           \
  COUNTER(branches)                         \
  COUNTER(divergent_branches)               \
  COUNTER(predicable_divergent_branches)    \
  COUNTER(block_barriers)                   \
  COUNTER(named_barriers)                   \
  COUNTER(warp_barriers)                    \
  COUNTER(warp_exchanges)

#define REDBENCH_COUNTER(name) name,
enum class Counter : std::uint8_t { REDBENCH_COUNTERS(REDBENCH_COUNTER) };
#undef REDBENCH_COUNTER
inline constexpr std::size_t counter_count = std::size_t(Counter::warp_exchanges) + 1;
#define REDBENCH_COUNTER(name) #name,
inline constexpr std::array<std::string_view, counter_count> counter_names{
    REDBENCH_COUNTERS(REDBENCH_COUNTER)};
#undef REDBENCH_COUNTER

struct Counters {
  std::array<std::uint64_t, counter_count> values{};

  std::uint64_t& operator[](Counter counter) { return values[std::size_t(counter)]; }
  std::uint64_t operator[](Counter counter) const { return values[std::size_t(counter)]; }
  Counters& operator+=(const Counters& other) {
    for (std::size_t i = 0; i < counter_count; ++i) values[i] += other.values[i];
    return *this;
  }
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
