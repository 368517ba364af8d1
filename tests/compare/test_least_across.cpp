// The least difference of times of two machines, by self-tests.
#include "src/compare/least_across.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/compare_support.hpp"

namespace redbench {
namespace {

Record at(Index n, const char* hardware = "NVIDIA Test") {
  Record record = measured("reduce/harris3", around_100, n);
  record["hardware"] = hardware;
  return record;
}

TEST(LeastAcross, IsThatOfTheSizeTestedBelowAndOfTheWorseModel) {
  LeastAcross least;
  least.add("NVIDIA Test", "st", {{1024, 0.06}, {4096, 0.02}});
  least.add("NVIDIA Other", "other", {{1024, 0.03}});
  const auto of = [&](const Record& a, const Record& b) { return std::expm1(least.of(a, b)); };
  EXPECT_NEAR(of(at(1024), at(1024)), 0.06, 1e-9);
  EXPECT_NEAR(of(at(4095), at(4095)), 0.06, 1e-9);
  EXPECT_NEAR(of(at(4096), at(4096)), 0.02, 1e-9);
  EXPECT_EQ(least.of(at(1023), at(1023)), INFINITY) << "below all of them";
  EXPECT_NEAR(of(at(4096), at(4096, "NVIDIA Other")), 0.03, 1e-9);
  EXPECT_EQ(least.of(at(4096), at(4096, "a CPU")), INFINITY);
}

}  // namespace
}  // namespace redbench
