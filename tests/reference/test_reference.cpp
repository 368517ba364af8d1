// The exact answers: by hand, and against sums in 128-bit integers, which round nothing; which values each of
// the answers of triple_reduce and segreduce is of.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <omp.h>

#include <cmath>

#include "src/cell/validate.hpp"
#include "src/inputs/type_facts.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/fold.hpp"
#include "src/reference/wide.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using Int128 = __int128;

InputSpec spec(Type type, Operator op, Index n, const Json& values = "uniform") {
  return {.type = type,
          .op = op,
          .n = n,
          .axes = {{"values", values}, {"layout", "arrays"}},
          .seed = 3,
          .pair = &reduction(type, op)};
}

/// The answer of one list.
Expected reduced(Type type, Operator op, const void* values, Index n, bool exact) {
  return fold(reduction(type, op), exact, 1, [=](Index) { return List{values, n}; })->block(0, 1);
}

template <class T>
T exact_answer(Type type, Operator op, const std::vector<T>& values) {
  const Expected expected = reduced(type, op, values.data(), Index(values.size()), true);
  EXPECT_EQ(expected.exact.bytes, sizeof(T));
  EXPECT_TRUE(expected.wide.empty());
  return *expected.exact.as<T>();
}

TEST(Reference, ByHand) {
  EXPECT_EQ(exact_answer<i32>(Type::i32, Operator::sum, {2147483647, 1}), -2147483647 - 1);  // wraps around
  EXPECT_EQ(exact_answer<i32>(Type::i32, Operator::product, {65536, 65536, 3}), 0);
  EXPECT_EQ(exact_answer<i64>(Type::i64, Operator::min, {5, -7, 3}), -7);
  EXPECT_EQ(exact_answer<u32>(Type::u32, Operator::max, {5, 4294967295u, 3}), 4294967295u);
  EXPECT_EQ(exact_answer<f64>(Type::f64, Operator::max, {-5.5, -7}), -5.5);
  EXPECT_EQ(exact_answer<i32>(Type::i32, Operator::right, {5, -7, 3}), 3);
  // x -> 2x + 3, then x -> 5x + 7 gives 10x + 22; the other order gives 10x + 17.
  EXPECT_EQ(exact_answer<AffineMap>(Type::u32, Operator::affine, {{2, 3}, {5, 7}}), (AffineMap{10, 22}));
  // Of no values the answer is the identity.
  EXPECT_EQ(exact_answer<i32>(Type::i32, Operator::sum, {}), 0);
  EXPECT_EQ(exact_answer<i32>(Type::i32, Operator::min, {}), 2147483647);
  EXPECT_EQ(exact_answer<f32>(Type::f32, Operator::max, {}), -INFINITY);
  EXPECT_EQ(exact_answer<c64>(Type::c64, Operator::product, {}), (c64{1, 0}));
  EXPECT_EQ(exact_answer<AffineMap>(Type::u32, Operator::affine, {}), (AffineMap{1, 0}));
}

/// Chunks of the reference are 2^16: one less, equal, one more, several.
constexpr Index sizes[] = {1, 65535, 65536, 65537, 300007};

TEST(Reference, ExactOperatorsAgainstOneLoop) {
  for_each_operator(AllPairs{}, [](auto operation) {
    using Op = decltype(operation);
    using T = typename Op::Value;
    if (!Op::exact) return;
    for (const Index n : sizes) {
      const HostBuffer values = make_values(spec(Op::type, Op::name, n), n);
      T total = Op::identity();
      for (Index i = 0; i < n; ++i) total = operation(total, values.as<T>()[i]);
      const Expected expected = reduced(Op::type, Op::name, values.data.get(), n, true);
      EXPECT_TRUE(*expected.exact.as<T>() == total)
          << name_of(Op::type) << " " << name_of(Op::name) << " " << n;
    }
  });
}

/// A multiple of 2^-104 as high + low holds it, exact while the bits fit.
Int128 scaled(double x, int exponent) {
  int e;
  const double m = std::frexp(x, &e);  // x = m 2^e, m of 53 bits
  const auto bits = Int128(std::int64_t(std::ldexp(m, 53)));
  const int shift = e - 53 + exponent;
  return shift >= 0 ? bits << shift : bits >> -shift;
}

TEST(Reference, WideSumsAgainst128BitIntegers) {
  // Uniform floats are multiples of 2^-24 (f64: 2^-53) below 1, so their sum is a whole number of those.
  for (const Index n : sizes) {
    if (n == 1) continue;  // one value rounds nothing: an exact answer
    const InputSpec single = spec(Type::f32, Operator::sum, n), twofold = spec(Type::f64, Operator::sum, n);
    const HostBuffer floats = make_values(single, n), doubles = make_values(twofold, n);
    Int128 sum32 = 0, sum64 = 0;
    for (Index i = 0; i < n; ++i) {
      sum32 += Int128(std::ldexp(double(floats.as<f32>()[i]), 24));
      sum64 += Int128(std::ldexp(doubles.as<f64>()[i], 53));
    }
    const Expected e32 = reduced(Type::f32, Operator::sum, floats.data.get(), n, false),
                   e64 = reduced(Type::f64, Operator::sum, doubles.data.get(), n, false);
    ASSERT_EQ(e32.wide.size(), 1u);
    EXPECT_TRUE(scaled(e32.wide[0].first, 24) + scaled(e32.wide[0].second, 24) == sum32) << n;
    EXPECT_TRUE(scaled(e64.wide[0].first, 53) + scaled(e64.wide[0].second, 53) == sum64) << n;
    EXPECT_NEAR(e32.magnitude[0], e32.wide[0].first, 1e-9 * e32.wide[0].first);  // all are positive
  }
}

TEST(Reference, SumsThatCancelKeepTheirSmallPart) {
  // (2^60 + 2^-40) + ... - 2^60: a double loses the small part, double-double does not.
  const std::vector<f64> values{0x1p60, 0x1p-40, -0x1p60, 0x1p-42};
  const Expected expected = reduced(Type::f64, Operator::sum, values.data(), 4, false);
  EXPECT_EQ(expected.wide[0].first + expected.wide[0].second, 0x1p-40 + 0x1p-42);
  EXPECT_EQ(expected.magnitude[0], 0x1p61);  // 2^-40 is below its last bit
}

TEST(Reference, ComplexSumsByComponent) {
  const std::vector<c32> values{{1, -2}, {0.5, 3}, {-4, 0.25}};
  const Expected expected = reduced(Type::c32, Operator::sum, values.data(), 3, false);
  ASSERT_EQ(expected.wide.size(), 2u);
  EXPECT_EQ(expected.wide[0].first, -2.5);
  EXPECT_EQ(expected.wide[1].first, 1.25);
  EXPECT_THAT(expected.magnitude, testing::ElementsAre(5.5, 5.25));
}

TEST(Reference, ProductsOfAnyFloats) {
  // 3^40 has 64 bits: more than a double, fewer than two.
  const std::vector<f64> threes(40, 3.0);
  const Expected expected = reduced(Type::f64, Operator::product, threes.data(), 40, false);
  Int128 power = 1;
  for (int i = 0; i < 40; ++i) power *= 3;
  EXPECT_TRUE(Int128(expected.wide[0].first) + Int128(expected.wide[0].second) == power);
  // (1 + i)^20 = (2i)^10 = -1024, modulus 1024 in both components.
  const std::vector<c64> diagonal(20, c64{1, 1});
  const Expected complex = reduced(Type::c64, Operator::product, diagonal.data(), 20, false);
  EXPECT_EQ(complex.wide[0].first, -1024);
  EXPECT_EQ(complex.wide[1].first, 0);
  EXPECT_THAT(complex.magnitude, testing::ElementsAre(1024, 1024));
}

// Lists of more than 2^16 values are shared out by their chunks, shorter ones by the list.
TEST(Reference, LongAndShortListsOfOneBlock) {
  std::vector<i64> values(150'005);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i64(i);
  const std::vector<List> lists{
      {&values[7], 3}, {&values[0], 70'000}, {&values[70'000], 5}, {&values[70'005], 80'000}};
  const auto reference =
      fold(reduction(Type::i64, Operator::sum), true, 4, [&](Index i) { return lists.at(std::size_t(i)); });
  EXPECT_EQ(reference->results(), 4);
  // 7 + 8 + 9; 70000 of mean 34999.5; 5 of mean 70002; 80000 of mean 110004.5.
  const std::vector<i64> sums{24, 2'449'965'000, 350'010, 8'800'360'000};
  for (const auto& [first, count] : {std::pair(0, 4), {1, 3}, {3, 1}}) {
    const Expected block = reference->block(first, count);
    EXPECT_EQ(std::vector<i64>(block.exact.as<i64>(), block.exact.as<i64>() + count),
              std::vector<i64>(sums.begin() + first, sums.begin() + first + count));
  }
}

// Lists are folded in chunks of 2^16 values: where the last ones have no value, that of an earlier one stands.
TEST(Reference, TheLastOfALongListMayBeInItsFirstChunk) {
  std::vector<i32> values(200000, set_aside<i32>());
  values[5] = 7;
  EXPECT_EQ(exact_answer<i32>(Type::i32, Operator::right, values), 7);
}

TEST(Reference, TheSameForAnyNumberOfThreads) {
  const int threads = omp_get_max_threads();
  const InputSpec input = spec(Type::f64, Operator::sum, 1000003);
  const HostBuffer values = make_values(input, input.n);
  omp_set_num_threads(1);
  const auto one = reduced(Type::f64, Operator::sum, values.data.get(), input.n, false).wide;
  omp_set_num_threads(5);
  EXPECT_EQ(reduced(Type::f64, Operator::sum, values.data.get(), input.n, false).wide, one);
  omp_set_num_threads(threads);
}

TEST(Wide, SumsAndProductsAreExactWhereTheyFit) {
  const Wide sum = two_sum(0x1p53, 1);
  EXPECT_EQ(sum.high, 0x1p53);
  EXPECT_EQ(sum.low, 1);
  const Wide square = two_product(0x1p30 + 1, 0x1p30 + 1);  // 2^60 + 2^31 + 1: 61 bits
  EXPECT_EQ(square.high, 0x1p60 + 0x1p31);
  EXPECT_EQ(square.low, 1);
  const Wide cancelled = Wide{0x1p60, 0x1p-40} + Wide{-0x1p60, 0x1p-41};
  EXPECT_EQ(cancelled.high, 0x1p-40 + 0x1p-41);
  const Wide of_lows = Wide{1, 0x1p-54} + Wide{-1, 0x1p-110};
  EXPECT_EQ(of_lows.high, 0x1p-54);
  EXPECT_EQ(of_lows.low, 0x1p-110);
}

const Problem& triple_reduce() { return *find_problem("triple_reduce"); }

InputSpec triples(Type type, Operator op, Index n, const char* values, const char* layout = "arrays") {
  InputSpec input = spec(type, op, n, values);
  input.axes["layout"] = layout;
  input.pair = triple_reduce().pair(type, op);
  return input;
}

// The bug: sums that round were held to the last bit, or to the bound of other values.
TEST(TripleReference, SumsOfFloatsAreWideAndOfTheirOwnValues) {
  constexpr Index n = 1000;
  for (const bool structs : {false, true}) {
    const InputSpec input = triples(Type::f32, Operator::sum, n, "uniform", structs ? "structs" : "arrays");
    const Inputs inputs = triple_reduce().make(input);
    const std::unique_ptr<Reference> reference = triple_reduce().reference(input, inputs);
    const Expected all = reference->block(0, 3);
    EXPECT_EQ(all.exact.bytes, 0u);
    EXPECT_EQ(all.terms, (std::vector<Index>{n, n, n}));
    for (Index k = 0; k < 3; ++k) {
      double sum = 0, magnitude = 0;
      for (Index i = 0; i < n; ++i) {
        const double value = inputs.values.as<f32>()[structs ? 3 * i + k : k * n + i];
        sum += value;
        magnitude += std::abs(value);
      }
      EXPECT_NEAR(all.wide.at(std::size_t(k)).first, sum, 1e-9 * magnitude) << structs << k;
      EXPECT_NEAR(all.magnitude.at(std::size_t(k)), magnitude, 1e-9 * magnitude) << structs << k;
    }
    reference->block(0, 1);
    EXPECT_EQ(reference->block(1, 2).wide[1], all.wide[2]) << structs;
  }
}

// A sum of whole numbers in 11 digits is exact up to 2048, of all three thirds together: 3 * 682 = 2046.
TEST(TripleReference, AnswersAreExactWhereNoOrderRounds) {
  const auto answer = [](Type type, Operator op, Index n, const char* values) {
    const InputSpec input = triples(type, op, n, values);
    const Inputs inputs = triple_reduce().make(input);
    const Expected expected = triple_reduce().reference(input, inputs)->block(0, 3);
    return fmt::format("{} bytes, {} wide, {} rounded", expected.exact.bytes, expected.wide.size(),
                       triple_reduce().sizes(input).rounded_terms);
  };
  EXPECT_EQ(answer(Type::f16, Operator::sum, 682, "equal"), "6 bytes, 0 wide, 0 rounded");
  EXPECT_EQ(answer(Type::f16, Operator::sum, 683, "equal"), "0 bytes, 3 wide, 683 rounded");
  EXPECT_EQ(answer(Type::f16, Operator::sum, 683, "exact"), "6 bytes, 0 wide, 0 rounded");
  EXPECT_EQ(answer(Type::f32, Operator::sum, 683, "equal"), "12 bytes, 0 wide, 0 rounded");
  EXPECT_EQ(answer(Type::f64, Operator::sum, 40, "uniform"), "0 bytes, 3 wide, 40 rounded");
  EXPECT_EQ(answer(Type::c32, Operator::sum, 40, "uniform"), "0 bytes, 6 wide, 40 rounded");
  EXPECT_EQ(answer(Type::f64, Operator::min, 40, "uniform"), "24 bytes, 0 wide, 0 rounded");
  EXPECT_EQ(answer(Type::i64, Operator::sum, 40, "uniform"), "24 bytes, 0 wide, 0 rounded");
  EXPECT_EQ(answer(Type::f32, Operator::sum, 0, "uniform"), "12 bytes, 0 wide, 0 rounded");
}

// Half of 300 bytes are 255, the others 0: 38250, or 106 modulo 256. With -128 and 127 it is -150, or again 106.
// Of 4096 ones in f16 some orders round, none in f32.
TEST(Reduce, AnAccumulatorIsTheResultsType) {
  const Problem& problem = *find_problem("reduce");
  const auto answer = [&](Type type, Index n, const char* values, const char* accumulator) {
    InputSpec input{.type = type, .op = Operator::sum, .n = n, .axes = {{"values", values}}};
    input.pair = problem.pair(type, input.op, accumulator);
    const Inputs inputs = problem.make(input);
    const Expected expected = problem.reference(input, inputs)->block(0, 1);
    return expected.wide.empty() ? input.pair->result->text(expected.exact.data.get()) : "rounds";
  };
  EXPECT_EQ(answer(Type::u8, 300, "extreme", ""), "106");
  EXPECT_EQ(answer(Type::u8, 300, "extreme", "u32"), "38250");
  EXPECT_EQ(answer(Type::i8, 300, "extreme", ""), "106");
  EXPECT_EQ(answer(Type::i8, 300, "extreme", "i32"), "-150");
  EXPECT_EQ(answer(Type::f16, 4096, "equal", ""), "rounds");
  EXPECT_EQ(answer(Type::f16, 4096, "equal", "f32"), "4096");
  EXPECT_EQ(answer(Type::bf16, 1 << 20, "equal", "f32"), "1048576");
}

// The bound of a segment follows from its own length: with n in its place, 14 % of a segment of 50 would pass
// at n = 2^28 without a stated chain.
TEST(SegReduce, EachResultHasTheNumberOfItsValues) {
  const Problem& problem = *find_problem("segreduce");
  InputSpec input = spec(Type::f32, Operator::sum, 100'000);
  input.axes = {{"values", "uniform"}, {"segments", "fixed:3+empty"}, {"given", "offsets"}};
  input.pair = problem.pair(input.type, input.op);
  const Inputs inputs = problem.make(input);
  const std::unique_ptr<Reference> reference = problem.reference(input, inputs);
  ASSERT_EQ(reference->results(), inputs.m);
  EXPECT_EQ(problem.sizes(input).rounded_terms, 3);
  const Expected block = reference->block(0, inputs.m);
  for (Index i = 0; i + 2 < inputs.m; ++i) ASSERT_EQ(block.terms[std::size_t(i)], i % 2 == 0 ? 3 : 0) << i;
  EXPECT_EQ(block.terms[std::size_t(inputs.m) - 2], 1);  // 100000 = 3 x 33333 + 1
  // The same in blocks, which may begin within a segment's neighbours and again.
  for (const Index first : {Index(0), Index(7)}) {
    const Expected part = reference->block(first, 7);
    for (Index i = 0; i < 7; ++i) {
      EXPECT_EQ(part.wide[std::size_t(i)], block.wide[std::size_t(first + i)]);
      EXPECT_EQ(part.terms[std::size_t(i)], block.terms[std::size_t(first + i)]);
    }
  }
}

TEST(Reference, ZerosOfEitherSignAreTheSameAnswer) {
  // i x i x 1 = -1 + 0i or -1 - 0i, by the order: both are right.
  const Pair& pair = reduction(Type::c32, Operator::product);
  Expected expected;
  expected.exact = HostBuffer(sizeof(c32));
  *expected.exact.as<c32>() = {-1, 0};
  const c32 got{-1, -0.0f}, wrong{-1, 1};
  EXPECT_TRUE(check_block(pair, expected, &got, 0).right);
  EXPECT_FALSE(check_block(pair, expected, &wrong, 0).right);
}

}  // namespace
}  // namespace redbench
