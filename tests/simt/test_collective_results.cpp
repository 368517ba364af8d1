// What each collective gives lanes 1, 4 and 6 of a warp, which meet by themselves: by hand.
#include <array>

#include "tests/simt/runner_support.hpp"

namespace redbench {
namespace {

using simt::WarpOp;
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
                    all[i] = simt::running.runner->collective(op, mask, values[i], argument, nullptr);
                  }),
              "");
  });
  return all;
}

TEST(CollectiveResults, AreTheSameForAllLanes) {
  constexpr std::uint64_t minus_2 = 0xfffffffe;
  struct {
    WarpOp op;
    std::uint64_t of_mixed, of_equal, of_zeros, of_small;
  } const cases[] = {{WarpOp::sync, 0, 0, 0, 0},
                     {WarpOp::ballot, 0x42, 0x52, 0, 0x52},
                     {WarpOp::all, 0, 1, 0, 1},
                     {WarpOp::any, 1, 1, 0, 1},
                     {WarpOp::match_all, 0, 0x52, 0x52, 0},
                     {WarpOp::reduce_add, 10, 18, 0, 15},
                     {WarpOp::reduce_min, 0, 6, 0, 3},
                     {WarpOp::reduce_max, minus_2, 6, 0, 7},
                     {WarpOp::reduce_min_signed, minus_2, 6, 0, 3},
                     {WarpOp::reduce_max_signed, 12, 6, 0, 7},
                     {WarpOp::reduce_and, 0, 6, 0, 1},
                     {WarpOp::reduce_or, minus_2, 6, 0, 7},
                     {WarpOp::reduce_xor, 0xfffffff2, 6, 0, 1}};
  for (const auto& one : cases) {
    const auto all = [](std::uint64_t result) { return Three{result, result, result}; };
    EXPECT_EQ(results(one.op, {12, 0, minus_2}), all(one.of_mixed)) << int(one.op);
    EXPECT_EQ(results(one.op, {6, 6, 6}), all(one.of_equal)) << int(one.op);
    EXPECT_EQ(results(one.op, {0, 0, 0}), all(one.of_zeros)) << int(one.op);
    EXPECT_EQ(results(one.op, {5, 7, 3}), all(one.of_small)) << int(one.op);
  }
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
  } const cases[] = {{WarpOp::shuffle, 4, 32, {104, 104, 104}},
                     {WarpOp::shuffle, 2, 32, {undefined, undefined, undefined}},
                     {WarpOp::shuffle, 36, 32, {104, 104, 104}},
                     {WarpOp::shuffle, 12, 8, {104, 104, 104}},
                     {WarpOp::shuffle, 6, 4, {undefined, 106, 106}},
                     {WarpOp::shuffle, -28, 32, {104, 104, 104}},
                     {WarpOp::shuffle_up, 0, 32, {101, 104, 106}},
                     {WarpOp::shuffle_up, 2, 32, {101, undefined, 104}},
                     {WarpOp::shuffle_up, 3, 32, {101, 101, undefined}},
                     {WarpOp::shuffle_up, 2, 4, {101, 104, 104}},
                     {WarpOp::shuffle_up, 40, 32, {101, 104, 106}},
                     {WarpOp::shuffle_up, -40, 32, {undefined, undefined, undefined}},
                     {WarpOp::shuffle_down, 2, 32, {undefined, 106, undefined}},
                     {WarpOp::shuffle_down, 2, 8, {undefined, 106, 106}},
                     {WarpOp::shuffle_down, 3, 8, {104, undefined, 106}},
                     {WarpOp::shuffle_down, 5, 32, {106, undefined, undefined}},
                     {WarpOp::shuffle_down, 40, 32, {101, 104, 106}},
                     {WarpOp::shuffle_down, -40, 32, {undefined, undefined, undefined}},
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
