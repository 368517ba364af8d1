// What the race detector keeps of the accesses of a block's threads: which earlier access is told.
#include "src/simt/thread_shadow.hpp"

#include <gtest/gtest.h>

namespace redbench {
namespace {

using simt::AccessKind;

// Places of code, one for each access.
const char sites[8] = {};

/// A block of 96 threads, which nothing orders so far.
struct Block {
  explicit Block(std::uint32_t most_shared_words = ~0u) : shadow(clocks, most_shared_words) {
    clocks.start_block(96);
    shadow.start_block();
  }

  /// "thread 40 read at clock 1, site 2": the earlier access that this one races with; empty where none.
  std::string enter(unsigned thread, AccessKind kind, std::size_t place, int site = 0,
                    std::uint32_t bytes = 4, bool relaxed = false) {
    return told(shadow.enter(thread, {kind, bytes, nullptr, sites + site, true, relaxed}, place));
  }
  std::string read(unsigned thread, std::size_t place, int site = 0) {
    return enter(thread, AccessKind::read, place, site);
  }
  std::string write(unsigned thread, std::size_t place, int site = 0) {
    return enter(thread, AccessKind::write, place, site);
  }

  static std::string told(const std::optional<simt::ThreadShadow::Earlier>& earlier) {
    constexpr const char* kinds[] = {"read", "wrote", "updated"};
    if (!earlier) return "";
    return "thread " + std::to_string(earlier->thread) + " " + kinds[int(earlier->kind)] + " at clock " +
           std::to_string(earlier->clock) + ", site " +
           std::to_string(static_cast<const char*>(earlier->where) - sites);
  }

  simt::ThreadClocks clocks;
  simt::ThreadShadow shadow;
};

TEST(ThreadShadow, WhichTwoAccessesRace) {
  struct Kind {
    AccessKind kind;
    bool relaxed;
    const char* did;
  };
  constexpr Kind kinds[] = {{AccessKind::read, false, "read"},
                            {AccessKind::write, false, "wrote"},
                            {AccessKind::atomic, false, "updated"},
                            {AccessKind::write, true, "updated"}};
  // By the earlier one and the later one, in the order of `kinds`.
  constexpr bool race[4][4] = {{false, true, true, true},
                               {true, true, true, true},
                               {true, true, false, false},
                               {true, true, false, false}};
  for (int first = 0; first < 4; ++first)
    for (int second = 0; second < 4; ++second) {
      Block block;
      EXPECT_EQ(block.enter(70, kinds[first].kind, 16, 1, 4, kinds[first].relaxed), "");
      EXPECT_EQ(block.enter(70, kinds[second].kind, 16, 2, 4, kinds[second].relaxed), "") << "its own";
      Block other;
      other.enter(70, kinds[first].kind, 16, 1, 4, kinds[first].relaxed);
      EXPECT_EQ(
          other.enter(3, kinds[second].kind, 16, 2, 4, kinds[second].relaxed),
          race[first][second] ? std::string("thread 70 ") + kinds[first].did + " at clock 1, site 1" : "")
          << first << ", then " << second;
      EXPECT_EQ(other.enter(3, AccessKind::write, 20), "") << "the next word";
    }
}

// In warps 1 and 2; each has been at a line of its own.
TEST(ThreadShadow, OfManyReadersTheLowestThatIsNotOrderedIsTold) {
  Block block;
  EXPECT_EQ(block.read(41, 8, 1), "");
  EXPECT_EQ(block.read(70, 8, 2), "");
  EXPECT_EQ(block.read(40, 8, 3), "");
  EXPECT_EQ(block.write(0, 8), "thread 40 read at clock 1, site 3");
  block.clocks.join(1, 0x00000103);  // threads 32, 33 and 40
  EXPECT_EQ(block.write(33, 8), "thread 41 read at clock 1, site 1");
  EXPECT_EQ(block.read(40, 8, 4), "");
  EXPECT_EQ(block.write(33, 8), "thread 40 read at clock 2, site 4") << "its last read counts";
  block.clocks.join(1, ~0u);
  EXPECT_EQ(block.write(33, 8), "thread 70 read at clock 1, site 2");
  EXPECT_EQ(block.enter(33, AccessKind::atomic, 8), "thread 70 read at clock 1, site 2");
  block.clocks.new_phase();
  EXPECT_EQ(block.write(33, 8), "");
}

TEST(ThreadShadow, OfTwoReadersBothAreKept) {
  Block block;
  block.read(40, 8, 1);
  block.read(41, 8, 2);
  EXPECT_EQ(block.write(41, 8), "thread 40 read at clock 1, site 1");
  EXPECT_EQ(block.write(40, 8), "thread 41 read at clock 1, site 2");
}

// Those of warp 0, thread 0 among them, are ordered before the write.
TEST(ThreadShadow, ReadersBehindThoseThatAreOrderedAreLookedAt) {
  Block block;
  for (const unsigned reader : {0u, 1u, 2u, 35u}) block.read(reader, 8, int(reader % 8));
  block.clocks.join(0, 0b0011);
  EXPECT_EQ(block.write(1, 8), "thread 2 read at clock 1, site 2");
  block.clocks.join(0, 0b0111);
  EXPECT_EQ(block.write(1, 8), "thread 35 read at clock 1, site 3");
}

// The room that it took is used again, for other threads.
TEST(ThreadShadow, WhoHasReadInAnEarlierPhaseIsForgotten) {
  Block block;
  for (const unsigned reader : {0u, 1u, 32u}) block.read(reader, 8, 1);
  block.clocks.new_phase();
  for (const unsigned reader : {33u, 34u}) EXPECT_EQ(block.read(reader, 8, 2), "");
  EXPECT_EQ(block.write(40, 8), "thread 33 read at clock 1, site 2");
  block.clocks.new_phase();
  for (const unsigned reader : {64u, 2u}) EXPECT_EQ(block.read(reader, 12, 3), "");
  EXPECT_EQ(block.write(40, 12), "thread 2 read at clock 1, site 3");
}

TEST(ThreadShadow, OfMoreWordsThanAreKeptTheLastReaderIsTold) {
  Block block(1);
  for (int phase = 0; phase < 2; ++phase) {
    for (const unsigned reader : {40u, 41u}) block.read(reader, 0, 1);
    for (const unsigned reader : {42u, 43u, 44u}) block.read(reader, 4, 2);
    EXPECT_EQ(block.write(0, 0), "thread 40 read at clock 1, site 1") << phase;
    EXPECT_EQ(block.write(0, 4), "thread 44 read at clock 1, site 2") << phase;
    block.clocks.new_phase();
  }
}

// What the whole word's readers were is known of each of its bytes.
TEST(ThreadShadow, BytesOfAWordAreTheirOwn) {
  Block block;
  block.read(40, 8, 1);
  block.read(41, 8, 1);
  EXPECT_EQ(block.enter(41, AccessKind::write, 10, 2, 1), "thread 40 read at clock 1, site 1");
  block.clocks.new_phase();
  EXPECT_EQ(block.enter(5, AccessKind::write, 9, 3, 1), "");
  EXPECT_EQ(block.enter(6, AccessKind::write, 10, 4, 2), "");
  EXPECT_EQ(block.enter(7, AccessKind::read, 8, 5, 1), "");
  EXPECT_EQ(block.read(7, 8), "thread 5 wrote at clock 1, site 3");
  EXPECT_EQ(block.enter(7, AccessKind::read, 11, 5, 1), "thread 6 wrote at clock 1, site 4");
}

// It is asked alone, of reads that wait for another's word.
TEST(ThreadShadow, AWriterBeforeIsTheLastPlainOne) {
  Block block;
  const auto before = [&](unsigned thread) {
    return Block::told(
        block.shadow.writer_before(thread, {AccessKind::read, 4, nullptr, sites, true, true}, 8));
  };
  EXPECT_EQ(before(3), "");
  block.read(70, 8, 1);
  block.enter(70, AccessKind::atomic, 8, 2);
  EXPECT_EQ(before(3), "");
  block.write(70, 8, 3);
  EXPECT_EQ(before(3), "thread 70 wrote at clock 1, site 3");
  EXPECT_EQ(before(70), "");
  block.clocks.new_phase();
  EXPECT_EQ(before(3), "");
}

}  // namespace
}  // namespace redbench
