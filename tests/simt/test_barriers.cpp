// Barriers of a block and of the grid, and the schedules of seeds, on the modelled GPU.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "tests/simt/runner_support.hpp"

namespace redbench {
namespace {

using simt::running;

TEST(SimtBarriers, AllOfABlockMeet) {
  for (int threads : {1, 31, 32, 33, 256, 1000, 1024}) {
    auto expected = iota(threads);
    std::reverse(expected.begin(), expected.end());
    EXPECT_EQ(run_shuffled("reverse", {.threads = threads}, iota(threads), threads), expected) << threads;
  }
}

TEST(SimtBarriers, VotesOverTheBlock) {
  std::vector<int> predicates(96, 0);
  EXPECT_EQ(run_shuffled("votes", {.threads = 96}, predicates, 96), std::vector<int>(96, 0));
  predicates[40] = predicates[95] = 5;
  EXPECT_EQ(run_shuffled("votes", {.threads = 96}, predicates, 96), std::vector<int>(96, 2 * 4 + 1));
  EXPECT_EQ(run_shuffled("votes", {.threads = 96}, std::vector<int>(96, 1), 96),
            std::vector<int>(96, 96 * 4 + 3));
}

TEST(SimtBarriers, ThreadsThatHaveEndedLeave) {
  const auto counts = run_shuffled("leaves", {.threads = 128}, std::vector<int>(50, 0), 128);
  for (int t = 0; t < 128; ++t) EXPECT_EQ(counts[t], t < 50 ? 50 : -1);
}

TEST(SimtBarriers, ProducersAndConsumersOverTwoBuffers) {
  for (int rounds : {2, 3, 8, 9}) {
    const auto sums = run_shuffled("producer_consumer", {.threads = 64}, iota(32 * rounds), 32);
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(sums[lane], rounds * lane + 32 * rounds * (rounds - 1) / 2) << rounds << " rounds";
  }
}

TEST(SimtBarriers, TheWholeGridMeets) {
  // 15 multiprocessors x 6 blocks of 256 threads: all that gtx480 holds.
  const auto out =
      run_kernel(*modelled(), "grid_meets", {.blocks = 90, .threads = 256, .cooperative = true}, {0}, 2);
  EXPECT_EQ(out[0], -1 + 2 * 90);  // from -1
}

TEST(SimtBarriers, NobodyPassesAGridBarrierThatABlockNeverReaches) {
  EXPECT_TRUE(has(error_of("grid_without_first", {.blocks = 3, .threads = 32, .cooperative = true}),
                  {"waits in grid_sync for blocks that have ended"}));
}

// Nobody else would wake a block that waits for the one that ended in a fault.
TEST(SimtBarriers, AFaultEndsTheWaitOfOtherBlocks) {
  const auto end = [] {
    alarm(30);  // ends this process, should it wait for ever
    const std::string error =
        error_of("grid_waits_for_a_fault", {.blocks = 2, .threads = 1, .cooperative = true}, {100'000, 16});
    std::_Exit(has(error, {"kernel grid_waits_for_a_fault, block 1, thread 0", "address 0x10"}) ? 0 : 1);
  };
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the thread sanitizer refuses threads in a mere fork
  EXPECT_EXIT(end(), testing::ExitedWithCode(0), "");
}

TEST(SimtBarriers, BlocksMayWaitForEarlierOnes) {
  for (int os_threads : {1, 2, 5}) {
    auto device = modelled("gtx480", 0, os_threads);
    EXPECT_EQ(run_kernel(*device, "chain_of_blocks", {.blocks = 50, .threads = 64}, {0}, 50), iota(50, 1))
        << os_threads;
  }
}

TEST(SimtBarriers, ASpinOnAnAtomicLetsOthersRun) {
  EXPECT_EQ(run_shuffled("spins_on_thread", {.threads = 256}, {0}, 256), std::vector<int>(256, 1));
}

// The first threads of seed 1: splitmix64 of (seed, block) = (1, 0) makes the state of Marsaglia's 32-bit
// xorshift (13, 17, 5), whose numbers, modulo the threads that are left, say which is swapped to the front.
TEST(SimtSchedule, InOrderWithoutASeedAndShuffledWithOneTheSameInEveryVersion) {
  const Grid grid{.threads = 256};
  const auto order = [&](std::uint64_t seed) {
    auto out = run_kernel(*modelled("gtx480", seed), "order", grid, std::vector<int>(256, 0), 257);
    out.pop_back();
    return out;
  };
  EXPECT_EQ(order(0), iota(256));
  EXPECT_NE(order(1), order(2));
  EXPECT_EQ(order(1), order(1));
  auto sorted = order(1);
  EXPECT_EQ(std::vector(sorted.begin(), sorted.begin() + 8),
            (std::vector<int>{12, 64, 28, 199, 126, 11, 134, 73}));
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, iota(256));
}

TEST(SimtBarriers, NamedBarriersThatThereAreNot) {
  with_runner([](simt::BlockRunner& runner) {
    const auto error = [&](int id, int threads) {
      return run(runner, {.threads = 64},
                 [=](unsigned) { running.runner->named_barrier(id, threads, true, nullptr); });
    };
    const std::string who = "kernel indices, block 0, thread 0: ";
    for (const auto& [id, threads] : {std::pair(1, 32), {15, 64}}) EXPECT_EQ(error(id, threads), "");
    for (const int id : {-1, 0, 16})
      EXPECT_EQ(error(id, 32), who + fmt::format("named barrier {} does not exist: 1 to 15 do", id));
    for (const int threads : {0, 33, 96})
      EXPECT_EQ(error(1, threads),
                who + fmt::format("a named barrier over {} threads: it takes a multiple of "
                                  "32, up to the 64 of the block",
                                  threads));
  });
}

// PTX ISA, 9.7.13.1: "wait for all non-exited threads from its warp and marks warps' arrival". On an H100 the
// first passes too, and the second ends in an error.
TEST(SimtBarriers, ANamedBarrierCountsWarpsWithoutTheThreadsThatHaveEnded) {
  for (const int left : {5, 63}) {  // in order, before others of its warp come and after them
    const auto out = run_shuffled("named_without_a_lane", {.threads = 64}, {left}, 64);
    for (int t = 0; t < 64; ++t) EXPECT_EQ(out[t], t == left ? -1 : t == 63 - left ? t : 63 - t) << left;
  }
  EXPECT_TRUE(
      has(error_of("named_by_halves", {.threads = 64}), {"no thread can go on: threads 0 to 15 wait"}));
}

// Thread 32 counts itself to a barrier that thread 0 called over other threads.
TEST(SimtBarriers, ANamedBarrierIsOverAsManyThreadsForAll) {
  with_runner([](simt::BlockRunner& runner) {
    const auto calls = [](unsigned thread) {
      running.runner->named_barrier(7, thread < 32 ? 64 : 96, true, nullptr);
    };
    EXPECT_EQ(run(runner, {.threads = 96}, calls),
              "kernel indices, block 0, thread 32: named barrier 7 over 96 threads, which the call of an "
              "unknown line made a barrier over 64");
  });
}

// Calls of one line, too.
TEST(SimtBarriers, VotesOfDifferentKindsDoNotMeet) {
  with_runner([](simt::BlockRunner& runner) {
    EXPECT_EQ(run(runner, {.threads = 2},
                  [](unsigned thread) {
                    running.runner->block_barrier(simt::BlockVote::none, 0, nullptr);
                    running.runner->block_barrier(thread == 0 ? simt::BlockVote::all : simt::BlockVote::any,
                                                  1, nullptr);
                  }),
              "kernel indices, block 0, thread 0: divergent barrier: thread 1 of the block waits in the "
              "__syncthreads of an unknown line");
  });
}

}  // namespace
}  // namespace redbench
