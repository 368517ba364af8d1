// Warp collectives of the modelled GPU, against results derived by hand from the CUDA programming guide.
#include <fstream>

#include "tests/simt_support.hpp"

namespace redbench {

int line_with(const std::string& path, const std::string& text) {
  std::ifstream file(std::string(REDBENCH_SOURCE_DIR) + "/" + path);
  int number = 0, found = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find(text) == line.npos) continue;
    EXPECT_EQ(found, 0) << text << " is there twice";
    found = number;
  }
  EXPECT_NE(found, 0) << text << " is not in " << path;
  return found;
}

namespace {

const Grid one_warp{.threads = 32};

std::vector<int> shuffled(const char* name, int argument, int width) {
  return run_shuffled(name, one_warp, {argument, width}, 32);
}

TEST(SimtCollectives, ShuffleReadsTheNamedLaneOfItsSegment) {
  const auto whole = shuffled("shfl", 5, 32), quarters = shuffled("shfl", 5, 8);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(whole[lane], 105);
    EXPECT_EQ(quarters[lane], 100 + lane / 8 * 8 + 5);
  }
  EXPECT_EQ(shuffled("shfl", 13, 8)[17], 100 + 16 + 5);  // the lane is taken modulo the width
}

TEST(SimtCollectives, ShuffleUpAndDownKeepTheirOwnAtTheEdgeOfTheSegment) {
  const auto up = shuffled("shfl_up", 3, 16), down = shuffled("shfl_down", 3, 16);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(up[lane], 100 + (lane % 16 >= 3 ? lane - 3 : lane));
    EXPECT_EQ(down[lane], 100 + (lane % 16 < 13 ? lane + 3 : lane));
  }
}

TEST(SimtCollectives, ShuffleXorReadsEarlierSegmentsButNotLaterOnes) {
  const auto within = shuffled("shfl_xor", 5, 32), across = shuffled("shfl_xor", 8, 8);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(within[lane], 100 + (lane ^ 5));
    // Segments of 8: lanes 8..15 see 0..7, whose partners lie in a later segment.
    EXPECT_EQ(across[lane], 100 + ((lane ^ 8) < lane ? lane ^ 8 : lane));
  }
}

TEST(SimtCollectives, ShufflesMoveWholeValuesOf8And16Bytes) {
  EXPECT_EQ(run_shuffled("shfl_of_8_bytes", one_warp, {0}, 32), std::vector<int>(32, 1));
  EXPECT_EQ(run_shuffled("shfl_of_16_bytes", one_warp, {0}, 32), std::vector<int>(32, 1));
}

TEST(SimtCollectives, BallotHasABitForEachPredicate) {
  std::vector<int> predicates(32, 0);
  predicates[0] = 1, predicates[7] = 256, predicates[31] = -1;
  EXPECT_EQ(run_shuffled("ballot", one_warp, predicates, 32), std::vector<int>(32, int(0x80000081)));
}

TEST(SimtCollectives, AllAndAny) {
  std::vector<int> predicates(32, 1);
  EXPECT_EQ(run_shuffled("all_any", one_warp, predicates, 32), std::vector<int>(32, 3));
  predicates[13] = 0;
  EXPECT_EQ(run_shuffled("all_any", one_warp, predicates, 32), std::vector<int>(32, 2));
  EXPECT_EQ(run_shuffled("all_any", one_warp, std::vector<int>(32, 0), 32), std::vector<int>(32, 0));
}

TEST(SimtCollectives, MatchNamesTheLanesOfEqualValues) {
  std::vector<int> values = iota(32);
  for (int& value : values) value %= 3;
  const auto lanes = run_shuffled("match_any", one_warp, values, 32);
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(unsigned(lanes[lane]), 0x49249249u << lane % 3);
  EXPECT_EQ(run_shuffled("match_all", one_warp, values, 32), std::vector<int>(32, 0));
  EXPECT_EQ(run_shuffled("match_all", one_warp, std::vector<int>(32, 9), 32), std::vector<int>(32, 1));
}

TEST(SimtCollectives, ReduceSyncOfEachKind) {
  std::vector<int> values(32, 0x70);
  values[3] = -5;  // the largest unsigned, 0xfffffffb
  values[30] = 0x171;
  const auto results = run_shuffled("reduces", one_warp, values, 32 * 8);
  // 30 * 0x70 - 5 + 0x171 = 3360 - 5 + 369. xor: 0x70 thirty times is 0, so 0xfffffffb ^ 0x171.
  const std::vector<int> expected{3724, -5, 0x171, 0x70, -5, 0x70, int(0xfffffffb), int(0xfffffe8a)};
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(results[8 * lane + i], expected[i]) << "lane " << lane << " result " << i;
}

TEST(SimtCollectives, GroupsWithDisjointMasksAtTheSameTime) {
  const auto sums = run_shuffled("two_groups", one_warp, {0}, 32);
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(sums[lane], lane % 2 ? 16 * 16 : 15 * 16);
}

TEST(SimtCollectives, PartOfAWarpUnderItsOwnMask) {
  EXPECT_EQ(run_shuffled("half_warp", one_warp, {0}, 32)[0], 120);  // 0 + 1 + .. + 15
}

TEST(SimtCollectives, LanesThatHaveEndedCountAsArrived) {
  auto counts = run_shuffled("ended_lanes", one_warp, {0}, 32);
  EXPECT_EQ(std::vector(counts.begin(), counts.begin() + 16), std::vector<int>(16, 16));
  EXPECT_EQ(run_shuffled("ends_late", one_warp, {0}, 32)[0], 0x7fffffff);
  // A block of 20 threads: the other 12 lanes of its warp never were.
  counts = run_shuffled("ended_lanes", {.threads = 12}, {0}, 12);
  EXPECT_EQ(counts, std::vector<int>(12, 12));
}

TEST(SimtCollectives, ALaneOutsideTheMaskGivesNothing) {
  EXPECT_EQ(run_shuffled("reads_outside_mask", one_warp, {0}, 16), std::vector<int>(16, 1));
}

TEST(SimtCollectives, ActiveMaskNamesLanesThatCanMeet) {
  EXPECT_EQ(run_shuffled("active_mask_is_usable", {.threads = 64}, {0}, 64), std::vector<int>(64, 1));
}

TEST(SimtIntrinsics, BitsAreCountedAndFound) {
  const std::vector<int> popc{0, 1, 9}, popcll{0, 1, 10}, ffs{0, 1, 4, 32}, ffsll{0, 1, 41},
      clz{32, 31, 11, 0}, clzll{64, 63, 23, 0};
  std::vector<int> expected;
  for (const auto& part : {popc, popcll, ffs, ffsll, clz, clzll})
    expected.insert(expected.end(), part.begin(), part.end());
  EXPECT_EQ(run_kernel(*modelled(), "bit_functions", {.threads = 1}, {0}, int(expected.size())), expected);
}

TEST(SimtIntrinsics, TheSmallerTheLargerAndWhatIsRead) {
  EXPECT_EQ(run_kernel(*modelled(), "value_functions", {.threads = 1}, {3, 8, -1}, 7),
            (std::vector<int>{8, 3, 3, 8, 8, -1, 3}));
}

TEST(SimtCollectives, ACallerOutsideItsMaskIsAnError) {
  EXPECT_TRUE(has(error_of("not_in_mask", one_warp),
                  {"kernel not_in_mask, block 0, thread 1", "tests/simt/collectives.cu:", "__shfl_sync",
                   "0x00000001", "lane 1 is not"}));
}

TEST(SimtCollectives, WhatACallerDidWrongIsToldInOneSentence) {
  const auto at = [](const std::string& kernel) {
    return "kernel " + kernel + ", block 0, thread 0 (tests/simt/collectives.cu:" +
           std::to_string(line_with("tests/simt/collectives.cu", "TEST_KERNEL(" + kernel)) +
           "): __shfl_sync with ";
  };
  EXPECT_EQ(error_of("next_in_mask", one_warp),
            at("next_in_mask") + "mask 0x00000002, in which the caller's lane 0 is not");
  EXPECT_EQ(error_of("bad_width", one_warp), at("bad_width") + "width 12, which is no power of two up to 32");
}

TEST(SimtCollectives, MixedOperationsAreReportedWithBothLines) {
  const std::string file = "tests/simt/collectives.cu";
  const std::string shuffle = file + ":" + std::to_string(line_with(file, "line of the shuffle"));
  const std::string ballot = file + ":" + std::to_string(line_with(file, "line of the ballot"));
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_TRUE(
        has(error_of("mixed_operations", one_warp, {0}, seed),
            {"mismatched collective", "__shfl_sync", "__ballot_sync", shuffle.c_str(), ballot.c_str()}));
}

TEST(SimtCollectives, MixedMasksAreReportedWithBothMasks) {
  EXPECT_TRUE(has(error_of("mixed_masks", one_warp), {"mismatched collective", "0x0010ffff", "0xffff0001"}));
}

TEST(SimtCollectives, ADeadlockSaysWhoWaitsWhere) {
  const std::string file = "tests/simt/collectives.cu";
  const std::string any = file + ":" + std::to_string(line_with(file, "waits for thread 5"));
  const std::string barrier = file + ":" + std::to_string(line_with(file, "where thread 5 is"));
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_TRUE(
        has(error_of("missing_lane", one_warp, {0}, seed),
            {"kernel missing_lane, block 0", "no thread can go on", "threads 0 to 4 wait in __any_sync",
             "thread 5 waits in __syncthreads", "threads 6 to 31", any.c_str(), barrier.c_str()}));
}

}  // namespace
}  // namespace redbench
