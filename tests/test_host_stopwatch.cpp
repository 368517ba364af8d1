// How often the host's stopwatch runs a case, and what of it counts.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "src/measure/stopwatch.hpp"

namespace redbench {
namespace {

TEST(HostStopwatch, OnlyAWarmSampleRunsTheCaseBeforeItsTime) {
  const std::unique_ptr<Stopwatch> stopwatch = make_host_stopwatch(1 << 12);
  for (const auto& [mode, runs] : {std::pair(Mode::cold, 1), {Mode::warm, 2}, {Mode::graph, 1}}) {
    int run = 0;
    const double ns = stopwatch->sample(mode, false, [&] {
      // All but the last take much longer than that.
      if (++run < runs) std::this_thread::sleep_for(std::chrono::milliseconds(400));
    });
    EXPECT_EQ(run, runs) << int(mode);
    EXPECT_LT(ns, 4e8) << int(mode) << ": the run before counts, too";
    run = 0;
    EXPECT_EQ(stopwatch->sample_launches(mode, [&] { ++run; }).size(), 1u);
    EXPECT_EQ(run, runs) << int(mode);
  }
}

TEST(HostStopwatch, TakesNanoseconds) {
  const std::unique_ptr<Stopwatch> stopwatch = make_host_stopwatch(1 << 12);
  const double ns = stopwatch->sample(Mode::cold, false,
                                      [] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
  EXPECT_GE(ns, 30e6);
  EXPECT_LT(ns, 30e9);
}

}  // namespace
}  // namespace redbench
