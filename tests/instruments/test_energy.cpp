// The energy of a run from a counter that moves now and then, on boards and clocks made here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

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

/// By default runs of 0.3 ms and readings of 1 ms from second 1000 on, at which the counter says what
/// `counter` makes of how often it was asked.
struct ToldBoard {
  std::function<std::optional<std::uint64_t>(int)> counter;
  double run_s = 0.3e-3, call_s = 1e-3;
  double now_s = 1000, busy_until_s = 0;
  int asked = 0;
  std::vector<Index> enqueued = {};

  BatchEnergy measure() {
    return measure_batch({[this](Index some) {
                            busy_until_s = std::max(busy_until_s, now_s) + double(some) * run_s;
                            enqueued.push_back(some);
                          },
                          [this] { now_s = std::max(now_s, busy_until_s); },
                          [this] {
                            now_s += call_s;
                            return counter(asked++);
                          },
                          [this] { return now_s; }});
  }
};

// Two readings of 1 ms take 7 runs of 0.3 ms, so that a part has 8 of them. Of readings 2, 3, ... the first
// moves nothing, as nothing was seen before it; 50 later ones are enough, from the second on.
TEST(Energy, APartKeepsTheDeviceBusyForTwoReadings) {
  ToldBoard board{[](int asked) { return std::uint64_t(1000 + 7 * asked); }};
  const BatchEnergy energy = board.measure();
  EXPECT_EQ(energy.missing, "");
  EXPECT_EQ(energy.mj, 50 * 7);
  EXPECT_EQ(energy.runs, 50 * 8);
  std::vector<Index> expected{1, 2, 4, 8};
  expected.insert(expected.end(), 52, 8);
  EXPECT_EQ(board.enqueued, expected);
}

// With times that are powers of two, so that no sum of them is rounded.
TEST(Energy, APartIsDoubledUntilItIsAsLongAsTwoReadingsOrAMillisecond) {
  const auto parts = [](double run_s, double call_s) {
    ToldBoard board{[](int asked) { return std::uint64_t(1000 + 7 * asked); }, run_s, call_s, 1024};
    EXPECT_EQ(board.measure().missing, "");
    std::vector<Index> first;
    for (const Index runs : board.enqueued) {
      if (!first.empty() && runs == first.back()) break;
      first.push_back(runs);
    }
    return first;
  };
  EXPECT_EQ(parts(0x1p-11, 0x1p-9), (std::vector<Index>{1, 2, 4, 8})) << "8 runs are two readings";
  EXPECT_EQ(parts(0x1p-11 * 1.0625, 0x1p-9), (std::vector<Index>{1, 2, 4, 8}));
  EXPECT_EQ(parts(0x1p-11 * 0.9375, 0x1p-9), (std::vector<Index>{1, 2, 4, 8, 16}));
  EXPECT_EQ(parts(0x1p-8, 0x1p-9), (std::vector<Index>{1})) << "one run is two readings";
  EXPECT_EQ(parts(0x1p-13, 0x1p-20), (std::vector<Index>{1, 2, 4, 8, 16})) << "9 runs are a millisecond";
}

// A run that takes no time that the clock tells: 2^16 of them are enough for the queue.
TEST(Energy, APartHasNoMoreThan65536Runs) {
  ToldBoard board{[](int asked) { return std::uint64_t(1000 + 7 * asked); }, 0};
  EXPECT_EQ(board.measure().missing, "");
  std::vector<Index> expected;
  for (Index runs = 1; runs <= 65536; runs *= 2) expected.push_back(runs);
  ASSERT_GT(board.enqueued.size(), expected.size());
  expected.resize(board.enqueued.size(), 65536);
  EXPECT_EQ(board.enqueued, expected);
}

// The counter moves at the third reading, at 0 s, at the 60th, a little too early, and at the 62nd.
TEST(Energy, ATenthOfASecondIsEnough) {
  double now_s = 0;
  int readings = 0;
  const BatchEnergy energy =
      measure_batch({[](Index) {}, [] {},
                     [&]() -> std::optional<std::uint64_t> {
                       if (++readings == 60) now_s = 0.0999;
                       if (readings == 62) now_s = 0.1;
                       return readings < 4 ? 5 : readings < 60 ? 40 : readings < 62 ? 70 : 90;
                     },
                     [&] { return now_s; }});
  EXPECT_EQ(energy.missing, "");
  EXPECT_EQ(energy.mj, 90 - 40);
}

TEST(Energy, WhatIsMissingHasNoNumbers) {
  const BatchEnergy none = ToldBoard{[](int) { return std::nullopt; }}.measure();
  EXPECT_EQ(none.missing, "NVML has no energy counter for this GPU");
  EXPECT_EQ(none.mj, 0);
  EXPECT_EQ(none.runs, 0);
  // A reading beside 8 runs takes 2.4 ms: in what is left of two seconds there are 831.
  ToldBoard seldom{[](int asked) { return std::uint64_t(asked < 400 ? 10 : asked < 410 ? 20 : 30); }};
  const BatchEnergy few = seldom.measure();
  EXPECT_EQ(few.mj, 0);
  EXPECT_EQ(few.runs, 0);
  EXPECT_EQ(few.missing,
            "in 2 s NVML's energy counter moved 2 times at 831 readings; two moves that are 0.1 s and 50 "
            "readings apart are needed");
}

}  // namespace
}  // namespace redbench
