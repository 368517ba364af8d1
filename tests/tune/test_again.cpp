// Which points a search with budget left takes up again, and what stays of the first search.
#include "src/tune/again.hpp"

#include <gmock/gmock.h>

#include "tests/support.hpp"

namespace redbench {
namespace {

constexpr Index printed = 256;  // the default block of harris3

Search done_at(Index n, std::size_t tried, Index block) {
  Search search{.variant = find_variant("reduce/harris3"), .point = {}, .input = {}, .left = {}};
  search.point = {
      .variant = "reduce/harris3", .type = "i32", .op = "sum", .n = n, .parameters = {{"block", block}}};
  search.tried = tried;
  return search;
}

// The bug: half of a budget was left over after 8 of 448 candidates had been tried.
TEST(Again, PointsOfFewCandidatesAreSearchedOnceMoreBesideWhatWasFound) {
  Search of_file = done_at(1, 1, printed), untimed = done_at(2, 1, printed);
  of_file.keeps_file = true;
  of_file.known = {{"block", 32}};
  untimed.untimed = "unsupported";
  const std::vector<Search> again =
      thinned({of_file, untimed, done_at(3, 1000, 128), done_at(4, 1, 64)}, 132);
  ASSERT_EQ(again.size(), 2u);
  EXPECT_EQ(again[0].known, Json({{"block", 32}})) << "what the file has, as nothing better was found";
  EXPECT_THAT(again[0].elsewhere, testing::Contains(Json({{"block", printed}})))
      << "what the search found there";
  EXPECT_EQ(again[1].point.n, 4);
  EXPECT_EQ(again[1].known, Json({{"block", 64}}));
  EXPECT_THAT(again[1].elsewhere, testing::Contains(Json({{"block", 128}})));
}

TEST(Again, WhatIsNotBetteredStays) {
  std::vector<Search> done{done_at(4, 8, 64)};
  Search kept = done_at(4, 448, 128), untimed = kept, better = kept;
  kept.keeps_file = true;
  untimed.untimed = "no candidate has a time";
  EXPECT_FALSE(take(done, kept));
  EXPECT_FALSE(take(done, untimed));
  EXPECT_EQ(done[0].point.parameters.at("block"), 64);
  EXPECT_TRUE(take(done, better));
  EXPECT_TRUE(take(done, done_at(5, 8, 64)));
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].point.parameters.at("block"), 128);
}

// The bug: names of parameters in a card's order and by the alphabet were two candidates, of which one had no time.
TEST(Again, WhatWasFoundIsOneCandidateOfASearchWithMore) {
  Search search{.variant = find_variant("multireduce/shared_per_thread_transposed"), .tried = 8};
  search.point.variant = search.variant->name;
  search.defaults().get_to(search.point.parameters);
  search.point.found = {{"candidates", search.tried}};
  const std::vector<Search> again = thinned({search}, 132);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].known, search.defaults());
  EXPECT_EQ(again[0].known_tried, 8u);
}

}  // namespace
}  // namespace redbench
