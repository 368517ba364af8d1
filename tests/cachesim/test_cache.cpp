// Which blocks one cache holds, and which one goes when another comes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "src/cachesim/cache.hpp"

namespace redbench::cachesim {
namespace {

// Sets of any number, each with a tree of its own: as many blocks in a row as there is room for find some,
// and those that follow take their places in the same order.
TEST(Cache, BlocksInARowFillAllSets) {
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
TEST(Cache, ManyStepsAreThoseOfAList) {
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
          ASSERT_EQ(cache.write_back(block), there) << ways << ' ' << step;
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

}  // namespace
}  // namespace redbench::cachesim
