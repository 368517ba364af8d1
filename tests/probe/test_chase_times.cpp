// How long accesses take, by a clock that tells what the test has written down: how many a try has, which
// tries there are, and what is done before.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <fstream>

#include "src/probe/chase.hpp"
#include "tests/probe/told_clock.hpp"

namespace redbench {
ToldClock* told_clock = nullptr;
}  // namespace redbench

/// Of std::chrono's clocks. It stands before that of the C library, which answers unless a test does.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto of_system =
      reinterpret_cast<int (*)(clockid_t, timespec*)>(::dlsym(RTLD_NEXT, "clock_gettime"));
  if (!redbench::told_clock || clock != CLOCK_MONOTONIC) return of_system(clock, time);
  redbench::ToldClock& told = *redbench::told_clock;
  told.on_ask(told.asked);
  told.now += told.asked < told.steps.size() ? told.steps[told.asked] : 3'600'000'000'000;
  ++told.asked;
  time->tv_sec = told.now / 1'000'000'000;
  time->tv_nsec = told.now % 1'000'000'000;
  return 0;
}

namespace redbench {
namespace {

/// What `measure` gives where the clock tells so; it must ask for all that there is and for no more.
template <class Measure>
double measured_by(ToldClock clock, const Measure& measure) {
  told_clock = &clock;
  const double ns = measure();
  told_clock = nullptr;
  EXPECT_EQ(clock.asked, clock.steps.size());
  return ns;
}

/// The same of one try: ns per access where all together take a tenth of a second.
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
  EXPECT_NEAR(accesses(mebi, 1), 16384, 0.01);
  EXPECT_NEAR(accesses(mebi, 2), 16384, 0.01);
  EXPECT_NEAR(accesses(mebi, 4), 16384, 0.01);
  EXPECT_NEAR(accesses(mebi, 8), 32768, 0.01);
  EXPECT_NEAR(accesses(mebi, 16), 65536, 0.01);
  EXPECT_NEAR(accesses(mebi, 32), 131072, 0.01);
  EXPECT_NEAR(accesses(8 * kibi, 1), 4096, 0.01);
  EXPECT_NEAR(accesses(65 * mebi, 1), 1 << 20, 1);
  EXPECT_NEAR(accesses(32 * mebi, 1, 4096), 8192, 0.01);
}

TEST(ChaseTimes, OfOtherLoopsAreOfEachLineStoreAndInput) {
  EXPECT_NEAR(accesses_of([] { return stream_ns(3 << 20, 0); }), 3 << 14, 0.01) << "lines of 64 bytes";
  EXPECT_NEAR(accesses_of([] { return scatter_ns(1 << 20, 0); }), 1 << 18, 0.1);
  for (const LoopLabels labels : {LoopLabels::random, LoopLabels::equal, LoopLabels::dependent})
    EXPECT_NEAR(accesses_of([&] { return loop_ns(labels, 0); }), 16384, 0.01);
}

// Another process may have had the core in any of them, so the least counts. Once the time is up, to the ns,
// there is no other.
TEST(ChaseTimes, AreTheLeastOfTheTriesThatTheTimeHasRoomFor) {
  const Chase chase({.bytes = 8 << 10});
  const long tenth = 100'000'000;
  const ToldClock clock{{0, 0, 6 * tenth, 0, 0, tenth, 0, tenth, 2 * tenth, 0}};
  EXPECT_NEAR(measured_by(clock, [&] { return chase.ns(2, 1); }), 1e8 / 8192, 1e-6);
}

// A page that comes into being takes longer than a store into it.
TEST(ChaseTimes, OfStoresHaveNoFirstUseOfAPageInThem) {
  const auto resident_bytes = [] {
    std::size_t mapped = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> mapped >> resident;
    return resident * std::size_t(::sysconf(_SC_PAGESIZE));
  };
  const std::size_t bytes = 64 << 20, before = resident_bytes();
  if (before == 0) GTEST_SKIP() << "this system does not tell what memory is in use";
  std::size_t first = 0;
  ToldClock clock = clock_of({{1, 1e8}});
  clock.on_ask = [&](std::size_t asked) { first = asked == 0 ? resident_bytes() : first; };
  measured_by(clock, [&] { return scatter_ns(bytes, 0); });
  EXPECT_GT(first, before + bytes * 3 / 4);
}

}  // namespace
}  // namespace redbench
