// Right or wrong: each test is a result that a looser check is known to let through.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "src/cell/validate.hpp"
#include "src/inputs/error_bound.hpp"
#include "src/reference/exact_answer.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

template <class T>
Expected exactly(T value) {
  Expected expected;
  expected.exact = HostBuffer(sizeof value);
  std::memcpy(expected.exact.data.get(), &value, sizeof value);
  return expected;
}

Expected about(double value, double magnitude, Index terms) {
  Expected expected;
  expected.wide = {{value, 0}};
  expected.magnitude = {magnitude};
  expected.terms = {terms};
  return expected;
}

template <class T>
Check check(const Pair& pair, const Expected& expected, T result, Index chain = 0) {
  return check_block(pair, expected, &result, chain);
}

TEST(Validate, IntegersMustAgreeInEveryBit) {
  const Pair& pair = reduction(Type::i32, Operator::sum);
  EXPECT_TRUE(check(pair, exactly(i32(12345)), i32(12345)).right);
  const Check wrong = check(pair, exactly(i32(12345)), i32(12344));
  EXPECT_FALSE(wrong.right);
  EXPECT_NE(wrong.what.find("12344"), std::string::npos) << wrong.what;
  EXPECT_NE(wrong.what.find("12345"), std::string::npos) << wrong.what;
}

TEST(Validate, AffineComparesBothCoefficients) {
  const Pair& pair = reduction(Type::u32, Operator::affine);
  EXPECT_TRUE(check(pair, exactly(AffineMap{3, 4}), AffineMap{3, 4}).right);
  EXPECT_FALSE(check(pair, exactly(AffineMap{3, 4}), AffineMap{3, 5}).right);
  EXPECT_FALSE(check(pair, exactly(AffineMap{3, 4}), AffineMap{4, 4}).right);
}

TEST(Validate, FloatMinimumIsExactButEitherZeroWillDo) {
  const Pair& pair = reduction(Type::f32, Operator::min);
  EXPECT_TRUE(check(pair, exactly(0.0f), -0.0f).right);
  EXPECT_FALSE(check(pair, exactly(1.0f), std::nextafter(1.0f, 2.0f)).right);
  EXPECT_FALSE(check(reduction(Type::f32, Operator::right), exactly(0.0f), -0.0f).right)
      << "right copies a value, sign and all";
}

// 1 x -1 x 0 is 0 or -0 as the order has it: both components of a product of units take part.
TEST(Validate, AComplexProductMayHaveEitherZero) {
  const Pair& pair = reduction(Type::c64, Operator::product);
  EXPECT_TRUE(check(pair, exactly(c64{1, 0.0}), c64{1, -0.0}).right);
  EXPECT_FALSE(check(pair, exactly(c64{1, 0}), c64{0, 1}).right);
}

TEST(Validate, NaNNeverPasses) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check(reduction(Type::f32, Operator::sum), about(50, 50, 100), nan, 7).right);
  EXPECT_FALSE(check(reduction(Type::f32, Operator::max), exactly(1.0f), nan).right);
  EXPECT_FALSE(check(reduction(Type::f32, Operator::max), exactly(nan), nan).right);
}

// 2^20 values around 0.5 by a chain of 28: rounding explains 28 * 2^-24 * 2^19 = 0.875. One element is 0.5
// and hides below that; ten do not. A relative tolerance of n units, as elsewhere, would pass anything within
// 6 %.
TEST(Validate, TheBoundFollowsTheChainNotTheLength) {
  const Pair& pair = reduction(Type::f32, Operator::sum);
  const Expected expected = about(524288, 524288, 1 << 20);
  const Check right = check(pair, expected, 524288.5f, 28);
  EXPECT_TRUE(right.right) << right.what;
  EXPECT_DOUBLE_EQ(right.error, 0.5);
  EXPECT_NEAR(right.bound, 0.875, 1e-5);
  EXPECT_FALSE(check(pair, expected, 524283.0f, 28).right);
  EXPECT_FALSE(check(pair, expected, 0.0f, 28).right);
}

TEST(Validate, ADroppedElementShowsInDouble) {
  // 2^20 ones in f64: the bound is 28 * 2^-53 * 2^20 = 3e-9, a dropped one is 1.
  const Pair& pair = reduction(Type::f64, Operator::sum);
  EXPECT_FALSE(check(pair, about(1048576, 1048576, 1 << 20), 1048575.0, 28).right);
  EXPECT_TRUE(check(pair, about(1048576, 1048576, 1 << 20), 1048576.0, 28).right);
}

// Without a stated chain 2^26 floats have n * unit = 4: any result is within the bound.
TEST(Validate, ABoundThatSwallowsTheAnswerIsNoCheck) {
  const Pair& pair = reduction(Type::f32, Operator::sum);
  const Expected expected = about(1 << 25, 1 << 25, 1 << 26);
  for (const float result : {0.0f, float(1 << 25)}) {
    const Check check_of = check(pair, expected, result);
    EXPECT_FALSE(check_of.right);
    EXPECT_NE(check_of.what.find("swallows"), std::string::npos) << check_of.what;
  }
  EXPECT_TRUE(check(pair, expected, float(1 << 25), 34).right);
}

TEST(Validate, CancellationBelowTheBoundIsNoCheck) {
  const Pair& pair = reduction(Type::f32, Operator::sum);
  EXPECT_FALSE(check(pair, about(0.01, 524288, 1 << 20), 0.01f, 28).right);
  EXPECT_TRUE(check(pair, about(0, 524288, 1 << 20), 0.0f, 28).right) << "an answer of zero is an answer";
}

TEST(Validate, AProductThatMayBeItsIdentityIsNoCheck) {
  // 2^16 factors: a relative error of 2^-8.
  const Pair& pair = reduction(Type::f32, Operator::product);
  EXPECT_FALSE(check(pair, about(1.001, 1.001, 1 << 16), 1.001f).right);
  EXPECT_TRUE(check(pair, about(3, 3, 1 << 16), 3.001f).right);
  EXPECT_FALSE(check(pair, about(3, 3, 1 << 16), 3.02f).right);
  EXPECT_FALSE(check(pair, about(3, 3, 1 << 16), 0.0f).right);
}

TEST(Validate, OneValueAndNoneAreExact) {
  EXPECT_TRUE(check(reduction(Type::f32, Operator::sum), about(0.1f, 0.1f, 1), 0.1f, 8).right);
  EXPECT_FALSE(
      check(reduction(Type::f32, Operator::sum), about(0.1f, 0.1f, 1), std::nextafter(0.1f, 1.0f), 8).right);
  EXPECT_TRUE(check(reduction(Type::f32, Operator::sum), about(0, 0, 0), 0.0f).right);
  EXPECT_FALSE(check(reduction(Type::f32, Operator::sum), about(0, 0, 0), 1e-30f).right);
}

TEST(Validate, BothComponentsOfAComplexSumCount) {
  Expected expected;
  expected.wide = {{100, 0}, {50, 0}};
  expected.magnitude = {100, 50};
  expected.terms = {200};
  const Pair& pair = reduction(Type::c32, Operator::sum);
  EXPECT_TRUE(check(pair, expected, c32{100, 50}, 9).right);
  EXPECT_FALSE(check(pair, expected, c32{100, 0}, 9).right);
  EXPECT_FALSE(check(pair, expected, c32{0, 50}, 9).right);
}

TEST(Validate, EveryElementOfARoundedResultCounts) {
  Expected expected;
  expected.wide = {{100, 0}, {50, 0}, {25, 0}};
  expected.magnitude = {100, 50, 25};
  expected.terms = {200, 100, 50};
  const Pair& pair = reduction(Type::f32, Operator::sum);
  EXPECT_TRUE(check(pair, expected, std::array{100.0f, 50.0f, 25.0f}, 9).right);
  const Check last = check(pair, expected, std::array{100.0f, 50.0f, 26.0f}, 9);
  EXPECT_FALSE(last.right);
  EXPECT_EQ(last.what.find("result[2] is 26"), 0u) << last.what;
}

TEST(Validate, TheLowWordOfTheReferenceCounts) {
  Expected expected = about(0x1p53, 0x1p53, 3);
  expected.wide[0].second = 1;  // 2^53 + 1 lies half-way between two doubles
  EXPECT_EQ(check(reduction(Type::f64, Operator::sum), expected, 0x1p53).error, 1);
}

TEST(Validate, ValuesThatOverflowCannotBeChecked) {
  const Pair& pair = reduction(Type::f32, Operator::sum);
  const Check infinite = check(pair, about(1e39, 1e39, 10), std::numeric_limits<float>::infinity(), 4);
  EXPECT_FALSE(infinite.right);
  EXPECT_NE(infinite.what.find("overflow"), std::string::npos) << infinite.what;
}

// A segment of 3 among 2^24 floats: two additions round, so gamma_2 = 2^-23 / (1 - 2^-23) of their sum. With
// the length of the whole input in place of 3, a chain of 40 would explain 20 times as much, n nearly all.
TEST(Validate, TheBoundOfASegmentFollowsItsOwnLength) {
  const Pair& pair = reduction(Type::f32, Operator::sum);
  const Expected expected = about(1.5, 1.5, 3);
  for (const Index chain : {Index(0), Index(2), Index(40)}) {
    EXPECT_DOUBLE_EQ(check(pair, expected, 1.5f, chain).bound, 1.5 * (0x1p-23 / (1 - 0x1p-23) + 3 * 0x1p-96));
    EXPECT_TRUE(check(pair, expected, std::nextafter(1.5f, 2.0f), chain).right);
    EXPECT_FALSE(check(pair, expected, 1.5f + 0x1p-22f, chain).right);
  }
}

// Real values as complex ones: an imaginary part of zeros has no bound, and lies within that. What swallows
// the real part is no less of a hole for it.
TEST(Validate, AnImaginaryPartOfZerosHidesNoSwallowedRealPart) {
  Expected expected;
  expected.wide = {{0.01, 0}, {0, 0}};
  expected.magnitude = {524288, 0};
  expected.terms = {1 << 20};
  const Check swallowed = check(reduction(Type::c32, Operator::sum), expected, c32{0.01f, 0}, 28);
  EXPECT_FALSE(swallowed.right);
  EXPECT_NE(swallowed.what.find("swallows"), std::string::npos) << swallowed.what;
}

// Of 3 factors 2 products round; a complex one is off by less than 3 units. A chain shortens no product.
TEST(Validate, AComplexProductRoundsByThreeUnits) {
  for (const Index chain : {Index(0), Index(1)}) {
    EXPECT_DOUBLE_EQ(rounding_error(reduction(Type::f32, Operator::product), 3, chain),
                     2 * 0x1p-24 / (1 - 2 * 0x1p-24));
    EXPECT_DOUBLE_EQ(rounding_error(reduction(Type::c32, Operator::product), 3, chain),
                     6 * 0x1p-24 / (1 - 6 * 0x1p-24));
  }
}

// One value is no sum: nothing rounds, however long the chain.
TEST(Validate, OneTermOrNoneIsExact) {
  for (const Operator op : {Operator::sum, Operator::product})
    for (const Index terms : {0, 1})
      for (const Index chain : {0, 1, 7})
        EXPECT_EQ(rounding_error(reduction(Type::f32, op), terms, chain), 0) << terms << ' ' << chain;
  EXPECT_DOUBLE_EQ(rounding_error(reduction(Type::f32, Operator::sum), 2, 7), 0x1p-24 / (1 - 0x1p-24));
  EXPECT_DOUBLE_EQ(rounding_error(reduction(Type::f32, Operator::sum), 9, 3),
                   3 * 0x1p-24 / (1 - 3 * 0x1p-24));
  EXPECT_DOUBLE_EQ(rounding_error(reduction(Type::f32, Operator::sum), 9, 0),
                   8 * 0x1p-24 / (1 - 8 * 0x1p-24));
}

/// As many results of the same answer.
struct Repeated : Reference {
  Repeated(Expected of_one, Index count) : of_one_(std::move(of_one)), count_(count) {}
  Index results() const override { return count_; }
  Expected block(Index, Index count) override {
    Expected all;
    all.wide.assign(std::size_t(count), of_one_.wide[0]);
    all.magnitude.assign(std::size_t(count), of_one_.magnitude[0]);
    all.terms.assign(std::size_t(count), of_one_.terms[0]);
    return all;
  }
  Expected of_one_;
  Index count_;
};

// A record says both; the error without the bound would seem to have no limit.
TEST(Validate, TheCheckOfAllBlocksHasTheWorstErrorAndBound) {
  const Pair& pair = reduction(Type::f32, Operator::sum);
  const Index count = (1 << 18) + 1;  // one more than a block
  ExactAnswer answer(pair, std::make_unique<Repeated>(about(524288, 524288, 1 << 20), count));
  std::vector<float> results(std::size_t(count), 524288.0f);
  results[7] = 524288.5f;
  const Check all = check_result(pair, answer, results.data(), 28);
  EXPECT_TRUE(all.right) << all.what;
  EXPECT_DOUBLE_EQ(all.error, 0.5);
  EXPECT_NEAR(all.bound, 0.875, 1e-5) << "28 * 2^-24 * 2^19";
}

// Results of a block in different lengths: each has its own bound.
TEST(Validate, EachResultHasItsOwnBound) {
  Expected expected;
  expected.wide = {{1, 0}, {1, 0}};
  expected.magnitude = {1, 1};
  expected.terms = {1000, 2};
  const float late = 1 + 0x1p-18f, both[] = {late, late}, first[] = {late, 1};
  const Pair& pair = reduction(Type::f32, Operator::sum);
  EXPECT_TRUE(check_block(pair, expected, first, 100).right);
  const Check wrong = check_block(pair, expected, both, 100, 512);
  EXPECT_NE(wrong.what.find("result[513]"), std::string::npos) << wrong.what;
}

TEST(Validate, TheFirstWrongElementIsNamed) {
  Expected expected;
  const i32 values[] = {1, 2, 3};
  expected.exact = HostBuffer(sizeof values);
  std::memcpy(expected.exact.data.get(), values, sizeof values);
  const i32 got[] = {1, 7, 8};
  const Check wrong = check_block(reduction(Type::i32, Operator::sum), expected, got, 0);
  EXPECT_NE(wrong.what.find("result[1]"), std::string::npos) << wrong.what;
}

/// Results 0, 1, 2, ..., each as its number says.
struct Numbered : Reference {
  explicit Numbered(Index count) : count_(count) {}
  Index results() const override { return count_; }
  Expected block(Index first, Index count) override {
    Expected all;
    all.exact = HostBuffer(std::size_t(count) * sizeof(i32));
    for (Index i = 0; i < count; ++i) all.exact.as<i32>()[i] = i32(first + i);
    return all;
  }
  Index count_;
};

// Each block is compared with its own results, in order, until one is wrong.
TEST(Validate, TheFirstWrongBlockIsNamed) {
  const Pair& pair = reduction(Type::i32, Operator::sum);
  const Index block = 1 << 18, count = 3 * block;
  ExactAnswer answer(pair, std::make_unique<Numbered>(count));
  std::vector<i32> results(std::size_t(count), 0);
  std::iota(results.begin(), results.end(), 0);
  const auto what = [&] { return check_result(pair, answer, results.data(), 0).what; };
  EXPECT_EQ(what(), "");
  results[std::size_t(2 * block + 5)] = -7;
  EXPECT_EQ(what(), "result[524293] is -7, the exact answer is 524293");
  results[std::size_t(block)] = -8;
  EXPECT_EQ(what(), "result[262144] is -8, the exact answer is 262144");
  const Check wrong = check_result(pair, answer, results.data(), 0);
  EXPECT_FALSE(wrong.right);
  EXPECT_EQ(wrong.error, std::numeric_limits<double>::infinity());
  EXPECT_EQ(wrong.bound, 0);
}

// What compares exactly has neither error nor bound, in equal bits as in equal values.
TEST(Validate, AnExactResultHasNoError) {
  for (const float got : {0.0f, -0.0f}) {
    const Check right = check(reduction(Type::f32, Operator::min), exactly(0.0f), got);
    EXPECT_TRUE(right.right && right.what.empty());
    EXPECT_EQ(right.error, 0);
    EXPECT_EQ(right.bound, 0);
  }
}

// The largest number is a number; what is larger, or was on the way, is none.
TEST(Validate, TheLargestFloatCanBeChecked) {
  const Pair& pair = reduction(Type::f32, Operator::sum);
  const float most = std::numeric_limits<float>::max();
  for (const double sign : {1.0, -1.0})
    EXPECT_TRUE(check(pair, about(sign * most, most, 2), float(sign) * most).right);
  const std::string none =
      "result[0] has no answer to check against: the values are not finite or overflow f32";
  const double more = std::nextafter(double(most), std::numeric_limits<double>::infinity());
  EXPECT_EQ(check(pair, about(more, most, 2), most).what, none);
  EXPECT_EQ(check(pair, about(-more, most, 2), -most).what, none);
  EXPECT_EQ(check(pair, about(1, more, 2), 1.0f).what, none);
  EXPECT_EQ(check(pair, about(std::numeric_limits<double>::quiet_NaN(), 1, 2), 1.0f).what, none);
}

// The number, the bound and the answer are those of the result that cannot be checked, here the second of a
// block that begins at 10.
TEST(Validate, WhatASwallowedResultIsToldWith) {
  Expected expected;
  expected.wide = {{100, 0}, {50, 0}, {0.015, 0}, {0, 0}};
  expected.magnitude = {100, 50, 524288, 0};
  expected.terms = {200, 1 << 20};
  const Pair& pair = reduction(Type::c32, Operator::sum);
  const std::array<c32, 2> results{c32{100, 50}, c32{0.015f, 0}};
  const Check swallowed = check_block(pair, expected, results.data(), 28, 10);
  EXPECT_FALSE(swallowed.right);
  EXPECT_EQ(
      swallowed.what,
      "result[11]: the bound 0.875 swallows the answer 0.015, so that no result would be wrong; state a "
      "shorter chain of operations (Queue::chain) or take values that do not cancel");
  EXPECT_NEAR(swallowed.bound, 0.875, 1e-5);
  EXPECT_LT(swallowed.error, 1e-8);
}

TEST(Validate, WhatAWrongResultIsToldWith) {
  const Check off = check(reduction(Type::f32, Operator::sum), about(524288, 524288, 1 << 20), 524283.0f, 28);
  EXPECT_EQ(off.what,
            "result[0] is 524283, the exact answer is 524288: off by 5, where rounding explains 0.875");
  EXPECT_EQ(off.error, 5);
  EXPECT_NEAR(off.bound, 0.875, 1e-5);
  EXPECT_EQ(check(reduction(Type::f32, Operator::max), exactly(1.5f), -2.25f).what,
            "result[0] is -2.25, the exact answer is 1.5");
  EXPECT_EQ(check(reduction(Type::i32, Operator::sum), exactly(i32(12345)), i32(-12344)).what,
            "result[0] is -12344, the exact answer is 12345");
}

}  // namespace
}  // namespace redbench
