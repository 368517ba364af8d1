// Race detection between the blocks of a launch, in global memory. Nothing orders blocks but the end of a
// launch, grid_sync, and releases (block_releases.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "src/simt/block_releases.hpp"
#include "src/simt/shadow_pages.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

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
  struct Shard {
    std::mutex mutex;
    ShadowPages<ShadowWord> words;
  };
  static constexpr std::size_t shards = 64;

  std::optional<Earlier> enter(Shard& shard, const Accessor& own, const Access& access);
  std::optional<Earlier> enter(ShadowWord& word, const Accessor& own, const Access& access,
                               const Stamp& stamp);
  std::optional<Earlier> racing(const Stamp& earlier, AccessKind kind, const Accessor& own);
  std::optional<Earlier> racing(const Stamps& earlier, AccessKind kind, const Accessor& own);

  std::uint32_t launch_ = 0;
  std::array<Shard, shards> shards_;  // by page, in turn
  BlockReleases releases_;
};

}  // namespace redbench::simt
