// The energy of a run from a counter that moves now and then, on boards and clocks made here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "src/instruments/energy.hpp"

namespace redbench {
namespace {

/// A device whose runs take `run_s` at 700 W, with a counter that is brought up to date every `update_s` and
/// takes `call_s` to be read.
struct FakeBoard {
  double run_s, update_s, call_s = 1e-5;
  double now_s = 0, busy_until_s = 0;
  Index runs = 0;

  BatchEnergy measure() {
    return measure_batch({[this](Index some) {
                            busy_until_s = std::max(busy_until_s, now_s) + double(some) * run_s;
                            runs += some;
                          },
                          [this] { now_s = std::max(now_s, busy_until_s); },
                          [this]() -> std::optional<std::uint64_t> {
                            now_s += call_s;
                            return std::uint64_t(700e3 * update_s * std::floor(now_s / update_s));
                          },
                          [this] { return now_s; }});
  }
};

TEST(Energy, AGpusCounterOverRunsGivesTheEnergyOfOne) {
  for (const double run_s : {2e-6, 1e-4, 3e-3, 4.9e-3, 12e-3})
    for (const double update_s : {1e-3, 20e-3, 100e-3}) {
      FakeBoard board{run_s, update_s};
      const BatchEnergy energy = board.measure();
      ASSERT_EQ(energy.missing, "") << run_s << ' ' << update_s;
      EXPECT_NEAR(energy.mj / double(energy.runs) / (700e3 * run_s), 1, 0.04) << run_s << ' ' << update_s;
      EXPECT_LE(board.now_s, 2.05);
      EXPECT_GE(double(energy.runs) * run_s, 0.095);
    }
}

TEST(Energy, ABatchThatSaysLittleIsNull) {
  EXPECT_NE((FakeBoard{1e-4, 1.2}.measure().missing), "") << "one move of the counter in two seconds";
  EXPECT_NE((FakeBoard{1e-4, 10.0}.measure().missing), "") << "none";
  EXPECT_NE((FakeBoard{1e-4, 0.02, 0.05}.measure().missing), "") << "each reading takes 50 ms";
  EXPECT_EQ((FakeBoard{1e-4, 0.1, 0.006}.measure().missing), "")
      << "as on an H200, which half a second was not enough for";
  EXPECT_EQ((FakeBoard{1e-4, 0.02, 0.002}.measure().missing), "");
}

// Half a second for each part: one tells how many runs a part needs, then three until two seconds are over.
TEST(Energy, WhatIsMissingIsSaidInReadingsAndMoves) {
  double now_s = 0;
  const BatchEnergy energy =
      measure_batch({[](Index) {}, [&] { now_s += 0.5; }, []() -> std::optional<std::uint64_t> { return 7; },
                     [&] { return now_s; }});
  EXPECT_EQ(energy.missing,
            "in 2 s NVML's energy counter moved 0 times at 3 readings; two moves that are 0.1 s and 50 "
            "readings apart are needed");
}

}  // namespace
}  // namespace redbench
