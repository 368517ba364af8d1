// Two variants of one run at all their points: which pairs there are, and what is said of each.
#include <gmock/gmock.h>

#include <cmath>

#include "src/compare/comparison.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

Record of_block(const std::string& variant, Index n, int block, double factor) {
  Record record = measured(variant, times(factor), n);
  record["parameters"] = {{"block", block}};
  return record;
}

Record failed(const std::string& variant, Index n, const std::string& outcome, const Json& reason) {
  Record record = record_of(variant, n, outcome);
  record["reason"] = reason;
  return record;
}

/// Of each case its n, its parameter, both times in µs, the logarithm of their ratio, the verdict and its
/// notes.
std::string text_of(const Comparison& comparison) {
  std::string text;
  for (const ComparedCase& one : comparison.cases) {
    const auto us = [](const Json& ns) {
      return ns.is_null() ? "-" : fmt::format("{:g}", ns.get<double>() / 1e3);
    };
    text += fmt::format("{} {}: {} {} {} {}{}", one.record["n"].dump(),
                        one.record["parameters"]["block"].dump(), us(one.first_ns), us(one.second_ns),
                        one.difference ? fmt::format("{:.4f}", one.difference->log_ratio) : "-",
                        name_of(one.judged.verdict), one.is_lost ? ", lost" : "");
    for (const std::string& note : one.notes) text += "; " + note;
    text += "\n";
  }
  return text;
}

// ln 1.05, ln 0.8 and ln 1.25. Where a parameter is swept by either, the pairs are those of one value.
TEST(CompareVariants, AtEachPointThatBothHave) {
  const std::string one = "reduce/harris3", two = "reduce/harris7";
  const StoredRun run = run_of(
      "folder",
      {of_block(one, 1024, 256, 1), of_block(two, 1024, 128, 1.05), of_block(two, 2048, 256, 0.8),
       of_block(one, 2048, 256, 1), of_block(one, 4096, 256, 2), failed(two, 4096, "wrong", "7 is not 8"),
       failed(one, 8192, "timeout", nullptr), of_block(two, 8192, 256, 3), failed(one, 16384, "failed", "x"),
       failed(two, 16384, "failed", "y"), of_block(one, 32768, 256, 1), of_block("reduce/cub", 32768, 256, 1),
       of_block(one, 65536, 64, 1), of_block(one, 65536, 128, 2), of_block(two, 65536, 128, 2.5)});
  const Comparison found = compare_variants(run, "harris3", two, {.threshold_percent = 1.5});
  EXPECT_EQ(found.first, "harris3");
  EXPECT_EQ(found.second, two);
  EXPECT_TRUE(found.of_variants);
  EXPECT_EQ(found.threshold_percent, 1.5);
  // Kernels and program as they are now have other hashes than these records say.
  const std::string stale = "; both are stale: kernel changed; measured otherwise\n";
  EXPECT_EQ(text_of(found), "1024 256: 100 105 0.0488 slower" + stale + "2048 256: 100 80 -0.2231 faster" +
                                stale +
                                "4096 256: 200 - - undecided, lost; reduce/harris7 wrong: 7 is not 8\n"
                                "8192 256: - 300 - undecided; harris3 timeout\n"
                                "65536 128: 200 250 0.2231 slower" +
                                stale);
}

TEST(CompareVariants, WhatCannotBeIsSaid) {
  const StoredRun run = run_of(
      "folder", {measured("reduce/harris3", around_100, 1024), measured("reduce/harris7", around_100, 2048)});
  EXPECT_EQ(usage_error([&] { compare_variants(run, "harris3", "harris3", {}); }),
            "--variants harris3 harris3: one variant, named twice");
  EXPECT_EQ(
      usage_error([&] { compare_variants(run, "harris3", "harris7", {}); }),
      "folder: `harris3` and `harris7` have no case in common: same input, mode and device, with a time "
      "of either");
  EXPECT_EQ(usage_error([&] { compare_variants(run, "harris3", "harris8", {}); }),
            "folder: no record of a variant `harris8`; did you mean `harris3`?");
}

}  // namespace
}  // namespace redbench
