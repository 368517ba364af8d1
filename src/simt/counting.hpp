// Counts the accesses, branches, barriers and collectives of a launch's warps.
//
// The threads of a block run one after another, so the steps of a warp are reconstructed. Each thread keeps a
// log. When all lanes of a warp have met, their logs are merged: lanes at one address take a step together;
// where their next addresses differ, each part takes its own steps, the lowest address first, up to the place
// where the parts meet again (meeting_points.hpp). Divergence is that of the source: a compiler for a GPU may
// predicate a short branch.
//
// Example: `if (lane < 2) a(); b();` in a warp of four lanes, where a() and b() make one access each, at the
// addresses 10 and 20 of the program. The logs are 10 20, 10 20, 20 and 20; the parts meet at 20. Lanes 0 and
// 1 go first: at 10, a request of two lanes. Then all lanes are at 20: a request of four.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "src/simt/counters.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

/// Counts of a launch, by place in the program.
struct Counted {
  struct BasicBlock {
    const void* successors[2]{};  // basic blocks that were seen to follow; null: fewer than two
    bool more_successors = false;
    std::uint64_t exits = 0;      // how often a warp left it for another basic block,
    std::uint64_t divergent = 0;  // and for several
    std::uint64_t entered = 0;    // how often a warp entered it
    std::uint64_t work = 0;       // accesses, barriers and collectives of warps in it

    void add_successor(const void* basic_block);
  };
  std::unordered_map<const void*, Counters> at;
  std::unordered_map<const void*, BasicBlock> basic_blocks;
  std::vector<std::pair<TracedAccess, const void*>> trace;  // with the place of each, which has no line yet

  void add(const Counted& other);
  /// With source lines; call it on an OS thread's own stack.
  LaunchCounters by_line(const KernelSource& source) const;
};

/// The counts of all OS threads of a launch.
struct LaunchSum {
  std::mutex mutex;
  Counted counted;
};

/// An observer that counts. `global` is the device's range of addresses; `traced` a warp of this launch, or
/// null. Its destructor adds the counts to `sum`.
std::unique_ptr<Watch> make_counting_watch(const Launch& launch, std::span<const std::byte> global,
                                           const WarpPlace* traced, LaunchSum& sum);

}  // namespace redbench::simt
