// The answers of triple_reduce: of which values each is, and where they are known to the last bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support.hpp"

namespace redbench {
namespace {

InputSpec triples(Type type, Operator op, Index n, const char* values, const char* layout = "arrays") {
  const Problem& problem = *find_problem("triple_reduce");
  return {.type = type,
          .op = op,
          .n = n,
          .axes = {{"values", values}, {"layout", layout}},
          .seed = 3,
          .pair = problem.pair(type, op)};
}

Expected answers(const InputSpec& input, Index first = 0, Index count = 3) {
  const Problem& problem = *find_problem("triple_reduce");
  const Inputs inputs = problem.make(input);
  const std::unique_ptr<Reference> reference = problem.reference(input, inputs);
  EXPECT_EQ(reference->results(), 3);
  if (first > 0) reference->block(0, first);
  return reference->block(first, count);
}

// The bug: sums that round were held to the last bit, or to the bound of other values.
TEST(TripleReference, SumsOfFloatsAreWideAndOfTheirOwnValues) {
  constexpr Index n = 1000;
  for (const char* layout : {"arrays", "structs"}) {
    const InputSpec input = triples(Type::f32, Operator::sum, n, "uniform", layout);
    const Inputs inputs = find_problem("triple_reduce")->make(input);
    const bool structs = std::string(layout) == "structs";
    EXPECT_EQ(inputs.form, structs ? 1 : 0);
    EXPECT_EQ(inputs.n, n);
    ASSERT_EQ(inputs.values.bytes, 12000u);
    const Expected all = answers(input);
    EXPECT_EQ(all.exact.bytes, 0u);
    EXPECT_EQ(all.terms, (std::vector<Index>{n, n, n}));
    ASSERT_EQ(all.wide.size(), 3u);
    ASSERT_EQ(all.magnitude.size(), 3u);
    for (Index k = 0; k < 3; ++k) {
      double sum = 0, magnitude = 0;
      for (Index i = 0; i < n; ++i) {
        const double value = inputs.values.as<f32>()[structs ? 3 * i + k : k * n + i];
        sum += value;
        magnitude += std::abs(value);
      }
      const std::size_t at = std::size_t(k);
      EXPECT_NEAR(all.wide[at].first, sum, 1e-9 * magnitude) << layout << k;
      EXPECT_NEAR(all.magnitude[at], magnitude, 1e-9 * magnitude) << layout << k;
    }
    const Expected last = answers(input, 1, 2);
    EXPECT_EQ(last.wide, (std::vector<std::pair<double, double>>{all.wide[1], all.wide[2]})) << layout;
    EXPECT_EQ(last.terms, (std::vector<Index>{n, n}));
  }
}

// A sum of whole numbers in 11 digits is exact up to 2048, of all three thirds together: 3 * 682 = 2046.
TEST(TripleReference, AnswersAreExactWhereNoOrderRounds) {
  const auto told = [](Type type, Operator op, Index n, const char* values) {
    const InputSpec input = triples(type, op, n, values);
    const Expected expected = answers(input);
    return fmt::format("{} bytes, {} wide, {} rounded", expected.exact.bytes, expected.wide.size(),
                       find_problem("triple_reduce")->sizes(input).rounded_terms);
  };
  EXPECT_EQ(told(Type::f16, Operator::sum, 682, "equal"), "6 bytes, 0 wide, 0 rounded");
  EXPECT_EQ(told(Type::f16, Operator::sum, 683, "equal"), "0 bytes, 3 wide, 683 rounded");
  EXPECT_EQ(told(Type::f16, Operator::sum, 683, "exact"), "6 bytes, 0 wide, 0 rounded");
  EXPECT_EQ(told(Type::f32, Operator::sum, 683, "equal"), "12 bytes, 0 wide, 0 rounded");
  EXPECT_EQ(told(Type::f64, Operator::sum, 40, "uniform"), "0 bytes, 3 wide, 40 rounded");
  EXPECT_EQ(told(Type::c32, Operator::sum, 40, "uniform"), "0 bytes, 6 wide, 40 rounded");
  EXPECT_EQ(told(Type::f64, Operator::min, 40, "uniform"), "24 bytes, 0 wide, 0 rounded");
  EXPECT_EQ(told(Type::i64, Operator::sum, 40, "uniform"), "24 bytes, 0 wide, 0 rounded");
  EXPECT_EQ(told(Type::f32, Operator::sum, 0, "uniform"), "12 bytes, 0 wide, 0 rounded");
}

}  // namespace
}  // namespace redbench
