// Warp collectives of the modelled GPU, against results derived by hand from the CUDA programming guide.
#include <array>

#include "tests/simt/runner_support.hpp"

namespace redbench {
namespace {

using simt::running;
using simt::WarpOp;

const Grid one_warp{.threads = 32};

// A lane that would read past its segment keeps its own value; a lane that is named is taken modulo the width. xor
// reads from earlier segments, but not from later ones.
TEST(SimtCollectives, ShufflesOfEachKind) {
  const auto expect = [](const char* kernel, int argument, int width, int (*source)(int lane)) {
    const auto values = run_shuffled(kernel, one_warp, {argument, width}, 32);
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(values[lane], 100 + source(lane)) << kernel << ' ' << lane;
  };
  expect("shfl", 5, 32, [](int) { return 5; });
  expect("shfl", 13, 8, [](int lane) { return lane / 8 * 8 + 5; });
  expect("shfl_up", 3, 16, [](int lane) { return lane % 16 >= 3 ? lane - 3 : lane; });
  expect("shfl_down", 3, 16, [](int lane) { return lane % 16 < 13 ? lane + 3 : lane; });
  expect("shfl_xor", 5, 32, [](int lane) { return lane ^ 5; });
  expect("shfl_xor", 8, 8, [](int lane) { return (lane ^ 8) < lane ? lane ^ 8 : lane; });
}

TEST(SimtCollectives, ShufflesMoveWholeValuesOf8And16Bytes) {
  EXPECT_EQ(run_shuffled("shfl_of_8_bytes", one_warp, {0}, 32), std::vector<int>(32, 1));
  EXPECT_EQ(run_shuffled("shfl_of_16_bytes", one_warp, {0}, 32), std::vector<int>(32, 1));
}

TEST(SimtCollectives, VotesAndMatchesOfAWarp) {
  std::vector<int> predicates(32, 0), values = iota(32);
  const auto all_any = [&] { return run_shuffled("all_any", one_warp, predicates, 32); };
  EXPECT_EQ(all_any(), std::vector<int>(32, 0));
  predicates[0] = 1, predicates[7] = 256, predicates[31] = -1;
  EXPECT_EQ(run_shuffled("ballot", one_warp, predicates, 32), std::vector<int>(32, int(0x80000081)));
  EXPECT_EQ(all_any(), std::vector<int>(32, 2));
  predicates.assign(32, 1);
  EXPECT_EQ(all_any(), std::vector<int>(32, 3));

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

TEST(SimtCollectives, LanesMeetUnderMasksOfTheirOwn) {
  const auto sums = run_shuffled("two_groups", one_warp, {0}, 32);
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(sums[lane], lane % 2 ? 16 * 16 : 15 * 16);
  EXPECT_EQ(run_shuffled("half_warp", one_warp, {0}, 32)[0], 120);  // 0 + 1 + .. + 15
  EXPECT_EQ(run_shuffled("active_mask_is_usable", {.threads = 64}, {0}, 64), std::vector<int>(64, 1));
}

TEST(SimtCollectives, LanesThatHaveEndedCountAsArrived) {
  auto counts = run_shuffled("ended_lanes", one_warp, {0}, 32);
  EXPECT_EQ(std::vector(counts.begin(), counts.begin() + 16), std::vector<int>(16, 16));
  EXPECT_EQ(run_shuffled("ends_late", one_warp, {0}, 32)[0], 0x7fffffff);
  // A block of 20 threads: the other 12 lanes of its warp never were.
  counts = run_shuffled("ended_lanes", {.threads = 12}, {0}, 12);
  EXPECT_EQ(counts, std::vector<int>(12, 12));
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

using Three = std::array<std::uint64_t, 3>;

constexpr unsigned mask = 0x52;
constexpr std::uint64_t undefined = 0xa5a5a5a5a5a5a5a5;

Three results(WarpOp op, const Three& values, std::uint64_t argument = 0) {
  Three all{};
  with_runner([&](simt::BlockRunner& runner) {
    EXPECT_EQ(run(runner, {.threads = 32},
                  [&](unsigned thread) {
                    if (!(mask >> thread & 1)) return;
                    const std::size_t i = thread == 1 ? 0 : thread == 4 ? 1 : 2;
                    all[i] = running.runner->collective(op, mask, values[i], argument, nullptr);
                  }),
              "");
  });
  return all;
}

TEST(CollectiveResults, OfAMatchAreTheLanesOfTheSameValue) {
  EXPECT_EQ(results(WarpOp::match_any, {5, 7, 5}), (Three{0x42, 0x10, 0x42}));
  EXPECT_EQ(results(WarpOp::match_any, {0, 0, 0}), (Three{0x52, 0x52, 0x52}));
  EXPECT_EQ(results(WarpOp::match_any, {1, 2, 1ull << 32 | 1}), (Three{0x02, 0x10, 0x40})) << "of 8 bytes";
}

// By PTX's shfl.sync: a lane that would read past its segment keeps its own, one that reads from a lane that
// takes no part has no plausible value.
TEST(CollectiveResults, OfAShuffleAreThoseOfTheLanesThatItNames) {
  struct {
    WarpOp op;
    std::int32_t argument;
    std::uint64_t width;
    Three results;
  } const cases[] = {{WarpOp::shuffle, 2, 32, {undefined, undefined, undefined}},
                     {WarpOp::shuffle, 12, 8, {104, 104, 104}},
                     {WarpOp::shuffle, 6, 4, {undefined, 106, 106}},
                     {WarpOp::shuffle_up, 2, 32, {101, undefined, 104}},
                     {WarpOp::shuffle_up, 3, 32, {101, 101, undefined}},
                     {WarpOp::shuffle_up, 40, 32, {101, 104, 106}},
                     {WarpOp::shuffle_down, 2, 32, {undefined, 106, undefined}},
                     {WarpOp::shuffle_down, 2, 8, {undefined, 106, 106}},
                     {WarpOp::shuffle_down, 3, 8, {104, undefined, 106}},
                     {WarpOp::shuffle_down, 40, 32, {101, 104, 106}},
                     {WarpOp::shuffle_xor, 2, 32, {undefined, 106, 104}},
                     {WarpOp::shuffle_xor, 5, 4, {101, 101, undefined}},
                     {WarpOp::shuffle_xor, 7, 8, {106, undefined, 101}},
                     {WarpOp::shuffle_xor, 64, 32, {101, 104, 106}}};
  for (const auto& one : cases)
    EXPECT_EQ(results(one.op, {101, 104, 106}, one.width << 32 | std::uint32_t(one.argument)), one.results)
        << int(one.op) << ' ' << one.argument << ' ' << one.width;
}

}  // namespace
}  // namespace redbench
