// What the blocks of a launch have done to each word of global memory: enough to tell whether one more access
// races with one of another block. Nothing orders blocks but the end of a launch, grid_sync, and what
// block_releases.hpp knows.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "src/simt/block_releases.hpp"
#include "src/simt/code_site.hpp"
#include "src/simt/shadow_pages.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

/// Of one device. Blocks on several OS threads call at a time, start_launch apart.
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
  /// Enters an access. Gives an earlier one of another block that it races with: not ordered before it, and
  /// neither both are reads nor both are atomic or relaxed. Relaxed reads are held against plain writes alone
  /// and not entered.
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
