// Which launch parameters a search tries.
#include "src/tune/candidates.hpp"

#include <gmock/gmock.h>

#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

TEST(Candidates, ValuesFollowTheCard) {
  const auto values = [](const Parameter& parameter) { return values_to_try(parameter, 132); };
  EXPECT_THAT(values({"shuffle", 2, 0, 2}), ElementsAre(0, 1, 2)) << "all, where they are few";
  EXPECT_THAT(values({"block", 192, 64, 1000, Step::multiple_of_warp}), ElementsAre(64, 128, 192, 256, 512));
  EXPECT_THAT(values({"sets", 8, 2, 32, Step::power_of_two}), ElementsAre(2, 4, 8, 16, 32));
  EXPECT_THAT(values({"per_sm", 0, 0, 64}), ElementsAre(0, 1, 2, 4, 8, 16, 32, 64));
  EXPECT_THAT(values({"blocks", 16, 1, 1 << 20}),
              ElementsAre(16, 32, 64, 128, 132, 256, 264, 512, 528, 1024, 1056, 2048, 4096))
      << "and multiples of the multiprocessors, from an eighth of them to 32 for each";
  EXPECT_THAT(values({"published", 0, 0, 1}), ElementsAre(0)) << "it is wrong for some inputs";
}

TEST(Candidates, AreThinnedWithTheDefaultAmongThem) {
  Card card;
  card.parameters = {Parameter{"block", 384, 32, 1024, Step::multiple_of_warp}, Parameter{"items", 3, 1, 9}};
  EXPECT_EQ(candidates(card, 132, 100).size(), 7u * 9) << "32, 64, 128, 256, 384, 512, 1024";
  // Items: 1, 3, 5, 7, 9. Then the longest list is block: 32, 128, 384, 1024; 4 x 5 are few enough.
  const std::vector<Json> few = candidates(card, 132, 20);
  EXPECT_EQ(few.size(), 4u * 5);
  EXPECT_THAT(few, testing::Contains(Json{{"block", 384}, {"items", 3}}));
  EXPECT_THAT(candidates(Card(), 132, 100), ElementsAre(Json::object()));
}

// The bug: lists that every second value is the default of were thinned for ever.
TEST(Candidates, AreFewEnoughWhereverTheDefaultStands) {
  Card card;
  card.parameters = {Parameter{"a", 0, 0, 1}, Parameter{"b", 1, 0, 1}, Parameter{"c", 1, 0, 2},
                     Parameter{"d", 2, 0, 2}};
  for (const std::size_t most : {2, 8}) EXPECT_LE(candidates(card, 132, most).size(), most);
  EXPECT_THAT(candidates(card, 132, 1), ElementsAre(Json{{"a", 0}, {"b", 1}, {"c", 1}, {"d", 2}}));
}

}  // namespace
}  // namespace redbench
