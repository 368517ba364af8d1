// How often the host's stopwatch runs a case, and what of it counts.
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <fstream>
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

/// Bytes of memory that this process has.
std::size_t resident() {
  std::size_t all = 0, pages = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return pages * std::size_t(sysconf(_SC_PAGESIZE));
}

// Less would leave a part of the case's data in the cache.
TEST(HostStopwatch, TakesTwiceTheCacheToEmptyIt) {
  constexpr std::size_t mebi = 1 << 20;
  const std::size_t before = resident();
  const std::unique_ptr<Stopwatch> stopwatch = make_host_stopwatch(40 * mebi);
  const std::size_t taken = resident() - before;
  EXPECT_GE(taken, 78 * mebi);
  EXPECT_LE(taken, 90 * mebi);
}

TEST(HostStopwatch, IsThatOfTheHost) {
  const std::unique_ptr<Device> host = make_host();
  const std::unique_ptr<Stopwatch> stopwatch = make_stopwatch(*host);
  ASSERT_TRUE(stopwatch);
  int runs = 0;
  EXPECT_GE(stopwatch->sample(Mode::graph, false, [&] { ++runs; }), 0);
  EXPECT_EQ(runs, 1);
}

TEST(HostStopwatch, ACpuTellsNoClockNoTickAndNoQueue) {
  const std::unique_ptr<Stopwatch> stopwatch = make_host_stopwatch(1 << 12);
  stopwatch->sample(Mode::cold, false, [] {});
  EXPECT_EQ(stopwatch->clock_mhz(), std::nullopt);
  EXPECT_EQ(stopwatch->tick_ns(), std::nullopt);
  EXPECT_EQ(stopwatch->queue_slot_ns(), std::nullopt);
}

// Of two times that follow each other, whichever is the longer.
TEST(HostStopwatch, ATickIsTheSmallestStep) {
  Tick tick;
  for (const auto& [ns, smallest] :
       {std::pair(700.0, 0.0), {700, 0}, {764, 64}, {668, 64}, {700, 32}, {736, 32}}) {
    tick.see(ns);
    EXPECT_EQ(tick.ns(), smallest) << ns;
  }
}

}  // namespace
}  // namespace redbench
