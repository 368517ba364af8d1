// What blocks of one launch let each other know through global memory: a thread that executes a memory fence
// and then an atomic or a volatile write releases what it had done and knew before the fence; a block that
// accesses the same address atomically or reads it as a volatile variable later acquires that.
//
// Example: the last block adds up what all have left.
//
//   thread 0 of block 7 writes partial[7], executes __threadfence     a release is ready: phase 0, thread 0
//   it adds 1 to a counter, atomically                                the counter knows release 0 of block 7
//   thread 0 of block 9 adds 1 to the counter, the last to do so      block 9 knows release 0 of block 7
//   a thread of block 9 reads partial[7], stamped before the fence    ordered after the write
//
// Lenient in one place: what one thread of a block has acquired, all of it know.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "src/simt/block.hpp"

namespace redbench::simt {

/// When a thread did something: the phase of its block, from 0, and its clock in it (happens_before.hpp).
struct BlockStamp {
  std::uint32_t phase = 0, clock = 0;
  std::uint16_t thread = 0;
};

/// What a thread knows at a fence: all of its block's earlier phases, and of its warp so much of this one.
struct Release {
  BlockStamp at;
  std::array<std::uint32_t, warp_lanes> known{};

  bool covers(const BlockStamp& done) const;
};

/// By block, how many of its releases are known.
using KnownReleases = std::unordered_map<std::uint32_t, std::uint32_t>;

/// Of one launch. Blocks on several OS threads call at a time.
class BlockReleases {
 public:
  void start_launch();

  /// The number of a release of `block`: how many it then has.
  std::uint32_t add(std::uint32_t block, const Release& release);
  /// Who comes to `address` later learns what is `known`.
  void publish(const void* address, const KnownReleases& known);
  void acquire(const void* address, KnownReleases& known);
  /// Whether `known` orders what `block` did before all that comes.
  bool covers(const KnownReleases& known, std::uint32_t block, const BlockStamp& done);

 private:
  static void join(KnownReleases& known, const KnownReleases& more);

  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::vector<Release>> of_block_;
  std::unordered_map<const void*, KnownReleases> at_;
};

}  // namespace redbench::simt
