// Barriers of a block and of the grid, and schedules, on the modelled GPU.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "tests/simt_support.hpp"

namespace redbench {
namespace {

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

TEST(SimtBarriers, ADivergentBarrierIsReportedWithBothLines) {
  const std::string file = "tests/simt/barriers.cu";
  const std::string first = file + ":" + std::to_string(line_with(file, "// first"));
  const std::string second = file + ":" + std::to_string(line_with(file, "// second"));
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    EXPECT_TRUE(has(
        error_of("divergent_barrier", {.threads = 64}, {0}, seed),
        {"kernel divergent_barrier, block 0, thread ", "divergent barrier", first.c_str(), second.c_str()}));
  // In order threads 0 to 31 come first.
  EXPECT_EQ(error_of("divergent_barrier", {.threads = 64}),
            "kernel divergent_barrier, block 0, thread 32 (" + second +
                "): divergent barrier: thread 0 of the block waits in the __syncthreads of " + first);
}

TEST(SimtBarriers, DifferentKindsOfBarrierDoNotMeet) {
  EXPECT_TRUE(has(error_of("mixed_votes", {.threads = 64}), {"divergent barrier"}));
}

TEST(SimtBarriers, ADeadlockNamesBothBarriers) {
  // Threads 32 to 95 meet and end, so 0 to 31 are all that __syncthreads waits for.
  EXPECT_EQ(error_of("barrier_in_half", {.threads = 96}), "");
  // 96 threads come to a barrier over 64: 32 stay behind.
  EXPECT_TRUE(has(error_of("barrier_in_half", {.threads = 128}),
                  {"no thread can go on", "threads 0 to 31 wait in __syncthreads", "wait in named barrier 1",
                   "32 of 64 threads are at named barrier 1"}));
}

TEST(SimtBarriers, ADeadlockIsToldWithTheLinesOfBothBarriers) {
  const std::string file = "tests/simt/barriers.cu";
  const int line = line_with(file, "if (threadIdx.x >= 32) named_barrier_sync(1, 64);");
  EXPECT_EQ(error_of("barrier_in_half", {.threads = 128}),
            "kernel barrier_in_half, block 0: no thread can go on: threads 0 to 31 wait in __syncthreads (" +
                file + ":" + std::to_string(line - 1) +
                "); threads 32 to 95 have ended; threads 96 to 127 wait in named barrier 1 (" + file + ":" +
                std::to_string(line) + "); 32 of 64 threads are at named barrier 1");
}

TEST(SimtBarriers, ProducersAndConsumersOverTwoBuffers) {
  for (int rounds : {2, 3, 8, 9}) {
    const auto sums = run_shuffled("producer_consumer", {.threads = 64}, iota(32 * rounds), 32);
    for (int lane = 0; lane < 32; ++lane)
      EXPECT_EQ(sums[lane], rounds * lane + 32 * rounds * (rounds - 1) / 2) << rounds << " rounds";
  }
}

TEST(SimtBarriers, NamedBarriersCheckTheirArguments) {
  EXPECT_TRUE(
      has(error_of("barrier_counts_differ", {.threads = 96}), {"named barrier 1", "64 threads", "over 96"}) ||
      has(error_of("barrier_counts_differ", {.threads = 96}), {"named barrier 1", "96 threads", "over 64"}));
  const std::string differ = "tests/simt/barriers.cu:" +
                             std::to_string(line_with("tests/simt/barriers.cu", "barrier_counts_differ"));
  EXPECT_EQ(error_of("barrier_counts_differ", {.threads = 96}),
            "kernel barrier_counts_differ, block 0, thread 32 (" + differ +
                "): named barrier 1 over 96 threads, which the call of " + differ +
                " made a barrier over 64");
  EXPECT_TRUE(has(error_of("barrier_zero", {.threads = 32}), {"named barrier 0", "1 to 15"}));
  EXPECT_TRUE(has(error_of("barrier_of_33", {.threads = 64}), {"33 threads", "multiple of 32"}));
}

TEST(SimtBarriers, TheWholeGridMeets) {
  // 15 multiprocessors x 6 blocks of 256 threads: all that gtx480 holds.
  const auto out =
      run_kernel(*modelled(), "grid_meets", {.blocks = 90, .threads = 256, .cooperative = true}, {0}, 2);
  EXPECT_EQ(out[0], -1 + 2 * 90);  // from -1
}

TEST(SimtBarriers, SharedMemoryOutlivesAGridBarrier) {
  const auto out = run_kernel(*modelled(), "grid_keeps_shared",
                              {.blocks = 40, .threads = 64, .cooperative = true}, {0}, 40 * 64);
  for (int i = 0; i < 40 * 64; ++i) ASSERT_EQ(out[i], i / 64 + 1);
}

TEST(SimtBarriers, AGridBarrierThatABlockNeverReachesIsReported) {
  EXPECT_TRUE(has(error_of("grid_without_one", {.blocks = 3, .threads = 32, .cooperative = true}),
                  {"grid_sync", "blocks that have ended"}));
}

// Behind the barrier they would work on what the block that has ended did not do.
TEST(SimtBarriers, NobodyPassesAGridBarrierThatABlockNeverReaches) {
  const auto device = modelled();
  std::vector<int> out(3, -1);
  void* to = device->allocate(3 * sizeof(int));
  device->upload(to, out.data(), 3 * sizeof(int));
  int n = 0;
  void* arguments[] = {&to, &to, &n};
  const auto [kernel, invoke] = test_kernels().at("grid_without_first");
  EXPECT_THROW(device->execute({reinterpret_cast<const void*>(kernel),
                                arguments,
                                invoke,
                                {.blocks = 3, .threads = 32, .cooperative = true}}),
               DeviceError);
  device->download(out.data(), to, 3 * sizeof(int));
  device->release(to);
  EXPECT_EQ(out, std::vector<int>(3, -1));
}

// 16000 bytes of static shared memory for each block: 3 on each of 15 multiprocessors.
TEST(SimtBarriers, StaticSharedMemoryCountsForACooperativeGrid) {
  const Grid most{.blocks = 45, .threads = 32, .cooperative = true};
  EXPECT_EQ(run_kernel(*modelled(), "grid_of_wide_blocks", most, {0}, 45), std::vector<int>(45, 1));
  EXPECT_EQ(error_of("grid_of_wide_blocks", {.blocks = 46, .threads = 32, .cooperative = true}),
            "kernel grid_of_wide_blocks: a cooperative grid of 46 blocks; gtx480 holds 45 of this shape at "
            "once");
}

// __threadfence, __threadfence_block, __threadfence_system and __nanosleep.
TEST(SimtBarriers, ASpinBetweenFencesLetsOthersRun) {
  for (const int fence : {0, 1, 2, 3})
    EXPECT_EQ(run_kernel(*modelled(), "spins_between_fences", {.threads = 64}, {fence}, 2),
              (std::vector<int>{1, 1}))
        << fence;
}

TEST(SimtBarriers, ADeadlockNamesTheGridsBarrier) {
  const std::string file = "tests/simt/barriers.cu:";
  const std::string grid = file + std::to_string(line_with("tests/simt/barriers.cu", "// for the grid"));
  const std::string block = file + std::to_string(line_with("tests/simt/barriers.cu", "// for the block"));
  EXPECT_EQ(error_of("grid_or_block", {.threads = 64, .cooperative = true}),
            "kernel grid_or_block, block 0: no thread can go on: threads 0 to 31 wait in grid_sync (" + grid +
                "); threads 32 to 63 wait in __syncthreads (" + block + ")");
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

TEST(SimtBarriers, GridSyncNeedsACooperativeLaunch) {
  EXPECT_TRUE(has(error_of("grid_meets", {.blocks = 2, .threads = 32}), {"grid_sync()", "not cooperative"}));
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

TEST(SimtSchedule, InOrderWithoutASeedAndShuffledWithOne) {
  const Grid grid{.threads = 256};
  const auto order = [&](std::uint64_t seed) {
    auto out = run_kernel(*modelled("gtx480", seed), "order", grid, std::vector<int>(256, 0), 257);
    out.pop_back();
    return out;
  };
  EXPECT_EQ(order(0), iota(256));
  EXPECT_NE(order(1), iota(256));
  EXPECT_NE(order(1), order(2));
  EXPECT_EQ(order(1), order(1));
  auto sorted = order(1);
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, iota(256));
}

// The first of 256 threads: splitmix64 of (seed, block) = (1, 0) makes the state of Marsaglia's 32-bit
// xorshift (13, 17, 5), whose numbers, modulo the threads that are left, say which is swapped to the front.
TEST(SimtSchedule, ASeedMeansTheSameInEveryVersion) {
  auto order = run_kernel(*modelled("gtx480", 1), "order", {.threads = 256}, std::vector<int>(256, 0), 257);
  order.resize(8);
  EXPECT_EQ(order, (std::vector<int>{12, 64, 28, 199, 126, 11, 134, 73}));
}

}  // namespace
}  // namespace redbench
