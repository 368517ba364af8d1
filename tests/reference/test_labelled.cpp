// The references of problems with labels: by hand, and against a loop over each label's list.
#include <gmock/gmock.h>
#include <omp.h>

#include "src/inputs/labels.hpp"
#include "src/inputs/values.hpp"
#include "src/reference/labelled.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::Pair;

const redbench::Pair& pair_of(const char* problem, Type type, Operator op) {
  return *find_problem(problem)->pair(type, op);
}

template <class T>
Labelled labelled(const std::vector<u32>& labels, const std::vector<T>& values, Index m) {
  return {Type::u32, labels.data(), values.data(), 1, Index(labels.size()), m};
}

/// All results, asked for in blocks of `count`.
template <class T>
std::vector<T> results_of(Reference& reference, Index count) {
  std::vector<T> all;
  for (Index first = 0; first < reference.results(); first += count) {
    const Index here = std::min(count, reference.results() - first);
    const Expected block = reference.block(first, here);
    EXPECT_EQ(block.exact.bytes, std::size_t(here) * sizeof(T));
    all.insert(all.end(), block.exact.as<T>(), block.exact.as<T>() + here);
  }
  return all;
}

TEST(ByLabel, SumsByHand) {
  const std::vector<u32> labels{2, 0, 2, 4, 2};
  const std::vector<i32> values{1, 20, 300, 4000, 50000};
  const auto reference =
      by_label(pair_of("multiscan", Type::i32, Operator::sum), true, labelled(labels, values, 6));
  EXPECT_THAT(results_of<i32>(*reference, 6), ElementsAre(20, 0, 50301, 0, 4000, 0));
}

// A label without any input has the identity, not zero.
TEST(ByLabel, WithoutAnInputItIsTheIdentity) {
  const std::vector<u32> labels{1, 1};
  const std::vector<i32> values{7, 5};
  const Labelled inputs = labelled(labels, values, 3);
  const i32 highest = 2147483647, aside = -highest - 1;
  EXPECT_THAT(results_of<i32>(*by_label(pair_of("multiscan", Type::i32, Operator::min), true, inputs), 3),
              ElementsAre(highest, 5, highest));
  EXPECT_THAT(results_of<i32>(*by_label(pair_of("multiscan", Type::i32, Operator::right), true, inputs), 3),
              ElementsAre(aside, 5, aside));
}

TEST(ByLabel, MapsComeInInputOrder) {
  const std::vector<u32> labels{1, 0, 1};
  const std::vector<AffineMap> values{{3, 5}, {9, 9}, {7, 11}};
  const auto reference =
      by_label(pair_of("multiscan", Type::u32, Operator::affine), true, labelled(labels, values, 2));
  // First 3 x + 5, then 7 x + 11: 21 x + 46.
  EXPECT_THAT(results_of<AffineMap>(*reference, 2), ElementsAre(AffineMap{9, 9}, AffineMap{21, 46}));
}

// A count that is kept in the type of the labels would be 299 - 256.
TEST(ByLabel, CountsOfBytesPassTheirType) {
  std::vector<u8> labels(300, 3);
  labels[7] = 255;
  const u32 one = 1;
  const Labelled inputs{Type::u8, labels.data(), &one, 0, 300, 256};
  std::vector<u32> expected(256);
  expected[3] = 299;
  expected[255] = 1;
  EXPECT_EQ(results_of<u32>(*by_label(pair_of("histogram", Type::u8, Operator::sum), true, inputs), 100),
            expected);
}

// The states of 2^24 labels are there at once; a block may begin in one part of them and end in the third.
TEST(ByLabel, ABlockOverThreePartsOfTheStates) {
  constexpr Index part = Index(1) << 24, m = 2 * part + 2;
  const std::vector<u32> labels{u32(part) - 1, u32(part), 2 * u32(part) - 1, 2 * u32(part), u32(m) - 1, 0};
  const std::vector<i32> values{4, 8, 16, 32, 64, 128};
  const auto reference =
      by_label(pair_of("multiscan", Type::i32, Operator::sum), true, labelled(labels, values, m));
  const Expected block = reference->block(part - 1, part + 3);
  const i32* const results = block.exact.as<i32>();
  for (const auto& [at, result] :
       {std::pair(Index(0), 4), {1, 8}, {2, 0}, {part, 16}, {part + 1, 32}, {part + 2, 64}})
    EXPECT_EQ(results[at], result) << at;
}

// The bound of a sum follows from them: of n = 5 inputs a label with one has no rounding at all.
TEST(ByLabel, TermsAreThoseOfEachResult) {
  const std::vector<u32> labels{2, 0, 2, 2, 2};
  const std::vector<f32> values{-1, 0.5f, 2, 0x1p-20f, 0x1p20f};
  const auto reference =
      by_label(pair_of("multiscan", Type::f32, Operator::sum), false, labelled(labels, values, 3));
  const Expected block = reference->block(0, 3);
  EXPECT_THAT(block.terms, ElementsAre(1, 0, 4));
  EXPECT_THAT(block.wide, ElementsAre(Pair(0.5, 0), Pair(0, 0), Pair(0x1p20 + 1 + 0x1p-20, 0)));
  EXPECT_THAT(block.magnitude, ElementsAre(0.5, 0, 0x1p20 + 3 + 0x1p-20));
  EXPECT_EQ(block.exact.bytes, 0u);
}

TEST(ScanByLabel, TermsAreThoseBeforeEachInput) {
  const std::vector<u32> labels{1, 0, 1, 1};
  const std::vector<f32> values{1, 2, -4, 8};
  const redbench::Pair& sum = pair_of("multiscan", Type::f32, Operator::sum);
  const Expected exclusive = scan_by_label(sum, false, labelled(labels, values, 2), false)->block(0, 4);
  EXPECT_THAT(exclusive.terms, ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(exclusive.wide, ElementsAre(Pair(0, 0), Pair(0, 0), Pair(1, 0), Pair(-3, 0)));
  EXPECT_THAT(exclusive.magnitude, ElementsAre(0, 0, 1, 5));
  EXPECT_THAT(scan_by_label(sum, false, labelled(labels, values, 2), true)->block(0, 4).terms,
              ElementsAre(1, 1, 2, 3));
}

/// Each label's list folded by the operator itself.
template <class Op, class T = typename Op::Value>
std::vector<T> scanned(const std::vector<u32>& labels, const T* values, Index m, bool inclusive) {
  std::vector<T> buckets(std::size_t(m), Op::identity()), results;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    T& bucket = buckets[labels[i]];
    if (!inclusive) results.push_back(bucket);
    bucket = Op()(bucket, values[i]);
    if (inclusive) results.push_back(bucket);
  }
  return results;
}

// 8 x (2^14 + 1) inputs: two parts have buckets of their own, each a quarter of the inputs.
TEST(ByLabel, PartsOfTheInputsAreAppendedInOrder) {
  constexpr Index m = (Index(1) << 14) + 1, n = 8 * m;
  std::vector<u32> labels;
  std::vector<AffineMap> values, expected(m, Affine::identity());
  for (u32 i = 0; i < n; ++i) {
    labels.push_back(i * 7919 % m);
    values.push_back({2 * i + 1, i});
    expected[labels[i]] = Affine()(expected[labels[i]], values[i]);
  }
  const redbench::Pair& affine = pair_of("multiscan", Type::u32, Operator::affine);
  EXPECT_EQ(results_of<AffineMap>(*by_label(affine, true, labelled(labels, values, m)), m), expected);
}

/// Blocks of one result and of several, from the start again, by any number of threads, for labels of any
/// kind.
template <class Op>
void expect_scan(Type type, Operator op) {
  using T = typename Op::Value;
  const int threads = omp_get_max_threads();
  for (const Json& distribution : {Json("uniform"), Json("degenerate"), Json("sorted"), Json("zipf:1")})
    for (const Index m : {Index(1), Index(17), Index(4000)}) {
      InputSpec input;
      input.type = type;
      input.op = op;
      input.n = 1009;
      input.pair = &pair_of("multiscan", type, op);
      input.axes = {{"labels", distribution}, {"m", m}, {"values", "uniform"}};
      const HostBuffer made = make_labels(input, Type::u32), values = make_values(input, input.n);
      const std::vector<u32> labels(made.as<u32>(), made.as<u32>() + input.n);
      const Labelled inputs{Type::u32, made.as<u32>(), values.as<T>(), 1, input.n, m};
      for (const bool inclusive : {false, true}) {
        const std::vector<T> expected = scanned<Op>(labels, values.as<T>(), m, inclusive);
        for (const int several : {1, 3}) {
          omp_set_num_threads(several);
          const auto reference = scan_by_label(*input.pair, true, inputs, inclusive);
          for (const Index count : {Index(1), Index(100), Index(2000)})
            EXPECT_EQ(results_of<T>(*reference, count), expected)
                << distribution << m << inclusive << several;
        }
      }
    }
  omp_set_num_threads(threads);
}

TEST(ScanByLabel, IsALoopOverEachLabel) {
  expect_scan<Sum<i32>>(Type::i32, Operator::sum);
  expect_scan<Min<i32>>(Type::i32, Operator::min);
  expect_scan<Affine>(Type::u32, Operator::affine);
}

}  // namespace
}  // namespace redbench
