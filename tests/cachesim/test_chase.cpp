// How long accesses take: by a clock that a test has written, which tries there are and how many accesses a
// try has; and what holds on any machine, however busy.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>

#include "src/cachesim/chase.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/scripted_clock.hpp"

namespace redbench {
ScriptedClock* scripted_clock = nullptr;
}  // namespace redbench

/// Of std::chrono's clocks. It stands before that of the C library, which answers unless a test does.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto of_system =
      reinterpret_cast<int (*)(clockid_t, timespec*)>(::dlsym(RTLD_NEXT, "clock_gettime"));
  if (!redbench::scripted_clock || clock != CLOCK_MONOTONIC) return of_system(clock, time);
  redbench::ScriptedClock& scripted = *redbench::scripted_clock;
  scripted.on_ask(scripted.asked);
  scripted.now += scripted.asked < scripted.steps.size() ? scripted.steps[scripted.asked] : 3'600'000'000'000;
  ++scripted.asked;
  time->tv_sec = scripted.now / 1'000'000'000;
  time->tv_nsec = scripted.now % 1'000'000'000;
  return 0;
}

namespace redbench {
namespace {

/// What `measure` gives where the clock tells so; it must ask for all that there is and for no more.
template <class Measure>
double measured_by(ScriptedClock clock, const Measure& measure) {
  scripted_clock = &clock;
  const double ns = measure();
  scripted_clock = nullptr;
  EXPECT_EQ(clock.asked, clock.steps.size());
  return ns;
}

/// The number of accesses of one try, by the ns per access where all together take a tenth of a second.
template <class Measure>
double accesses_of(const Measure& measure) {
  return 1e8 / measured_by(clock_of({{1, 1e8}}), measure);
}

TEST(ChaseTimes, AreOfEachAccessOfATry) {
  const auto accesses = [](std::size_t bytes, int walks, std::size_t step = 64) {
    const Chase chase({.bytes = bytes, .step_bytes = step});
    return accesses_of([&] { return chase.ns(walks, 0); });
  };
  constexpr std::size_t kibi = 1024, mebi = kibi * kibi;
  // Every pointer of the pool once, or by each walk 4096, so that the clock can tell, and 2^20 at the most.
  for (const auto& [walks, all] :
       {std::pair(1, 16384), {2, 16384}, {4, 16384}, {8, 32768}, {16, 65536}, {32, 131072}})
    EXPECT_NEAR(accesses(mebi, walks), all, 0.01) << walks;
  EXPECT_NEAR(accesses(8 * kibi, 1), 4096, 0.01);
  EXPECT_NEAR(accesses(65 * mebi, 1), 1 << 20, 1);
  EXPECT_NEAR(accesses(32 * mebi, 1, 4096), 8192, 0.01);
}

TEST(ChaseTimes, OfOtherLoopsAreOfEachLineStoreAndInput) {
  EXPECT_NEAR(accesses_of([] { return stream_ns(3 << 20, 0); }), 3 << 14, 0.01) << "lines of 64 bytes";
  EXPECT_NEAR(accesses_of([] { return scatter_ns(1 << 20, 0); }), 1 << 18, 0.1);
  for (const TimedLoop labels : {TimedLoop::random_labels, TimedLoop::equal_labels, TimedLoop::dependent})
    EXPECT_NEAR(accesses_of([&] { return loop_ns(labels, 0); }), 16384, 0.01);
}

// Another process may have had the core in any of them, so the least counts. Once the time is up, to the ns,
// there is no other.
TEST(ChaseTimes, AreTheLeastOfTheTriesThatTheTimeHasRoomFor) {
  const Chase chase({.bytes = 8 << 10});
  const long tenth = 100'000'000;
  const ScriptedClock clock{{0, 0, 6 * tenth, 0, 0, tenth, 0, tenth, 2 * tenth, 0}};
  EXPECT_NEAR(measured_by(clock, [&] { return chase.ns(2, 1); }), 1e8 / 8192, 1e-6);
}

TEST(Chase, ThroughALargePoolTakesLongerThanThroughTheFirstLevelAndOverlaps) {
  const double first = Chase({.bytes = 8 << 10}).ns(1, 0.01);
  // A circle that another one joins would be a short one here, of 16 pointers.
  const Chase large({.bytes = (64 << 20) - 64});
  const double one = large.ns(1, 0.05), many = large.ns(16, 0.05);
  EXPECT_GT(first, 0.2);
  EXPECT_GT(one, 4 * first);
  EXPECT_LT(many, one / 1.5);
}

/// The least of some tries of f over the least of some of g: another process may have the core in any of
/// them.
template <class F, class G>
double ratio_of(const F& f, const G& g) {
  double of_f = f(), of_g = g();
  for (int i = 0; i < 4; ++i) {
    of_f = std::min(of_f, f());
    of_g = std::min(of_g, g());
  }
  return of_f / of_g;
}

// A loop waits for the bucket before only where it depends on it; scattered stores to a large pool miss.
TEST(Chase, WhatWaitsOrMissesTakesLonger) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer's checks take longer than what they check";
  EXPECT_GT(ratio_of([] { return loop_ns(TimedLoop::dependent, 0.001); },
                     [] { return loop_ns(TimedLoop::random_labels, 0.001); }),
            1.4);
  EXPECT_GT(ratio_of([] { return scatter_ns(128 << 20, 0.001); }, [] { return scatter_ns(4096, 0.001); }),
            1.3);
}

// Lines at the same place of each page would share one set, of as many as 16 lines, and not be in the first
// level.
TEST(Chase, SlotsOnPagesOfTheirOwnDoNotMeetInASet) {
  EXPECT_LT(ratio_of([] { return Chase({.bytes = 32 * 4096, .step_bytes = 4096}).ns(1, 0.001); },
                     [] { return Chase({.bytes = 32 * 64}).ns(1, 0.001); }),
            1.6);
}

// No core adds to twenty buckets in a ns, nor reads twenty lines, unless nothing is added or read.
TEST(Chase, EachInputOfALoopAndEachLineOfAStreamTakesTime) {
  for (const TimedLoop labels : {TimedLoop::random_labels, TimedLoop::equal_labels, TimedLoop::dependent})
    EXPECT_GT(loop_ns(labels, 0.0005), 0.05) << int(labels);
  EXPECT_GT(stream_ns(8 << 20, 0.001), 0.05);
}

}  // namespace
}  // namespace redbench
