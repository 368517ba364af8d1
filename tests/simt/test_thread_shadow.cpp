// What the race detector keeps of the accesses of a block's threads: which earlier access is reported, and
// that the last accesses alone find a race exactly where a search of all accesses does.
#include "src/simt/thread_shadow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace redbench::simt {
namespace {

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

  static std::string told(const std::optional<ThreadShadow::Earlier>& earlier) {
    constexpr const char* kinds[] = {"read", "wrote", "updated"};
    if (!earlier) return "";
    return "thread " + std::to_string(earlier->thread) + " " + kinds[int(earlier->kind)] + " at clock " +
           std::to_string(earlier->clock) + ", site " +
           std::to_string(static_cast<const char*>(earlier->where) - sites);
  }

  ThreadClocks clocks;
  ThreadShadow shadow;
};

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

struct Done {
  unsigned thread;
  AccessKind kind;  // a relaxed store is an update
  std::uint32_t clock;
  std::size_t begin, end;
  int site;
};

/// Those of another thread with a byte in common that are not ordered before, where not both are reads nor
/// both updates.
std::vector<Done> racing_with(const std::vector<Done>& all, const Done& own, ThreadClocks& clocks) {
  std::vector<Done> found;
  for (const Done& one : all) {
    const bool conflict = one.kind != own.kind || one.kind == AccessKind::write;
    if (one.thread != own.thread && one.begin < own.end && own.begin < one.end && conflict &&
        !clocks.knows(own.thread, one.thread, one.clock))
      found.push_back(one);
  }
  return found;
}

// Five threads of two warps, on 12 bytes; barriers of a warp, named ones and of the block among them.
TEST(ThreadShadow, FindsARaceWhereThereIsOne) {
  std::mt19937 random(9);
  int races = 0, fine = 0;
  for (int round = 0; round < 600; ++round) {
    ThreadClocks clocks;
    clocks.start_block(64);
    ThreadShadow shadow(clocks);
    shadow.start_block();
    std::vector<Done> all;
    constexpr unsigned threads[] = {0, 1, 31, 32, 45};
    for (int step = 0; step < 120; ++step) {
      const unsigned thread = threads[random() % 5], what = unsigned(random() % 100);
      if (what < 10) {
        clocks.join(thread / 32, unsigned(random()) | 1u << thread % 32);
      } else if (what < 20) {
        clocks.release(thread, 1 + int(random() % 2));
      } else if (what < 30) {
        Thread one;
        one.number = thread;
        Thread* const waited[] = {&one};
        clocks.acquire(1 + int(random() % 2), waited);
      } else if (what < 32) {
        clocks.new_phase();
        all.clear();
      } else {
        const auto kind = AccessKind(random() % 3);
        const bool relaxed = kind == AccessKind::write && random() % 2;
        const std::uint32_t bytes = 1u << random() % 4;
        const std::size_t begin = 1022 + random() % (13 - bytes);
        const int site = int(random() % 8);
        const Done own{
            thread, relaxed ? AccessKind::atomic : kind, clocks.clock_of(thread), begin, begin + bytes, site};
        const std::vector<Done> earlier = racing_with(all, own, clocks);
        if (!earlier.empty() && random() % 8) continue;
        const auto told = shadow.enter(thread, {kind, bytes, nullptr, sites + site, true, relaxed}, begin);
        ASSERT_EQ(told.has_value(), !earlier.empty()) << round << ' ' << step;
        if (told) {
          EXPECT_TRUE(std::ranges::any_of(earlier,
                                          [&](const Done& one) {
                                            return one.kind == told->kind && one.thread == told->thread &&
                                                   one.clock == told->clock &&
                                                   sites + one.site == told->where;
                                          }))
              << round << ' ' << step;
          ++races;
          break;
        }
        ++fine;
        all.push_back(own);
      }
    }
  }
  EXPECT_GT(races, 100);
  EXPECT_GT(fine, 5000);
}

}  // namespace
}  // namespace redbench::simt
