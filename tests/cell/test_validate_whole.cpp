// A check whole: its sentence, error and bound, of results with two components and of blocks within an
// answer.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "src/cell/validate.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// Three complex sums of 200, 30 and 5 values.
Expected three_sums() {
  Expected expected;
  expected.wide = {{100, 0}, {50, 0}, {7, 0}, {-3, 0}, {20, 0}, {-40, 0}};
  expected.magnitude = {100, 50, 8, 4, 20, 40};
  expected.terms = {200, 30, 5};
  return expected;
}
const std::vector<float> right_sums{100, 50, 7, -3, 20, -40};

// Of k roundings in a row gamma is k u / (1 - k u), u = 2^-24, times the magnitude: of 9 of the
// chain 5.36e-07, of 4 of the last sum's own 2.38e-07.
TEST(ValidateWhole, EachComponentOfEachResultIsItsOwn) {
  const Pair& pair = reduction(Type::c32, Operator::sum);
  const double nine = 9 * 0x1p-24 / (1 - 9 * 0x1p-24), four = 4 * 0x1p-24 / (1 - 4 * 0x1p-24);
  const Check right = check_block(pair, three_sums(), right_sums.data(), 9, 10);
  EXPECT_TRUE(right.right) << right.what;
  EXPECT_EQ(right.error, 0);
  EXPECT_NEAR(right.bound, 100 * nine, 1e-15);
  EXPECT_EQ(right.what, "");
  struct {
    std::size_t at;
    float got;
    const char* said;
    double error, bound;
  } const cases[] = {
      {0, 101, "result[10] is 101, the exact answer is 100: off by 1, where rounding explains 5.36e-05", 1,
       100 * nine},
      {1, 47, "result[10] is 47, the exact answer is 50: off by 3, where rounding explains 2.68e-05", 3,
       50 * nine},
      {2, -7, "result[11] is -7, the exact answer is 7: off by 14, where rounding explains 4.29e-06", 14,
       8 * nine},
      {3, 3, "result[11] is 3, the exact answer is -3: off by 6, where rounding explains 2.15e-06", 6,
       4 * nine},
      {4, 20.5, "result[12] is 20.5, the exact answer is 20: off by 0.5, where rounding explains 4.77e-06",
       0.5, 20 * four},
      {5, -42, "result[12] is -42, the exact answer is -40: off by 2, where rounding explains 9.54e-06", 2,
       40 * four}};
  for (const auto& [at, got, said, error, bound] : cases) {
    std::vector<float> sums = right_sums;
    sums[at] = got;
    const Check wrong = check_block(pair, three_sums(), sums.data(), 9, 10);
    EXPECT_FALSE(wrong.right);
    EXPECT_EQ(wrong.what, said);
    EXPECT_DOUBLE_EQ(wrong.error, error) << said;
    EXPECT_NEAR(wrong.bound, bound, 1e-15) << said;
  }
  std::vector<float> near = right_sums;
  near[1] = 50.00001f;
  near[4] = 20.000002f;
  const Check both = check_block(pair, three_sums(), near.data(), 9);
  EXPECT_TRUE(both.right) << both.what;
  EXPECT_EQ(both.error, double(near[1]) - 50) << "the largest of all";
  EXPECT_NEAR(both.bound, 100 * nine, 1e-15);
}

TEST(ValidateWhole, ABoundThatSwallowsAnAnswerIsSaidOfThatResult) {
  const Pair& pair = reduction(Type::c32, Operator::sum);
  Expected expected = three_sums();
  expected.wide[2] = {0.01, 0};
  expected.wide[3] = {0.02, 0};
  expected.magnitude[2] = 1 << 20;
  expected.magnitude[3] = 1 << 19;
  std::vector<float> sums = right_sums;
  sums[2] = 0.01f;
  sums[3] = 0.02f;
  const Check swallowed = check_block(pair, expected, sums.data(), 9, 10);
  EXPECT_FALSE(swallowed.right);
  EXPECT_EQ(swallowed.what,
            "result[11]: the bound 0.563 swallows the answer 0.01, so that no result would be wrong; state a "
            "shorter chain of operations (Queue::chain) or take values that do not cancel");
  EXPECT_NEAR(swallowed.bound, 0.5625, 1e-6);
  expected.wide[3] = {1, 0};  // which a zero is not near enough to
  sums[3] = 1;
  EXPECT_TRUE(check_block(pair, expected, sums.data(), 9).right);
}

TEST(ValidateWhole, AnOverflowIsSaidOfItsResultAndBound) {
  Expected expected = three_sums();
  expected.magnitude[3] = 1e39;
  const Check none = check_block(reduction(Type::c32, Operator::sum), expected, right_sums.data(), 9, 10);
  EXPECT_FALSE(none.right);
  EXPECT_EQ(none.what,
            "result[11] has no answer to check against: the values are not finite or overflow c32");
  EXPECT_EQ(none.error, 0);
  EXPECT_NEAR(none.bound / 1e39, 9 * 0x1p-24 / (1 - 9 * 0x1p-24), 1e-15);
}

TEST(ValidateWhole, AnExactResultIsNamedByItsNumberInAll) {
  Expected expected;
  const i32 values[] = {1, 2, 3, 4};
  expected.exact = HostBuffer(sizeof values);
  std::memcpy(expected.exact.data.get(), values, sizeof values);
  const i32 got[] = {1, 2, -7, 9};
  const Check wrong = check_block(reduction(Type::i32, Operator::sum), expected, got, 5, 100);
  EXPECT_FALSE(wrong.right);
  EXPECT_EQ(wrong.what, "result[102] is -7, the exact answer is 3");
  EXPECT_EQ(wrong.error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(wrong.bound, 0);
  const Check right = check_block(reduction(Type::i32, Operator::sum), expected, values, 5, 100);
  EXPECT_TRUE(right.right);
  EXPECT_EQ(right.what, "");
  EXPECT_EQ(right.error, 0);
  EXPECT_EQ(right.bound, 0);
}

}  // namespace
}  // namespace redbench
