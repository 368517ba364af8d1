// Accesses at random places: as many as are counted, and spread over all words.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "src/measure/scattered.hpp"

namespace redbench {
namespace {

TEST(Scattered, EveryWordIsAsLikely) {
  for (const Index words : {1, 2, 1000, 1 << 16}) {
    std::vector<int> hits(std::size_t(words), 0);
    const Index accesses = 100 * words;
    for (Index i = 0; i < accesses; ++i) {
      const Index word = scattered_word(i, words);
      ASSERT_TRUE(0 <= word && word < words) << i << " of " << words;
      ++hits[std::size_t(word)];
    }
    const auto [least, most] = std::ranges::minmax(hits);
    // 100 on average, of which 6 standard deviations are 60.
    EXPECT_GE(least, 40) << words;
    EXPECT_LE(most, 160) << words;
  }
}

TEST(Scattered, PlacesReachAllOfManyWordsAndDoNotRepeatPastTwoToThe32) {
  const Index words = Index(1) << 32;
  Index most = 0, same = 0;
  for (Index i = 0; i < 1000; ++i) {
    most = std::max(most, scattered_word(i, words));
    same += scattered_word(i, words) == scattered_word(i + words, words);
  }
  EXPECT_GT(most, words / 100 * 99);
  EXPECT_LT(most, words);
  EXPECT_LE(same, 1);
}

TEST(Scattered, NeighboursGoFarApart) {
  const Index words = 1 << 20;
  int near = 0;
  for (Index i = 0; i < 1000; ++i)
    near += std::abs(scattered_word(i, words) - scattered_word(i + 1, words)) < 16;
  EXPECT_LE(near, 2) << "they share cache lines";
}

TEST(Scattered, TheHostAddsOneForEachAccess) {
  const std::unique_ptr<Device> host = make_host();
  std::vector<u32> words(37, 0);
  const ScatteredAccesses accesses = scattered(*host, {words.data(), Index(words.size()), 100'001});
  std::ranges::fill(words, 0);  // trials
  accesses.read();
  EXPECT_EQ(std::accumulate(words.begin(), words.end(), 0u), 0u);
  accesses.add();
  EXPECT_EQ(std::accumulate(words.begin(), words.end(), 0u), 100'001u);
}

}  // namespace
}  // namespace redbench
