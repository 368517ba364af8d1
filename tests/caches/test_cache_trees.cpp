// Which block goes of a set of many ways, one after the other, and what a loop over few inputs touches.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "src/caches/loop.hpp"

namespace redbench::caches {
namespace {

/// The blocks that go as blocks `first`, `first` + 1, ... come, one for each `0` of `steps`; any other step
/// is a use of that block.
std::vector<Block> gone(Cache& cache, Block first, const std::vector<Block>& steps) {
  std::vector<Block> all;
  for (const Block step : steps) {
    if (step == 0) all.push_back(cache.insert(first++, false, false).block);
    else EXPECT_TRUE(cache.use(step, false).hit) << step;
  }
  return all;
}

// Blocks 1 to 8 lie in ways 0 to 7, and each half points away from its last one: the root to the left, that
// to ways 0 and 1, these to way 0. Each that comes turns the nodes above it the other way.
TEST(CacheTrees, EightWaysGoByTheNodesAboveThem) {
  Cache cache(1, 8, Replacement::tree_plru);
  EXPECT_EQ(gone(cache, 1, {0, 0, 0, 0, 0, 0, 0, 0}), std::vector<Block>(8, 0)) << "there was room";
  EXPECT_EQ(gone(cache, 9, {0, 0, 0, 0}), (std::vector<Block>{1, 5, 3, 7})) << "ways 0, 4, 2, 6";
  // Block 2, in way 1, points its pair to way 0, its half to ways 2 and 3, and the root to the right.
  EXPECT_EQ(gone(cache, 13, {2, 0, 0}), (std::vector<Block>{6, 4})) << "ways 5, 3";
  EXPECT_EQ(gone(cache, 15, {13, 0, 0, 0}), (std::vector<Block>{9, 8, 11})) << "ways 0, 7, 2";
}

// The order of use, the last first, is 2 4 3 1 behind the fourth, and 3 2 4 1 behind the use of 3.
TEST(CacheTrees, OfFourWaysTheLeastRecentlyUsedGoes) {
  Cache cache(1, 4, Replacement::lru);
  EXPECT_EQ(gone(cache, 1, {0, 0, 0, 0, 2, 3}), std::vector<Block>(4, 0));
  EXPECT_EQ(gone(cache, 5, {0, 2, 0, 0, 0, 0}), (std::vector<Block>{1, 4, 3, 5, 2}));
}

// Two ways are a root alone, and one way has none.
TEST(CacheTrees, TheSmallestTreesAreTheOrderOfUse) {
  Cache two(1, 2, Replacement::tree_plru), one(1, 1, Replacement::tree_plru);
  EXPECT_EQ(gone(two, 1, {0, 0, 1, 0, 0}), (std::vector<Block>{0, 0, 2, 1}));
  EXPECT_EQ(gone(one, 1, {0, 0, 2, 0}), (std::vector<Block>{0, 1, 2}));
}

// Sets of any number, each with a tree of its own: as many blocks in a row as there is room for find some,
// and those that follow take their places in the same order.
TEST(CacheTrees, BlocksInARowFillAllSets) {
  for (const Replacement replacement : {Replacement::lru, Replacement::tree_plru})
    for (std::uint64_t sets = 1; sets <= 9; ++sets) {
      Cache cache(sets, 2, replacement);
      for (Block block = 1; block <= 2 * sets; ++block)
        EXPECT_EQ(cache.insert(block, true, false).is_dirty, false) << block << " of " << sets;
      for (Block block = 2 * sets + 1; block <= 4 * sets; ++block) {
        const Cache::Victim gone = cache.insert(block, false, false);
        EXPECT_EQ(gone.block, block - 2 * sets) << sets;
        EXPECT_TRUE(gone.is_dirty) << sets;
      }
    }
}

/// The way that goes of these, by the moment in which each was touched last: one of the half that was not
/// touched last, and of two that never were of the left one.
std::size_t victim_of_tree(const std::vector<int>& touched, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return begin;
  const std::size_t middle = (begin + end) / 2;
  const auto last = [&](std::size_t from, std::size_t to) {
    return *std::max_element(touched.begin() + std::ptrdiff_t(from), touched.begin() + std::ptrdiff_t(to));
  };
  return last(begin, middle) > last(middle, end) ? victim_of_tree(touched, middle, end)
                                                 : victim_of_tree(touched, begin, middle);
}

// Against a list of ways with the moment of their last use.
TEST(CacheTrees, ManyStepsAreThoseOfAList) {
  struct Way {
    Block block;
    bool dirty, ahead;
  };
  std::mt19937 random(3);
  for (const Replacement replacement : {Replacement::lru, Replacement::tree_plru})
    for (const std::size_t ways : {1, 2, 4, 8, 16, 64}) {
      Cache cache(1, unsigned(ways), replacement);
      std::vector<Way> list;
      std::vector<int> touched(ways, 0);
      for (int step = 1; step < 3000; ++step) {
        const Block block = 1 + random() % (ways + ways / 2 + 1);
        const bool flag = random() % 2, other = random() % 2;
        const auto found = std::ranges::find(list, block, &Way::block);
        const bool there = found != list.end();
        ASSERT_EQ(cache.holds(block), there) << ways << ' ' << step;
        if (random() % 8 == 0) {
          ASSERT_EQ(cache.take_back(block), there) << ways << ' ' << step;
          if (there) found->dirty = true;
        } else if (there || random() % 2) {
          const Cache::Found answer = cache.use(block, flag);
          ASSERT_EQ(answer.hit, there) << ways << ' ' << step;
          ASSERT_EQ(answer.first_use, there && found->ahead) << ways << ' ' << step;
          if (!there) continue;
          found->ahead = false;
          found->dirty |= flag;
          touched[std::size_t(found - list.begin())] = step;
        } else {
          const Cache::Victim gone = cache.insert(block, flag, other);
          std::size_t at = list.size();
          if (at < ways) {
            list.push_back({0, false, false});
          } else {
            at = replacement == Replacement::tree_plru
                     ? victim_of_tree(touched, 0, ways)
                     : std::size_t(std::ranges::min_element(touched) - touched.begin());
          }
          ASSERT_EQ(gone.block, list[at].block) << ways << ' ' << step;
          ASSERT_EQ(gone.is_dirty, list[at].dirty) << ways << ' ' << step;
          list[at] = {block, flag, other};
          touched[at] = step;
        }
      }
    }
}

// Of 3 inputs and 8 buckets of 1 MiB each array begins with a page of 2 MiB. Pages of values and of pairs are
// 2 each, sorted pairs 2, labels, sorted labels and counters 1 each, buckets 4. Sorted by all bits the inputs
// lie at labels 0, 2 and 5; these are results 0, 2 and the last again: 2 pages, and none behind them, where
// the pairs begin.
TEST(CacheLoopCounts, AResultIsOneOfTheInputs) {
  Machine machine;
  machine.line_bytes = 2 << 20;
  machine.levels = {{"L1", std::uint64_t(1000) << 21, 1000, 1, Replacement::lru}};
  machine.memory_ns = 100;
  machine.prefetch = Prefetch::none;
  Loop loop;
  loop.problem = Problem::multiscan;
  loop.n = 3;
  loop.m = 8;
  loop.value_bytes = 1 << 20;
  loop.sort_bits = loop.digit_bits = 3;
  const Prediction found = predict(machine, Model::serial, loop, 1 << 20);
  EXPECT_EQ(found.counts().misses, std::vector<double>{2 + 2 + 2 + 1 + 1 + 1 + 4 + 2});
  EXPECT_EQ(found.counts().memory_lines, 15);
  EXPECT_EQ(found.n, 3u);
}

}  // namespace
}  // namespace redbench::caches
