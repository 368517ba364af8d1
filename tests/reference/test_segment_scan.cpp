// The reference of segmented scans against that of scans by label, which goes on from input to input.
#include <gtest/gtest.h>

#include <cstring>

#include "src/inputs/values.hpp"
#include "src/reference/labelled.hpp"
#include "src/reference/segment_scan.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// Segments of 1, of almost, exactly and more than a chunk of 4096, of several chunks, and what is left.
Json sizes_around_chunks() {
  std::vector<i64> offsets{0};
  for (const i64 size : {1, 4095, 4096, 4095, 2, 4097, 20000, 3}) offsets.push_back(offsets.back() + size);
  return Json(offsets);
}

void expect_same(Type type, Operator op, Index block) {
  SCOPED_TRACE(std::string(name_of(op)) + " in blocks of " + std::to_string(block));
  const Problem& problem = *find_problem("segscan");
  const Json offsets = sizes_around_chunks();
  const Index n = offsets.back();
  InputSpec input{.type = type, .op = op, .n = n, .seed = 3, .pair = problem.pair(type, op)};
  input.axes = {{"values", "uniform"}, {"segments", "one"}};
  Inputs inputs = problem.make(input);
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    for (Index i = offsets[s]; i < offsets[s + 1]; ++i) inputs.labels.as<u32>()[i] = u32(s);
  inputs.m = Index(offsets.size()) - 1;
  const bool exact = exact_in_any_order(input, n);
  const auto in_chunks = scan_of_segments(*input.pair, exact, inputs);
  const auto by_label = scan_by_label(*input.pair, exact, labelled(inputs), false);
  for (int round = 0; round < 2; ++round)  // the second one starts again
    for (Index first = 0; first < n; first += block) {
      const Expected one = in_chunks->block(first, std::min(block, n - first));
      const Expected other = by_label->block(first, std::min(block, n - first));
      ASSERT_EQ(one.terms, other.terms);
      ASSERT_EQ(one.exact.bytes, other.exact.bytes);
      ASSERT_EQ(std::memcmp(one.exact.data.get(), other.exact.data.get(), one.exact.bytes), 0) << first;
      for (std::size_t i = 0; i < one.wide.size(); ++i)
        ASSERT_NEAR(one.wide[i].first, other.wide[i].first, 1e-9) << first << " + " << i;
    }
}

TEST(ScanOfSegments, IsThatByLabelWhereverSegmentsAndBlocksEnd) {
  for (const Index block : {Index(1) << 18, Index(4096), Index(5000)}) {
    expect_same(Type::u32, Operator::affine, block);
    expect_same(Type::f32, Operator::sum, block);
  }
}

}  // namespace
}  // namespace redbench
