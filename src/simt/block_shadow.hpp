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
// Several GPUs share addresses and this shadow, too. Launches of one follow each other, those of two are ordered by
// nothing but releases of system scope: a fence of that scope, then an atomic of it, a volatile write or a relaxed
// store. Atomics of two GPUs on one word race unless both are of system scope.
//
// Lenient in two places: what one thread of a block has acquired, all threads of the block know; and of whoever
// acquires no scope is asked.
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

/// The stamp of a thread's access: the phase of its block, from 0, and its clock in it (happens_before.hpp). Of several
/// GPUs: which, its launch since all of them met, and how often the launch's grid has met; else all 0.
struct BlockStamp {
  std::uint32_t phase = 0, clock = 0;
  std::uint32_t thread : 10 = 0, gpu : 3 = 0, launch : 9 = 0, grid : 9 = 0;
  std::uint32_t in_system : 1 = 0;  // the access is of system scope
};
inline constexpr std::uint32_t most_counted =
    511;  // launches, and meetings of a grid; later ones count as this one

/// What a thread knows at a fence: all earlier phases of its block, and of this one a clock for each lane of
/// its warp, and for each thread of the block if it has heard of other warps.
struct Release {
  BlockStamp at;
  std::array<std::uint32_t, warp_lanes> known{};
  std::vector<std::uint32_t> of_block;

  bool covers(const BlockStamp& done) const;
};

/// A block by its number, launch and GPU.
using BlockName = std::uint64_t;
inline BlockName name_of(std::uint32_t block, const BlockStamp& stamp) {
  return BlockName(stamp.gpu) << 48 | BlockName(stamp.launch) << 32 | block;
}

inline unsigned gpu_of(BlockName block) { return unsigned(block >> 48); }

/// How many releases of each block are known.
using KnownReleases = std::unordered_map<BlockName, std::uint32_t>;

/// The releases of one launch, or of several GPUs since they met. Thread-safe, start_launch() apart.
class BlockReleases {
 public:
  void start_launch();

  /// Adds a release of `block`; returns how many the block then has.
  std::uint32_t add(BlockName block, const Release& release);
  /// Whoever acquires `address` later on this GPU, or, `in_system`, on any, learns what is `known`.
  void publish(const void* address, const KnownReleases& known, unsigned gpu = 0, bool in_system = false);
  void acquire(const void* address, KnownReleases& known, unsigned gpu = 0);
  /// Whether an access of `block` happened before one of the known releases.
  bool covers(const KnownReleases& known, std::uint32_t block, const BlockStamp& done);

  /// What blocks of a GPU know as they end, those of its next launch know as they begin.
  void start_launch(unsigned gpu);
  void hand_on(unsigned gpu, const KnownReleases& known);
  KnownReleases handed_on(unsigned gpu);

 private:
  static constexpr unsigned most_gpus = 8, any_gpu = most_gpus;
  static std::uintptr_t place(const void* address, unsigned gpu) {
    return reinterpret_cast<std::uintptr_t>(address) << 4 | gpu;
  }
  static void join(KnownReleases& known, const KnownReleases& more);

  std::mutex mutex_;
  std::unordered_map<BlockName, std::vector<Release>> of_block_;
  std::unordered_map<std::uintptr_t, KnownReleases> at_;
  std::array<KnownReleases, most_gpus> ended_, before_;  // by GPU: blocks of this launch, of all before it
  bool of_several_ = false;                              // GPUs
};

/// The shadow of a device's global memory, or of that of several GPUs. Thread-safe, start_launch() apart.
class BlockShadow {
 public:
  /// A launch, or what several GPUs do after they have met: it is ordered after all that was.
  void start_launch();
  /// The next launch of one of several GPUs; returns how many it had since they met. Those of others go on.
  std::uint32_t start_launch(unsigned gpu);

  /// Who accesses, and what its block knows.
  struct Accessor {
    std::uint32_t block;
    std::uint32_t grid_phase;  // how often the launch's grid has met; of several GPUs 0, as the stamp says it
    BlockStamp stamp;
    const KnownReleases& known;
  };
  struct Earlier {
    AccessKind kind;
    std::uint32_t block;
    unsigned thread;
    const void* where;
    unsigned gpu = 0;
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
      if (last.block != stamp.block || name_of(last.block, last.of) != name_of(stamp.block, stamp.of))
        other = last;
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
  std::optional<Earlier> racing_atomic(const Stamp& earlier, const Accessor& own);

  std::uint32_t launch_ = 0;
  std::array<std::uint32_t, 8> launches_{};  // by GPU, since they met
  std::array<Shard, shards> shards_;         // by page, in turn
  BlockReleases releases_;
};

}  // namespace redbench::simt
