// The probe at its edges: the last bytes of a pool, work that must not be left out, lists that end early.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <new>

#include "src/probe/chase.hpp"
#include "src/probe/probe.hpp"
#include "src/probe/told.hpp"
#include "tests/probe/told_clock.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

// Behind a pool of a whole huge page is no memory: a pointer that began a byte later would end there.
TEST(ProbeEdges, TheLastPointerEndsWithThePool) {
  const Chase chase({.bytes = std::size_t(2) << 20, .step_bytes = 8});
  EXPECT_GT(chase.ns(1, 0), 0);
  const Chase pages({.bytes = std::size_t(2) << 20, .step_bytes = 4096});
  EXPECT_GT(pages.ns(32, 0), 0) << "the last has the last line of its page";
}

// No core adds to twenty buckets in a ns, unless nothing is added.
TEST(ProbeEdges, EachInputOfALoopTakesTime) {
  for (const LoopLabels labels : {LoopLabels::random, LoopLabels::equal, LoopLabels::dependent})
    EXPECT_GT(loop_ns(labels, 0.0005), 0.05) << int(labels);
}

std::size_t mapped_bytes() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * std::size_t(::sysconf(_SC_PAGESIZE));
}

/// How many pools the probe has chased through where there is no memory for one of 512 MiB.
std::string pools_before_the_largest(const Teller& teller) {
  rlimit before{};
  ::getrlimit(RLIMIT_AS, &before);
  const rlimit limit{rlim_t(mapped_bytes()) + (rlim_t(400) << 20), before.rlim_max};
  ::setrlimit(RLIMIT_AS, &limit);
  ToldClock clock;
  told_clock = &clock;
  std::string said = "there was room for all";
  try {
    probe_host(0, std::size_t(1) << 30, teller);
  } catch (const std::bad_alloc&) {
    said = fmt::format("no room after {} of them", clock.asked / 4);
  }
  told_clock = nullptr;
  ::setrlimit(RLIMIT_AS, &before);
  return said;
}

// Two for each doubling from 8 KiB up to 16 MiB, then one, up to four times the last level: 512 MiB.
TEST(ProbeEdges, PoolsGoToFourTimesTheLastLevel) {
  const TemporaryFolder folder;
  folder.write("index0/type", "Data\n");
  folder.write("index0/level", "1\n");
  folder.write("index0/size", "128M\n");
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer takes all addresses";
  EXPECT_EQ(pools_before_the_largest({.caches = folder.path()}), "no room after 27 of them");
}

/// How many cores are told to share each cache, from the core outwards.
std::string cores_that_share(const Teller& teller) {
  std::string text;
  for (const ToldCache& cache : told_caches(teller)) text += fmt::format("{} ", cache.cores);
  return text;
}

// What follows a word that is no number is not read, and not waited for.
TEST(ProbeEdges, AListOfCoresEndsWhereItIsNone) {
  const TemporaryFolder folder;
  int level = 0;
  for (const char* list : {"7", "0-3", "2-6,9", "2-6,x,8", "x", "", "0,2,4-5,", "10-19,30-31"}) {
    const std::string place = fmt::format("index{}/", level);
    folder.write(place + "type", "Data\n");
    folder.write(place + "level", fmt::format("{}\n", ++level));
    folder.write(place + "size", "1K\n");
    folder.write(place + "shared_cpu_list", std::string(list) + "\n");
  }
  EXPECT_EQ(cores_that_share({.caches = folder.path()}), "1 4 6 5 1 1 4 12 ");
}

}  // namespace
}  // namespace redbench
