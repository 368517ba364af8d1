// The names of all ways in which the CPU moves bytes, and what those that write leave.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <string>
#include <vector>

#include "src/measure/movers.hpp"
#include "src/measure/stop_rule.hpp"
#include "tests/measure/mover_support.hpp"

namespace redbench {
namespace {

std::vector<std::string> names(const Move& move) {
  std::vector<std::string> all;
  for (const Mover& mover : host_movers(move)) all.push_back(mover.how);
  return all;
}

TEST(MoversWhole, EachWayHasItsName) {
  std::vector<char> memory(4096), to(4096);
  const std::string w = widest_by_the_system();
  std::vector<std::string> expected;
  for (const std::string cores : {"1 core", "3 cores"})
    for (const std::string ahead : {"", ", prefetched by 512"}) {
      expected.push_back(cores + ", 1 stream of " + w + " bytes at once" + ahead);
      for (const std::string streams : {"2", "4", "8"})
        expected.push_back(cores + ", " + streams + " streams each of " + w + " bytes at once" + ahead);
    }
  const Threads three(3);
  EXPECT_EQ(names({.from = {{memory.data(), 4096}}}), expected);
  EXPECT_EQ(names({.from = {{memory.data(), 4096}}, .to = to.data(), .written = 1024}), expected);
  EXPECT_EQ(names({.from = {{memory.data(), 4096}}, .to = to.data(), .written = 4096}),
            (std::vector<std::string>{"1 core", "3 cores"}));
  EXPECT_EQ(names({.from = {}, .to = to.data(), .written = 4096}),
            (std::vector<std::string>{"1 core", "3 cores"}));
  const Threads one(1);
  expected.resize(8);
  EXPECT_EQ(names({.from = {{memory.data(), 4096}}}), expected);
}

// A byte of what is written is 1, however many cores and pieces of the input there are, and none is behind
// it.
TEST(MoversWhole, WhatIsWrittenIsOnes) {
  const Threads three(3);
  const std::vector<char> first(200'000, 5), second(70'000, 6);
  for (const std::size_t written : {16u, 4096u, 90'000u, 400'000u})
    for (const bool reads : {true, false}) {
      Move move{.from = {}};
      if (reads) move.from = {{first.data(), first.size()}, {second.data(), second.size()}};
      move.written = written;
      const std::size_t ways = host_movers(move).size();
      for (std::size_t way = 0; way < ways; ++way) {
        std::vector<char> to(written + 64, 7);
        move.to = to.data();
        const Mover mover = host_movers(move)[way];
        mover.enqueue();
        const auto end = to.begin() + std::ptrdiff_t(written);
        EXPECT_EQ(std::count(to.begin(), end, 1), std::ptrdiff_t(written)) << mover.how << written;
        EXPECT_EQ(std::count(end, to.end(), 7), 64) << mover.how << written;
      }
    }
}

TEST(MoversWhole, TwoCoresShareTheWork) {
  constexpr std::size_t pages = 1024, bytes = pages * 4096;
  const Threads two(2);
  const auto faults_of = [&](std::size_t way) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    const std::vector<Mover> ways = host_movers({.from = {}, .to = memory, .written = bytes});
    EXPECT_EQ(ways.size(), 2u);
    const long before = faults();
    ways.at(way).enqueue();
    const long after = faults();
    EXPECT_EQ(std::count(static_cast<char*>(memory), static_cast<char*>(memory) + bytes, 1),
              std::ptrdiff_t(bytes));
    munmap(memory, bytes);
    return after - before;
  };
  const long of_one = faults_of(0), of_one_in_two = faults_of(1);
  if (of_one == 0) GTEST_SKIP() << "this system counts no page faults";
  EXPECT_GE(of_one, 1024);
  EXPECT_GE(of_one_in_two, 512);
  EXPECT_LT(of_one_in_two, 900) << "a half, and some of threads that start";
}

// Of runs of a second that are a few nanoseconds apart: squares of the numbers themselves would lose them.
// Mean 1 s and 8/3 ns, squares 26 / 3: Student's 4.302653 x sqrt(13 / 9) = 5.17114.
TEST(MedianOfForks, LongTimesHaveNarrowIntervals) {
  const Median time = median_of_forks({1e9 + 1, 1e9 + 5, 1e9 + 2});
  EXPECT_EQ(time.value, 1e9 + 2);
  EXPECT_NEAR(time.low, 1e9 + 8.0 / 3 - 5.17114, 1e-3);
  EXPECT_NEAR(time.high, 1e9 + 8.0 / 3 + 5.17114, 1e-3);
  EXPECT_TRUE(time.covered);
  EXPECT_NEAR(time.noise_percent(), 5.17114e-7, 1e-9);
}

}  // namespace
}  // namespace redbench
