// Race detection between the blocks of a launch, in global memory. Nothing orders blocks but the end of a
// launch, grid_sync, and releases.
//
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

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "src/simt/shadow_pages.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

/// The stamp of a thread's access: the phase of its block, from 0, and its clock in it (happens_before.hpp).
struct BlockStamp {
  std::uint32_t phase = 0, clock = 0;
  std::uint16_t thread = 0;
};

/// What a thread knows at a fence: all earlier phases of its block, and of this one a clock for each lane of
/// its warp, and for each thread of the block if it has heard of other warps.
struct Release {
  BlockStamp at;
  std::array<std::uint32_t, warp_lanes> known{};
  std::vector<std::uint32_t> of_block;

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

/// The shadow of a device's global memory. Thread-safe, start_launch apart.
class BlockShadow {
 public:
  void start_launch();

  /// Who accesses, and what its block knows.
  struct Accessor {
    std::uint32_t block;
    std::uint32_t grid_phase;  // how often the launch's grid has met
    BlockStamp stamp;
    const KnownReleases& known;
  };
  struct Earlier {
    AccessKind kind;
    std::uint32_t block;
    unsigned thread;
    const void* where;
  };
  /// Enters an access, and returns an earlier one of another block that it races with, if any: not ordered
  /// before it, and not both reads nor both atomic or relaxed. Relaxed reads are compared with plain writes
  /// alone, and not entered.
  std::optional<Earlier> enter(const Accessor& own, const Access& access);

  BlockReleases& releases() { return releases_; }

 private:
  struct Stamp {
    std::uint32_t block = none;
    BlockStamp of;
    CodeSite site;
    static constexpr std::uint32_t none = ~0u;
  };
  /// The last access of a block, and the last before it of another.
  struct Stamps {
    Stamp last, other;
    void add(const Stamp& stamp) {
      if (last.block != stamp.block) other = last;
      last = stamp;
    }
  };
  struct ShadowWord {
    std::uint64_t era = 0;  // launch and grid phase of what is kept
    bool in_bytes = false;
    Stamp write;
    Stamps reads, atomics;
  };
  using Words = ShadowPages<ShadowWord>;
  struct Shard {
    std::mutex mutex;
    Words words;
  };
  static constexpr std::size_t shards = 64;

  std::optional<Earlier> enter(ShadowWord& word, const Accessor& own, const Access& access,
                               const Stamp& stamp);
  std::optional<Earlier> racing(const Stamp& earlier, AccessKind kind, const Accessor& own);
  std::optional<Earlier> racing(const Stamps& earlier, AccessKind kind, const Accessor& own);

  std::uint32_t launch_ = 0;
  std::array<Shard, shards> shards_;  // by page, in turn
  BlockReleases releases_;
};

}  // namespace redbench::simt
