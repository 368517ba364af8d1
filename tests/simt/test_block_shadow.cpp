// What orders accesses of blocks: their releases, and the shadow of global memory that asks about them.
#include <gtest/gtest.h>

#include "src/simt/block_shadow.hpp"

namespace redbench::simt {
namespace {

/// Thread 33 in phase 2 at clock 5, which knows threads 33 and 34 of its warp up to 5 and 3.
Release release_of_33() {
  Release release{{.phase = 2, .clock = 5, .thread = 33}, {}};
  release.known[1] = 5;
  release.known[2] = 3;
  return release;
}

TEST(Releases, CoverEarlierPhasesAndWhatTheThreadKnewOfItsWarp) {
  std::vector<Release> releases(50);
  releases[0] = release_of_33();
  const auto covers = [&](std::uint32_t phase, std::uint32_t clock, std::uint16_t thread) {
    return releases[0].covers({phase, clock, thread});
  };
  EXPECT_TRUE(covers(1, 99, 7)) << "an earlier phase, whichever thread";
  EXPECT_FALSE(covers(3, 1, 33));
  EXPECT_TRUE(covers(2, 5, 33));
  EXPECT_FALSE(covers(2, 6, 33));
  EXPECT_TRUE(covers(2, 3, 34));
  EXPECT_FALSE(covers(2, 4, 34));
  EXPECT_FALSE(covers(2, 1, 35));
  EXPECT_FALSE(covers(2, 1, 2)) << "of another warp";
  releases[0].of_block.assign(64, 0);
  releases[0].of_block[2] = 1;
  EXPECT_TRUE(covers(2, 1, 2)) << "of which it has heard";
  EXPECT_FALSE(covers(2, 2, 2));
  EXPECT_FALSE(covers(2, 1, 64)) << "past the block";
}

TEST(Releases, AreCountedByBlockAndForgottenWithTheLaunch) {
  BlockReleases releases;
  Release early = release_of_33();
  early.at.phase = 1;
  EXPECT_EQ(releases.add(7, early), 1u);
  EXPECT_EQ(releases.add(7, release_of_33()), 2u);
  EXPECT_EQ(releases.add(8, early), 1u);
  const BlockStamp done{.phase = 2, .clock = 4, .thread = 33};
  EXPECT_TRUE(releases.covers({{7, 2}}, 7, done));
  EXPECT_FALSE(releases.covers({{7, 1}}, 7, done)) << "the first alone is known";
  EXPECT_FALSE(releases.covers({{8, 1}}, 7, done));
  EXPECT_FALSE(releases.covers({}, 7, done));
  const char places[2] = {};
  releases.publish(&places[0], {{7, 1}, {8, 1}});
  releases.publish(&places[0], {{7, 2}});
  KnownReleases known{{8, 4}, {9, 3}};
  releases.acquire(&places[1], known);
  EXPECT_EQ(known, (KnownReleases{{8, 4}, {9, 3}}));
  releases.acquire(&places[0], known);
  EXPECT_EQ(known, (KnownReleases{{7, 2}, {8, 4}, {9, 3}}));
  releases.start_launch();
  EXPECT_EQ(releases.add(7, release_of_33()), 1u);
  KnownReleases nothing;
  releases.acquire(&places[0], nothing);
  EXPECT_TRUE(nothing.empty());
}

/// Accesses of blocks, at addresses that nothing is looked up at. A page of the shadow is 1024 bytes.
class Shadow : public testing::Test {
 protected:
  static constexpr std::uintptr_t border = 1024 * 7000;
  Shadow() { shadow_.start_launch(); }

  /// "a write of thread 3 of block 0" that races; empty where nothing does.
  std::string enter(std::uint32_t block, AccessKind kind, std::uintptr_t address, std::uint32_t bytes = 4) {
    constexpr const char* names[] = {"a read", "a write", "an atomic"};
    const Access access{kind, bytes, reinterpret_cast<const void*>(address), &places_[block]};
    const auto found = shadow_.enter(
        {block, 0, {.phase = 1, .clock = 1, .thread = std::uint16_t(3 + block)}, known_}, access);
    if (!found) return {};
    EXPECT_EQ(found->where, &places_[found->block]);
    return std::string(names[int(found->kind)]) + " of thread " + std::to_string(found->thread) +
           " of block " + std::to_string(found->block);
  }
  std::string read(std::uint32_t block, std::uintptr_t at, std::uint32_t bytes = 4) {
    return enter(block, AccessKind::read, at, bytes);
  }
  std::string write(std::uint32_t block, std::uintptr_t at, std::uint32_t bytes = 4) {
    return enter(block, AccessKind::write, at, bytes);
  }
  std::string atomic(std::uint32_t block, std::uintptr_t at) { return enter(block, AccessKind::atomic, at); }

  static inline const char places_[8] = {};
  BlockShadow shadow_;
  KnownReleases known_;
};

TEST_F(Shadow, AnAccessAcrossPagesIsOfAllItsBytesAndNoMore) {
  EXPECT_EQ(write(0, border - 8, 16), "");
  EXPECT_EQ(write(1, border - 12), "");
  EXPECT_EQ(write(1, border + 8), "");
  for (const int word : {-8, -4, 0, 4})
    EXPECT_EQ(read(1, border + std::uintptr_t(word)), "a write of thread 3 of block 0") << word;
  // Three pages, as of a copied range.
  EXPECT_EQ(write(2, border + 1024 - 4, 1024 + 8), "");
  EXPECT_EQ(read(3, border + 1024 - 8), "");
  EXPECT_EQ(read(3, border + 2048 + 4), "");
  for (const std::uintptr_t at : {1020, 1024, 1536, 2044, 2048})
    EXPECT_EQ(read(3, border + at), "a write of thread 5 of block 2") << at;
}

// The last access may be the writer's own: then the one before it, of another block, is reported.
TEST_F(Shadow, TheLastAccessesOfTwoBlocksAreKept) {
  EXPECT_EQ(read(0, border), "");
  EXPECT_EQ(read(0, border), "");
  EXPECT_EQ(write(0, border), "") << "its own";
  EXPECT_EQ(read(0, border + 4), "");
  EXPECT_EQ(read(1, border + 4), "");
  EXPECT_EQ(read(1, border + 4), "");
  EXPECT_EQ(write(1, border + 4), "a read of thread 3 of block 0");
  EXPECT_EQ(write(2, border + 4), "a read of thread 4 of block 1");
  EXPECT_EQ(atomic(0, border + 8), "");
  EXPECT_EQ(atomic(1, border + 8), "");
  EXPECT_EQ(atomic(2, border + 8), "");
  EXPECT_EQ(read(2, border + 8), "an atomic of thread 4 of block 1");
  EXPECT_EQ(write(0, border + 8), "an atomic of thread 5 of block 2");
}

}  // namespace
}  // namespace redbench::simt
