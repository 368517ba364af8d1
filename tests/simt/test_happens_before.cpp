// What orders accesses, by itself: clocks of a block's threads, releases of blocks, and the shadow of global
// memory that both are asked about.
#include <gmock/gmock.h>

#include "src/simt/block_shadow.hpp"
#include "src/simt/happens_before.hpp"

namespace redbench::simt {
namespace {

using testing::ElementsAreArray;

class Clocks : public testing::Test {
 protected:
  Clocks() { clocks_.start_block(96); }
  /// The named barrier lets the thread go on.
  void acquire(unsigned thread, int id) {
    static Thread one;
    one.number = thread;
    Thread* const waited[] = {&one};
    clocks_.acquire(id, waited);
  }
  /// What a thread knows of its warp: nothing but this, by lane.
  void expect_known(unsigned thread, const std::map<unsigned, std::uint32_t>& known) {
    std::vector<std::uint32_t> expected(warp_lanes, 0);
    for (const auto& [lane, clock] : known) expected[lane] = clock;
    EXPECT_THAT(clocks_.warp_row(thread), ElementsAreArray(expected)) << thread;
  }

  ThreadClocks clocks_;
};

TEST_F(Clocks, BeginAtOneAndKnowNobodyElse) {
  for (const unsigned thread : {0u, 33u, 95u}) {
    EXPECT_EQ(clocks_.clock_of(thread), 1u);
    EXPECT_TRUE(clocks_.knows(thread, thread, 9));
    for (const unsigned other : {1u, 32u, 94u}) EXPECT_FALSE(clocks_.knows(thread, other, 1)) << other;
    expect_known(thread, {{thread % 32, 1}});
  }
}

// In each warp: its threads' rows begin anew.
TEST_F(Clocks, ANewPhaseKnowsNothingOfTheOneBefore) {
  for (const unsigned warp : {0u, 1u, 2u}) clocks_.join(warp, 0b11);
  clocks_.new_phase();
  for (const unsigned first : {0u, 32u, 64u}) {
    expect_known(first, {{0, 1}});
    expect_known(first + 1, {{1, 1}});
  }
}

TEST_F(Clocks, AJoinTellsItsLanesAndNoOthers) {
  clocks_.advance(34);
  clocks_.advance(34);
  clocks_.join(1, 0b0110);  // threads 33, at clock 1, and 34, at clock 3
  expect_known(33, {{1, 2}, {2, 3}});
  expect_known(34, {{1, 1}, {2, 4}});
  expect_known(35, {{3, 1}});
  EXPECT_EQ(clocks_.clock_of(33), 2u);
  EXPECT_EQ(clocks_.clock_of(34), 4u);
  EXPECT_TRUE(clocks_.knows(33, 34, 3));
  EXPECT_FALSE(clocks_.knows(33, 34, 4));
  EXPECT_TRUE(clocks_.knows(34, 33, 1));
  EXPECT_FALSE(clocks_.knows(34, 33, 2));
  EXPECT_FALSE(clocks_.knows(35, 33, 1));
  EXPECT_FALSE(clocks_.knows(1, 33, 1));
  EXPECT_FALSE(clocks_.knows(65, 33, 1));
  clocks_.join(0, 0x80000001);
  expect_known(0, {{0, 2}, {31, 1}});
  expect_known(31, {{0, 1}, {31, 2}});
}

TEST_F(Clocks, ANamedBarrierTellsWhatWasReleasedToIt) {
  clocks_.join(1, 0b0110);
  clocks_.release(33, 5);
  EXPECT_EQ(clocks_.clock_of(33), 3u);
  acquire(64, 5);
  EXPECT_TRUE(clocks_.knows(64, 33, 2));
  EXPECT_FALSE(clocks_.knows(64, 33, 3));
  EXPECT_TRUE(clocks_.knows(64, 34, 1)) << "what 33 knew";
  for (const unsigned nobody : {0u, 31u, 32u, 35u, 65u, 95u})
    for (const unsigned thread : {33u, 64u}) EXPECT_FALSE(clocks_.knows(thread, nobody, 1)) << nobody;
  EXPECT_FALSE(clocks_.knows(33, 64, 1)) << "it is no barrier both ways";
  // A barrier that let its threads go on knows nothing, and others never knew.
  acquire(0, 5);
  acquire(1, 6);
  EXPECT_FALSE(clocks_.knows(0, 33, 1));
  EXPECT_FALSE(clocks_.knows(1, 33, 1));
  // A join passes on what any of its lanes has heard of other warps.
  clocks_.join(2, 0b11);
  EXPECT_TRUE(clocks_.knows(65, 33, 2));
  EXPECT_TRUE(clocks_.knows(65, 34, 1));
  EXPECT_FALSE(clocks_.knows(65, 0, 1));
}

// A row lies behind that of the thread before: what thread 1 knows of thread 0 is not told for thread 0 by
// the barrier, nor is it thread 9's for thread 8 was told.
TEST_F(Clocks, ARowEndsWhereTheNextBegins) {
  clocks_.join(0, 0b11);
  expect_known(9, {{9, 1}});
  expect_known(95, {{31, 1}});
  clocks_.release(0, 5);
  acquire(8, 5);
  EXPECT_TRUE(clocks_.knows(8, 0, 2));
  EXPECT_TRUE(clocks_.knows(8, 1, 1));
  expect_known(9, {{9, 1}});
  EXPECT_FALSE(clocks_.knows(9, 0, 1));
  expect_known(8, {{0, 2}, {1, 1}, {8, 1}});
  expect_known(95, {{31, 1}});
}

// Of the first thread of the block and of the last, too.
TEST_F(Clocks, AJoinPassesOnWhatItsLanesKnowOfAllWarps) {
  clocks_.advance(95);
  clocks_.release(0, 5);
  clocks_.release(95, 5);
  acquire(33, 5);
  expect_known(35, {{3, 1}});
  clocks_.join(1, 0b0110);
  for (const unsigned thread : {33u, 34u}) {
    EXPECT_TRUE(clocks_.knows(thread, 0, 1)) << thread;
    EXPECT_FALSE(clocks_.knows(thread, 0, 2)) << thread;
    EXPECT_TRUE(clocks_.knows(thread, 95, 2)) << thread;
    EXPECT_FALSE(clocks_.knows(thread, 95, 3)) << thread;
    for (const unsigned nobody : {1u, 31u, 32u, 35u, 63u, 64u, 94u})
      EXPECT_FALSE(clocks_.knows(thread, nobody, 1)) << thread << ' ' << nobody;
  }
  expect_known(33, {{1, 2}, {2, 1}});
  expect_known(34, {{1, 1}, {2, 2}});
  for (const unsigned other : {0u, 32u, 35u, 36u, 95u})
    EXPECT_FALSE(clocks_.knows(other, 33, 1)) << other << " took no part";
  expect_known(35, {{3, 1}});
}

TEST_F(Clocks, ANewPhaseBeginsAnew) {
  const std::uint32_t before = clocks_.phase();
  clocks_.release(33, 5);
  acquire(64, 5);
  clocks_.release(64, 7);
  ASSERT_TRUE(clocks_.knows(64, 33, 1));
  clocks_.new_phase();
  EXPECT_EQ(clocks_.phase(), before + 1);
  EXPECT_FALSE(clocks_.knows(64, 33, 1));
  EXPECT_EQ(clocks_.clock_of(33), 1u);
  expect_known(64, {{0, 1}});
  acquire(0, 7);
  EXPECT_FALSE(clocks_.knows(0, 64, 1)) << "it was released in an earlier phase";
  // What a row held of other warps is not passed on.
  clocks_.release(64, 8);
  acquire(90, 8);
  EXPECT_TRUE(clocks_.knows(90, 64, 1));
  EXPECT_FALSE(clocks_.knows(90, 33, 1));
  clocks_.start_block(40);
  EXPECT_EQ(clocks_.phase(), before + 2);
  EXPECT_EQ(clocks_.clock_of(39), 1u);
  EXPECT_FALSE(clocks_.knows(39, 33, 1));
}

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
  std::string enter(std::uint32_t block, AccessKind kind, std::uintptr_t address, std::uint32_t bytes = 4,
                    bool relaxed = false) {
    constexpr const char* names[] = {"a read", "a write", "an atomic"};
    const Access access{kind, bytes, reinterpret_cast<const void*>(address), &places_[block], true, relaxed};
    const auto found = shadow_.enter(
        {block, phase_, {.phase = 1, .clock = 1, .thread = std::uint16_t(3 + block)}, known_}, access);
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
  std::uint32_t phase_ = 0;
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

// The last access may be the writer's own: then the one before it, of another block, is told.
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

TEST_F(Shadow, NeitherTwoReadsNorTwoAtomicsRace) {
  EXPECT_EQ(read(0, border), "");
  EXPECT_EQ(read(1, border), "");
  EXPECT_EQ(atomic(2, border), "a read of thread 4 of block 1");
  EXPECT_EQ(enter(0, AccessKind::write, border + 4, 4, true), "");
  EXPECT_EQ(enter(1, AccessKind::write, border + 4, 4, true), "");
  EXPECT_EQ(enter(2, AccessKind::read, border + 4, 4, true), "");
  EXPECT_EQ(atomic(3, border + 4), "");
  EXPECT_EQ(read(2, border + 4), "an atomic of thread 6 of block 3");
  EXPECT_EQ(write(0, border + 8), "");
  EXPECT_EQ(enter(1, AccessKind::read, border + 8, 4, true), "a write of thread 3 of block 0");
}

TEST_F(Shadow, LaunchesGridPhasesAndReleasesOrderBlocks) {
  EXPECT_EQ(write(0, border), "");
  shadow_.start_launch();
  EXPECT_EQ(write(1, border), "");
  phase_ = 1;
  EXPECT_EQ(write(2, border), "");
  EXPECT_EQ(write(3, border), "a write of thread 5 of block 2");
  Release release{{.phase = 1, .clock = 1, .thread = 5}, {}};
  release.known[5] = 1;
  known_[2] = shadow_.releases().add(2, release);
  EXPECT_EQ(write(3, border), "");
}

}  // namespace
}  // namespace redbench::simt
