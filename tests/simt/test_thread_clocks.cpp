// What all threads of a block know of each other, after barriers between some of them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "src/simt/happens_before.hpp"

namespace redbench::simt {
namespace {

constexpr unsigned threads = 96;

/// Each pair of which the first knows what the second did: up to which of its clocks.
std::vector<std::string> known(ThreadClocks& clocks) {
  std::vector<std::string> all;
  for (unsigned thread = 0; thread < threads; ++thread)
    for (unsigned other = 0; other < threads; ++other) {
      std::uint32_t clock = 0;
      while (thread != other && clocks.knows(thread, other, clock + 1)) ++clock;
      if (clock) all.push_back(fmt::format("{} knows {} to {}", thread, other, clock));
    }
  return all;
}

void acquire(ThreadClocks& clocks, unsigned thread, int id) {
  Thread one;
  one.number = thread;
  Thread* const waited[] = {&one};
  clocks.acquire(id, waited);
}

// Thread 64 hears of thread 0 at clock 3, thread 0 of thread 95 at clock 1, and each tells the lanes that it
// joins: the block's first thread and its last are passed on as all others.
TEST(ThreadClocks, AJoinPassesOnAllOtherWarps) {
  ThreadClocks clocks;
  clocks.start_block(int(threads) - 3);
  clocks.advance(0);
  clocks.advance(0);
  clocks.release(0, 5);
  acquire(clocks, 64, 5);
  clocks.join(2, 0b11);
  clocks.release(95, 6);
  acquire(clocks, 0, 6);
  clocks.join(0, 0x80000001);
  EXPECT_THAT(known(clocks), testing::ElementsAre("0 knows 31 to 1", "0 knows 95 to 1", "31 knows 0 to 4",
                                                  "31 knows 95 to 1", "64 knows 0 to 3", "64 knows 65 to 1",
                                                  "65 knows 0 to 3", "65 knows 64 to 1"));
  std::vector<std::uint32_t> expected(threads, 1);
  expected[0] = 5;
  for (const unsigned told : {31, 64, 65, 95}) expected[told] = 2;
  for (unsigned thread = 0; thread < threads; ++thread)
    EXPECT_EQ(clocks.clock_of(thread), expected[thread]) << thread;
}

// The second to come adds to what the first one released; a thread that was let go on and comes again brings
// what it has heard.
TEST(ThreadClocks, ANamedBarrierAddsUpWhatItHears) {
  ThreadClocks clocks;
  clocks.start_block(int(threads));
  clocks.release(1, 3);
  clocks.advance(40);
  clocks.release(40, 3);
  clocks.release(2, 4);
  acquire(clocks, 70, 3);
  clocks.release(70, 4);
  acquire(clocks, 33, 4);
  acquire(clocks, 34, 3);
  EXPECT_THAT(known(clocks), testing::ElementsAre("33 knows 1 to 1", "33 knows 2 to 1", "33 knows 40 to 2",
                                                  "33 knows 70 to 1", "70 knows 1 to 1", "70 knows 40 to 2"));
}

}  // namespace
}  // namespace redbench::simt
