// Histograms whose bins have few bits, or updates that may be lost: right where one bin takes every label,
// with bins as full as they may be and one label further. One block has all labels, so that no other one is
// right by chance.
#include "src/json/json.hpp"
#include "tests/run_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

/// Runs a variant on n bytes that are all 0, with these values of its parameters; of its cases those that did
/// not pass.
std::vector<std::string> not_passed(const std::string& variant, const std::string& n, const std::string& m,
                                    const std::string& parameters) {
  return redbench::not_passed(R"({"title": "test", "experiments": [{"problem": "histogram", "variants": [")" +
                              variant + R"("], "axes": {"type": "u8", "labels": "degenerate", "n": )" + n +
                              R"(, "m": )" + m + ", " + parameters + "}}]}");
}

const std::vector<std::string> none;

// 192 threads of 63 words, three labels past the last word, one word more.
TEST(SmallBins, Podlozhnyuk64EndsABlockBefore256) {
  EXPECT_EQ(not_passed("podlozhnyuk64", "[48384, 48387, 48388, 145155]", "[1, 64]", R"("fills": [1, 3])"),
            none);
}

// 64 threads of 63 words. A bin that overflows into the next makes that one wrong, too.
TEST(SmallBins, TrishIsEmptiedBefore256) {
  EXPECT_EQ(not_passed("trish", "[16128, 16131, 16132, 48387]", "[1, 256]", R"("blocks": 1)"), none);
}

TEST(SmallBins, BanktrishIsEmptiedBeforeItsThreadsTogetherCount256) {
  EXPECT_EQ(not_passed("banktrish", "[16128, 16131, 16132, 48387]", "[1, 256]",
                       R"("blocks": 1, "factor": [2, 3, 4, 5, 6, 7, 8])"),
            none);
}

// 32 threads of 16 383 words.
TEST(SmallBins, NugterensBinsAreEmptiedBefore65536) {
  EXPECT_EQ(not_passed("nugteren_bank", "[2097024, 2097027, 2097028, 4194051]", "2",
                       R"("blocks": 1, "staggered": [0, 1])"),
            none);
}

TEST(SmallBins, ShamsAndKennedysOverflowIntoGlobalMemory) {
  EXPECT_EQ(not_passed("shams_kennedy_global", "[8160, 8161, 8192, 24581]", "[1, 33]",
                       R"("blocks": 1, "block": 32, "bits": [1, 2, 4, 8])"),
            none);
}

TEST(SmallBins, NoUpdateOfAWarpIsLostWithEither) {
  for (const char* variant : {"podlozhnyuk256", "nugteren_shuffled", "shams_kennedy_shared"})
    EXPECT_EQ(not_passed(variant, "[31, 10007]", "[1, 256]", R"("blocks": 1, "update": [0, 1])"), none);
}

// A count of 27 bits, next to the number of the lane.
TEST(SmallBins, ATaggedUpdateRefusesMoreThanItsBitsCount) {
  const Answer answer = redbench(
      "plan configs/histogram.json -d simt:gtx480 --set 'experiments=[{\"problem\": \"histogram\", "
      "\"variants\": "
      "[\"podlozhnyuk256\"], \"axes\": {\"n\": 1073741824, \"type\": \"u8\", \"blocks\": 1, \"update\": [0, "
      "1]}}]'");
  EXPECT_TRUE(has(answer.text, {"a warp has up to 178957060 labels", "update=1"})) << answer.text;
}

}  // namespace
}  // namespace redbench
