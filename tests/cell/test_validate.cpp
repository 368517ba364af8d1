// Right or wrong: each test is a result that a looser check is known to let through.
#include "src/cell/validate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "src/inputs/problem.hpp"
#include "src/reference/exact_answer.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

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

const Pair& sum_of_floats() { return reduction(Type::f32, Operator::sum); }

// What compares exactly has neither error nor bound, in equal bits as in equal values.
TEST(Validate, ExactResultsMustAgreeInEveryBit) {
  const Pair& pair = reduction(Type::i32, Operator::sum);
  const Check right = check(pair, exactly(i32(12345)), i32(12345));
  EXPECT_TRUE(right.right && right.what.empty());
  EXPECT_EQ(right.error, 0);
  EXPECT_EQ(right.bound, 0);
  const Check wrong = check(pair, exactly(i32(12345)), i32(-12344));
  EXPECT_FALSE(wrong.right);
  EXPECT_EQ(wrong.what, "result[0] is -12344, the exact answer is 12345");
  EXPECT_EQ(wrong.error, infinity);
  EXPECT_EQ(wrong.bound, 0);
  const Pair& affine = reduction(Type::u32, Operator::affine);
  EXPECT_TRUE(check(affine, exactly(AffineMap{3, 4}), AffineMap{3, 4}).right);
  EXPECT_FALSE(check(affine, exactly(AffineMap{3, 4}), AffineMap{3, 5}).right);
  EXPECT_FALSE(check(affine, exactly(AffineMap{3, 4}), AffineMap{4, 4}).right);
}

// The sign of a zero is as the order has it, but for what copies a value, sign and all.
TEST(Validate, EitherZeroWillDo) {
  const Pair& min = reduction(Type::f32, Operator::min);
  for (const float got : {0.0f, -0.0f}) {
    const Check right = check(min, exactly(0.0f), got);
    EXPECT_TRUE(right.right);
    EXPECT_EQ(right.error, 0);
  }
  EXPECT_FALSE(check(min, exactly(1.0f), std::nextafter(1.0f, 2.0f)).right);
  EXPECT_FALSE(check(reduction(Type::f32, Operator::right), exactly(0.0f), -0.0f).right);
  const Pair& product = reduction(Type::c64, Operator::product);
  EXPECT_TRUE(check(product, exactly(c64{1, 0.0}), c64{1, -0.0}).right);
  EXPECT_FALSE(check(product, exactly(c64{1, 0}), c64{0, 1}).right);
}

TEST(Validate, NaNNeverPasses) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(check(sum_of_floats(), about(50, 50, 100), nan, 7).right);
  EXPECT_FALSE(check(reduction(Type::f32, Operator::max), exactly(1.0f), nan).right);
  EXPECT_FALSE(check(reduction(Type::f32, Operator::max), exactly(nan), nan).right);
}

// 2^20 values around 0.5 by a chain of 28: rounding explains 28 * 2^-24 * 2^19 = 0.875. One element is 0.5
// and hides below that; ten do not. A relative tolerance of n units, as elsewhere, would pass anything within
// 6 %. Of ones in f64 the bound is 28 * 2^-53 * 2^20 = 3e-9, and a dropped one is 1.
TEST(Validate, TheBoundFollowsTheChainNotTheLength) {
  const Expected expected = about(524288, 524288, 1 << 20);
  const Check right = check(sum_of_floats(), expected, 524288.5f, 28);
  EXPECT_TRUE(right.right) << right.what;
  EXPECT_DOUBLE_EQ(right.error, 0.5);
  EXPECT_NEAR(right.bound, 0.875, 1e-5);
  const Check off = check(sum_of_floats(), expected, 524283.0f, 28);
  EXPECT_EQ(
      off.what,
      "result[0] is 524283, the exact answer is 524288: off by 5, where rounding explains 0.875 by the chain of 28 that is stated");
  EXPECT_EQ(off.error, 5);
  EXPECT_NEAR(off.bound, 0.875, 1e-5);
  EXPECT_FALSE(check(sum_of_floats(), expected, 0.0f, 28).right);
  const Pair& doubles = reduction(Type::f64, Operator::sum);
  EXPECT_FALSE(check(doubles, about(1048576, 1048576, 1 << 20), 1048575.0, 28).right);
  EXPECT_TRUE(check(doubles, about(1048576, 1048576, 1 << 20), 1048576.0, 28).right);
}

// Of 3 factors 2 products round; a complex one is off by less than 3 units. A chain shortens no product. One
// value is no sum: nothing rounds, however long the chain.
TEST(Validate, RoundingIsThatOfTheShorterChainOfAPair) {
  const auto gamma = [](double roundings) { return roundings * 0x1p-24 / (1 - roundings * 0x1p-24); };
  for (const Operator op : {Operator::sum, Operator::product})
    for (const Index terms : {0, 1})
      for (const Index chain : {0, 1, 7})
        EXPECT_EQ(rounding_error(reduction(Type::f32, op), terms, chain), 0);
  EXPECT_DOUBLE_EQ(rounding_error(sum_of_floats(), 2, 7), gamma(1));
  EXPECT_DOUBLE_EQ(rounding_error(sum_of_floats(), 9, 3), gamma(3));
  EXPECT_DOUBLE_EQ(rounding_error(sum_of_floats(), 9, 0), gamma(8));
  for (const Index chain : {0, 1}) {
    EXPECT_DOUBLE_EQ(rounding_error(reduction(Type::f32, Operator::product), 3, chain), gamma(2));
    EXPECT_DOUBLE_EQ(rounding_error(reduction(Type::c32, Operator::product), 3, chain), gamma(6));
  }
  EXPECT_TRUE(check(sum_of_floats(), about(0.1f, 0.1f, 1), 0.1f, 8).right);
  EXPECT_FALSE(check(sum_of_floats(), about(0.1f, 0.1f, 1), std::nextafter(0.1f, 1.0f), 8).right);
  // A segment of 3 among many floats: its own length counts, though the chain is longer.
  EXPECT_TRUE(check(sum_of_floats(), about(1.5, 1.5, 3), std::nextafter(1.5f, 2.0f), 40).right);
  EXPECT_FALSE(check(sum_of_floats(), about(1.5, 1.5, 3), 1.5f + 0x1p-22f, 40).right);
  EXPECT_TRUE(check(sum_of_floats(), about(0, 0, 0), 0.0f).right);
  EXPECT_FALSE(check(sum_of_floats(), about(0, 0, 0), 1e-30f).right);
}

// Without a stated chain 2^26 floats have n * unit = 4: any result is within the bound. 2^16 factors have a
// relative error of 2^-8.
TEST(Validate, ABoundThatSwallowsTheAnswerIsNoCheck) {
  const Expected expected = about(1 << 25, 1 << 25, 1 << 26);
  for (const float result : {0.0f, float(1 << 25)}) {
    const Check swallowed = check(sum_of_floats(), expected, result);
    EXPECT_FALSE(swallowed.right);
    EXPECT_NE(swallowed.what.find("swallows"), std::string::npos) << swallowed.what;
  }
  EXPECT_TRUE(check(sum_of_floats(), expected, float(1 << 25), 34).right);
  EXPECT_FALSE(check(sum_of_floats(), about(0.01, 524288, 1 << 20), 0.01f, 28).right) << "cancellation";
  EXPECT_TRUE(check(sum_of_floats(), about(0, 524288, 1 << 20), 0.0f, 28).right) << "zero is an answer";
  const Pair& product = reduction(Type::f32, Operator::product);
  EXPECT_FALSE(check(product, about(1.001, 1.001, 1 << 16), 1.001f).right) << "it may be its identity";
  EXPECT_TRUE(check(product, about(3, 3, 1 << 16), 3.001f).right);
  EXPECT_FALSE(check(product, about(3, 3, 1 << 16), 3.02f).right);
  EXPECT_FALSE(check(product, about(3, 3, 1 << 16), 0.0f).right);
}

TEST(Validate, TheLowWordOfTheReferenceCounts) {
  Expected expected = about(0x1p53, 0x1p53, 3);
  expected.wide[0].second = 1;  // 2^53 + 1 lies half-way between two doubles
  EXPECT_EQ(check(reduction(Type::f64, Operator::sum), expected, 0x1p53).error, 1);
}

// The largest number is a number; what is larger, or was on the way, is none.
TEST(Validate, ValuesThatOverflowCannotBeChecked) {
  const float most = std::numeric_limits<float>::max();
  for (const double sign : {1.0, -1.0})
    EXPECT_TRUE(check(sum_of_floats(), about(sign * most, most, 2), float(sign) * most).right);
  const double more = std::nextafter(double(most), infinity);
  for (const auto& [value, magnitude] :
       {std::pair(more, double(most)), {-more, most}, {1, more}, {std::nan(""), 1}, {infinity, infinity}}) {
    const Check none = check(sum_of_floats(), about(value, magnitude, 2), float(value));
    EXPECT_FALSE(none.right);
    EXPECT_EQ(none.what,
              "result[0] has no answer to check against: the values are not finite or overflow f32");
  }
}

/// Three complex sums of 200, 30 and 5 values.
Expected three_sums() {
  Expected expected;
  expected.wide = {{100, 0}, {50, 0}, {7, 0}, {-3, 0}, {20, 0}, {-40, 0}};
  expected.magnitude = {100, 50, 8, 4, 20, 40};
  expected.terms = {200, 30, 5};
  return expected;
}
const std::vector<float> right_sums{100, 50, 7, -3, 20, -40};

// Of k roundings in a row gamma is k u / (1 - k u), u = 2^-24, times the magnitude: of 9 of the chain
// 5.36e-07, of 4 of the last sum's own 2.38e-07.
TEST(Validate, EachComponentOfEachResultHasItsOwnBound) {
  const Pair& pair = reduction(Type::c32, Operator::sum);
  const double nine = 9 * 0x1p-24 / (1 - 9 * 0x1p-24), four = 4 * 0x1p-24 / (1 - 4 * 0x1p-24);
  struct {
    std::size_t at;
    float got;
    const char* what;
    double error, bound;
  } const cases[] = {
      {0, 101,
       "result[10] is 101, the exact answer is 100: off by 1, where rounding explains 5.36e-05 by the chain of 9 that is stated",
       1, 100 * nine},
      {1, 47,
       "result[10] is 47, the exact answer is 50: off by 3, where rounding explains 2.68e-05 by the chain of 9 that is stated",
       3, 50 * nine},
      {2, -7,
       "result[11] is -7, the exact answer is 7: off by 14, where rounding explains 4.29e-06 by the chain of 9 that is stated",
       14, 8 * nine},
      {5, -42,
       "result[12] is -42, the exact answer is -40: off by 2, where rounding explains 9.54e-06 by the chain of 9 that is stated",
       2, 40 * four}};
  for (const auto& [at, got, what, error, bound] : cases) {
    std::vector<float> sums = right_sums;
    sums[at] = got;
    const Check wrong = check_block(pair, three_sums(), sums.data(), 9, 10);
    EXPECT_FALSE(wrong.right);
    EXPECT_EQ(wrong.what, what);
    EXPECT_DOUBLE_EQ(wrong.error, error);
    EXPECT_NEAR(wrong.bound, bound, 1e-15);
  }
  std::vector<float> near = right_sums;
  near[1] = 50.00001f;
  near[4] = 20.000002f;
  const Check both = check_block(pair, three_sums(), near.data(), 9);
  EXPECT_TRUE(both.right) << both.what;
  EXPECT_EQ(both.error, double(near[1]) - 50) << "the largest of all";
  EXPECT_NEAR(both.bound, 100 * nine, 1e-15);
}

// An imaginary part of zeros has no bound, and lies within that: what swallows the real part is no less of a
// hole for it. An imaginary part that a zero is not near enough to is a check.
TEST(Validate, ASwallowedComponentIsReportedWithItsResult) {
  const Pair& pair = reduction(Type::c32, Operator::sum);
  for (const double imaginary : {0.0, 0.02, 1.0}) {
    Expected expected = three_sums();
    expected.wide[2] = {0.01, 0};
    expected.wide[3] = {imaginary, 0};
    expected.magnitude[2] = 1 << 20;
    expected.magnitude[3] = imaginary == 0 ? 0 : 1 << 19;
    std::vector<float> sums = right_sums;
    sums[2] = 0.01f;
    sums[3] = float(imaginary);
    const Check swallowed = check_block(pair, expected, sums.data(), 9, 10);
    EXPECT_EQ(swallowed.right, imaginary == 1);
    if (imaginary == 1) continue;
    EXPECT_EQ(swallowed.what,
              "result[11]: the bound 0.563 swallows the answer 0.01, so that no result would be wrong; "
              "state a shorter chain of operations (Queue::chain) or take values that do not cancel");
    EXPECT_NEAR(swallowed.bound, 0.5625, 1e-6);
  }
}

/// Results 0, 1, 2, ..., each as its number says: exactly, or as sums of 2^20 floats.
struct Numbered : Reference {
  Numbered(Index count, bool rounded) : count_(count), rounded_(rounded) {}
  Index results() const override { return count_; }
  Expected block(Index first, Index count) override {
    ++blocks;
    Expected all;
    if (!rounded_) all.exact = HostBuffer(std::size_t(count) * sizeof(i32));
    for (Index i = 0; i < count; ++i)
      if (rounded_) {
        all.wide.emplace_back(double(first + i), 0);
        all.magnitude.push_back(double(first + i));
        all.terms.push_back(1 << 20);
      } else {
        all.exact.as<i32>()[i] = i32(first + i);
      }
    return all;
  }
  int blocks = 0;  // made so far

 private:
  Index count_;
  bool rounded_;
};

// Each block is compared with its own results, in order, until one is wrong.
TEST(Validate, TheFirstWrongResultOfTheFirstWrongBlockIsNamed) {
  const Pair& pair = reduction(Type::i32, Operator::sum);
  const Index block = 1 << 18, count = 3 * block;
  ExactAnswer answer(pair, std::make_unique<Numbered>(count, false));
  std::vector<i32> results(std::size_t(count), 0);
  std::iota(results.begin(), results.end(), 0);
  const auto what = [&] { return check_result(pair, answer, results.data(), 0).what; };
  EXPECT_EQ(what(), "");
  results[std::size_t(2 * block + 9)] = -9;
  results[std::size_t(2 * block + 5)] = -7;
  EXPECT_EQ(what(), "result[524293] is -7, the exact answer is 524293");
  results[std::size_t(block)] = -8;
  EXPECT_EQ(what(), "result[262144] is -8, the exact answer is 262144");
  EXPECT_FALSE(check_result(pair, answer, results.data(), 0).right);
}

// A record has both; the error without the bound would seem to have no limit.
TEST(Validate, TheCheckOfAllBlocksHasTheWorstErrorAndBound) {
  const Index count = 2 << 18;
  ExactAnswer answer(sum_of_floats(), std::make_unique<Numbered>(count, true));
  std::vector<float> results(std::size_t(count), 0);
  std::iota(results.begin(), results.end(), 0.0f);
  results[1 << 17] += 0.125f;
  const Check all = check_result(sum_of_floats(), answer, results.data(), 28);
  EXPECT_TRUE(all.right) << all.what;
  EXPECT_DOUBLE_EQ(all.error, 0.125);
  EXPECT_NEAR(all.bound, 0.875, 1e-5) << "28 * 2^-24 * 2^19, of the last result";
}

// The answer of many floats is made again for each comparison, but not for bits that were found right before.
TEST(Validate, WhatWasFoundRightIsRightAgainUnlessABitOrTheChainDiffers) {
  const Index count = 1 << 24;
  auto made = std::make_unique<Numbered>(count, true);
  const Numbered& numbered = *made;
  ExactAnswer answer(sum_of_floats(), std::move(made));
  std::vector<float> results(std::size_t(count), 0);
  std::iota(results.begin(), results.end(), 0.0f);
  results[9] += 1e-6f;
  const auto check = [&](Index chain) {
    return check_result(sum_of_floats(), answer, results.data(), chain);
  };
  EXPECT_TRUE(check(28).right);
  EXPECT_EQ(numbered.blocks, 64);
  const Check again = check(28);
  EXPECT_TRUE(again.right);
  EXPECT_NEAR(again.error, 1e-6, 2e-7);
  EXPECT_EQ(numbered.blocks, 64);
  EXPECT_FALSE(check(1).right) << "9 + 1e-6 is no sum of one rounding";
  results.back() = 0;
  EXPECT_FALSE(check(28).right);
  results.back() = float(count - 1);
  EXPECT_TRUE(check(28).right);
}

}  // namespace
}  // namespace redbench
