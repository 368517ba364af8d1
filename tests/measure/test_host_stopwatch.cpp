// How often the host's stopwatch runs a case, and what of it counts.
#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "src/error.hpp"
#include "src/measure/stopwatch.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/scripted_clock.hpp"

namespace redbench {
namespace {

// By a clock that moves while the case runs: 5 ms in its first run, 7 in its second.
TEST(HostStopwatch, TimesTheLastRunAloneAndOnlyAWarmSampleHasOneBefore) {
  const std::unique_ptr<Stopwatch> stopwatch = make_host_stopwatch(1 << 12);
  for (const auto& [mode, runs] : {std::pair(Mode::cold, 1), {Mode::warm, 2}, {Mode::graph, 1}}) {
    ScriptedClock clock{{0, 0}};
    int run = 0;
    const auto work = [&] { clock.now += ++run == 1 ? 5'000'000 : 7'000'000; };
    scripted_clock = &clock;
    const double ns = stopwatch->sample(mode, false, work);
    scripted_clock = nullptr;
    EXPECT_EQ(run, runs) << int(mode);
    EXPECT_EQ(ns, runs == 1 ? 5e6 : 7e6) << int(mode);
    run = 0;
    EXPECT_EQ(stopwatch->sample_launches(mode, work).size(), 1u);
    EXPECT_EQ(run, runs) << int(mode);
  }
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
  if (!is_sanitized()) {  // its shadow is resident, too
    EXPECT_LE(taken, 90 * mebi);
  }
}

// Of two times that follow each other, whichever is the longer.
// The bugs: the seconds of a stopped process were in its sample; the kernel that occupies a GPU had given up
// meanwhile, which was taken for the case's fault.
TEST(Stopwatches, TakeASampleAgainDuringWhichTheProcessWasStopped) {
  const std::unique_ptr<Stopwatch> stopwatch = without_stops(make_host_stopwatch(1 << 12));
  int runs = 0;
  stopwatch->sample(Mode::cold, false, [&] {
    ++runs;
    if (runs < 3) ::raise(SIGCONT);  // what a stopped process gets when it goes on
    if (runs == 2) throw DeviceError("it waited");
  });
  EXPECT_EQ(runs, 3);
  EXPECT_THROW(stopwatch->sample(Mode::cold, false, [&] { throw DeviceError("of the case"); }), DeviceError);
}

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
