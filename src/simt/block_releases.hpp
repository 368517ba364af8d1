// Release and acquire between the blocks of a launch, through global memory. A thread that executes a memory
// fence and then an atomic or a volatile write releases what it had done and knew before the fence. A block
// that later accesses the same address atomically, or reads it as a volatile variable, acquires that.
//
// Example: the last block adds up the partial sums of all.
//
//   thread 0 of block 7 writes partial[7], executes __threadfence     a release is ready: phase 0, thread 0
//   it adds 1 to a counter, atomically                                the counter knows release 0 of block 7
//   thread 0 of block 9 adds 1 to the counter, the last to do so      block 9 knows release 0 of block 7
//   a thread of block 9 reads partial[7], stamped before the fence    ordered after the write
//
// Lenient in one place: what one thread of a block has acquired, all threads of the block know.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "src/simt/block.hpp"

namespace redbench::simt {

/// The stamp of a thread's access: the phase of its block, from 0, and its clock in it (happens_before.hpp).
struct BlockStamp {
  std::uint32_t phase = 0, clock = 0;
  std::uint16_t thread = 0;
};

/// What a thread knows at a fence: all earlier phases of its block, and of this one a clock for each lane of
/// its warp.
struct Release {
  BlockStamp at;
  std::array<std::uint32_t, warp_lanes> known{};

  bool covers(const BlockStamp& done) const;
};

/// How many releases of each block are known, by block.
using KnownReleases = std::unordered_map<std::uint32_t, std::uint32_t>;

/// The releases of one launch. Thread-safe, start_launch apart.
class BlockReleases {
 public:
  void start_launch();

  /// Adds a release of `block`; returns how many the block then has.
  std::uint32_t add(std::uint32_t block, const Release& release);
  /// Whoever acquires `address` later learns what is `known`.
  void publish(const void* address, const KnownReleases& known);
  void acquire(const void* address, KnownReleases& known);
  /// Whether an access of `block` happened before one of the known releases.
  bool covers(const KnownReleases& known, std::uint32_t block, const BlockStamp& done);

 private:
  static void join(KnownReleases& known, const KnownReleases& more);

  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::vector<Release>> of_block_;
  std::unordered_map<const void*, KnownReleases> at_;
};

}  // namespace redbench::simt
