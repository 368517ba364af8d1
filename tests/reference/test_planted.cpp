// Values of which one makes the result: where they are planted, and that they differ from what is around
// them.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "src/inputs/distributions.hpp"
#include "src/reference/oracle.hpp"
#include "src/reference/planted.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

InputSpec of_pair(const Pair& pair) {
  InputSpec input;
  input.pair = &pair;
  return input;
}

// 1000 values shared out to 3 blocks: 334, 334 and 332. The last three places are words 0, 1 and 2 of the
// seed, SplitMix64, modulo 1000.
TEST(Planted, AtTheEndsTheMiddleAndTheBordersOfShares) {
  EXPECT_THAT(planting_places(1000, 1, {3, 1}), ElementsAre(999, 0, 500, 333, 334, 668, 158, 846, 752));
  // 7 shares of 143: the last begins at 858. Each place once, whichever share has it: 2 of 500, too.
  EXPECT_THAT(planting_places(1000, 9, {1, 7, 2}),
              ElementsAre(999, 0, 500, 142, 143, 858, 499, 526, 133, 385));
  // 4 shares of 250: the last is as long as the others.
  EXPECT_THAT(planting_places(1000, 9, {4}), ElementsAre(999, 0, 500, 249, 250, 750, 526, 133, 385));
  EXPECT_THAT(planting_places(1000, 9, {}), ElementsAre(999, 0, 500, 526, 133, 385));
  EXPECT_THAT(planting_places(2, 1, {0, 2000}), ElementsAre(1, 0));
  EXPECT_THAT(planting_places(1, 1, {5}), ElementsAre(0));
  EXPECT_THAT(planting_places(0, 1, {5}), ElementsAre());
}

// A value that were the identity, or a unit, would not show where it is left out.
TEST(Planted, TheValueAloneIsTheResult) {
  for (const Pair& pair : find_problem("reduce")->pairs) {
    if (!hides_values(of_pair(pair))) continue;
    const std::string name = std::string(name_of(pair.type)) + " " + std::string(name_of(pair.op));
    const HostBuffer value = planted_value(pair, 1);
    HostBuffer values = identities(pair, 7 * pair.value->bytes), result(pair.result->bytes);
    std::memcpy(values.data.get() + 3 * pair.value->bytes, value.data.get(), value.bytes);
    alignas(state_alignment) std::byte state[most_state_bytes];
    pair.oracle->start(state);
    pair.oracle->add(state, values.data.get(), 7, 1);
    pair.oracle->put_result(state, result.data.get());
    EXPECT_EQ(std::memcmp(result.data.get(), value.data.get(), value.bytes), 0) << name;
    EXPECT_NE(std::memcmp(result.data.get(), values.data.get(), value.bytes), 0) << name;
    if (pair.op != Operator::product) continue;
    double size = 0;
    for (int c = 0; c < pair.value->components; ++c)
      size = std::hypot(size, pair.value->component(value.data.get(), std::size_t(c)));
    EXPECT_TRUE(size == 2 || size == 0.5) << name;
  }
}

// A value that a cell failed on is found again by its seed. That of seed 237 begins with the
// byte 01, one more than that of the identity, whose bytes are 00 00 00 80: near, and yet another value.
TEST(Planted, ASeedsValueIsTheThirdThatItDraws) {
  const Pair& pair = reduction(Type::i32, Operator::max);
  for (const std::uint64_t seed : {1, 2, 237}) {
    i32 drawn[3], planted;
    pair.generate({Distribution::uniform, seed, 3}, drawn);
    std::memcpy(&planted, planted_value(pair, seed).data.get(), sizeof planted);
    EXPECT_EQ(planted, drawn[2]) << seed;
    EXPECT_EQ(drawn[2] % 256 == 1, seed == 237) << seed;
  }
}

// Of two values that are alike the result does not tell which was the last.
TEST(Planted, TheOtherValueDiffersWhateverTheSeedDraws) {
  const Pair& pair = reduction(Type::i32, Operator::right);
  const HostBuffer value = planted_value(pair, 2), third = planted_value(pair, 3);
  const HostBuffer other = other_planted_value(pair, 1, value);
  EXPECT_NE(std::memcmp(other.data.get(), value.data.get(), value.bytes), 0) << "the first that seed 1 draws";
  EXPECT_EQ(std::memcmp(other.data.get(), third.data.get(), third.bytes), 0) << "the next";
}

TEST(Planted, WhatHidesValues) {
  EXPECT_TRUE(hides_values(of_pair(reduction(Type::i32, Operator::right))));
  EXPECT_TRUE(hides_values(of_pair(reduction(Type::c32, Operator::product))));
  EXPECT_FALSE(hides_values(of_pair(reduction(Type::i32, Operator::product))));
  EXPECT_FALSE(hides_values(of_pair(reduction(Type::f32, Operator::sum))));
  for (const Pair& pair : find_problem("scatter")->pairs)
    EXPECT_FALSE(hides_values(of_pair(pair))) << "an identity overwrites a planted value, too";
}

}  // namespace
}  // namespace redbench
