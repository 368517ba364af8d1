// The runner of one OS thread from launch to launch: what ends a block, what is reported, and that nothing
// of it is there in the next. Kernels are functions of the tests, which ask the runner as the kernel language
// would.
#include "tests/simt/runner_support.hpp"

namespace redbench {
namespace {

using simt::running;
using simt::WarpOp;

// What it spins for may never come.
TEST(SimtRunner, ASpinEndsWhereAnotherBlockHasFailed) {
  with_runner([](simt::BlockRunner& runner) {
    int turns = 0, ended = 0;
    EXPECT_EQ(run(runner, {.blocks = 3, .threads = 2},
                  [&](unsigned) {
                    for (int turn = 0; turn < 4; ++turn) {
                      ++turns;
                      if (turns == 3) at_work->fail(2, "block 2 has failed");
                      running.runner->yield();
                    }
                    ++ended;
                  }),
              "block 2 has failed");
    EXPECT_EQ(turns, 3);
    EXPECT_EQ(ended, 0);
  });
}

/// Threads of two warps meet in every way there is.
void meet_in_every_way(unsigned thread) {
  warp_barrier(~0u);
  if (thread < 32) running.runner->named_barrier(1, 64, false, nullptr);
  else running.runner->named_barrier(1, 64, true, nullptr);
  block_barrier();
  for (int meeting = 0; meeting < 2; ++meeting) running.runner->grid_barrier(nullptr);
  warp_barrier(thread % 2 ? 0xaaaaaaaa : 0x55555555);
}

// Threads that waited at each kind of barrier are not counted by the next launch, and nobody continues with
// their stacks.
TEST(SimtRunner, WhatABlockLeftIsNotThereInTheNext) {
  const Grid grid{.threads = 64, .cooperative = true};
  with_runner([&](simt::BlockRunner& runner) {
    const std::pair<const char*, Acts> cases[] = {
        {"no thread can go on: threads 0 to 31 wait in grid_sync",
         [](unsigned thread) {
           if (thread < 32) running.runner->grid_barrier(nullptr);
           else block_barrier();
         }},
        {"no thread can go on: threads 0 to 39 wait in named barrier 1",
         [](unsigned thread) {
           if (thread != 40) running.runner->named_barrier(1, 64, true, nullptr);
           else block_barrier();
         }},
        {"no thread can go on: threads 0 to 4 wait in __syncwarp",
         [](unsigned thread) {
           if (thread % 32 != 5) warp_barrier(~0u);
           else block_barrier();
         }},
        {"gives up when all others have ended", [](unsigned thread) {
           if (thread > 0) return;
           running.runner->yield();
           running.runner->fail(nullptr, [] { return "gives up when all others have ended"; });
         }}};
    for (const auto& [what, acts] : cases) {
      EXPECT_TRUE(has(run(runner, grid, acts), {what}));
      int ended = 0;
      EXPECT_EQ(run(runner, grid,
                    [&](unsigned thread) {
                      meet_in_every_way(thread);
                      ++ended;
                    }),
                "")
          << what;
      EXPECT_EQ(ended, 64) << what;
    }
  });
}

// At the 64th meeting its lanes are put behind all others, but the last to come, lane 30 or 31, which goes
// on.
TEST(SimtRunner, AWarpThatMeetsAgainAndAgainLetsOthersRun) {
  with_runner([](simt::BlockRunner& runner) {
    for (int launch = 0; launch < 2; ++launch) {
      int met = 0, seen = -1;
      EXPECT_EQ(run(runner, {.threads = 64},
                    [&](unsigned thread) {
                      if (thread == 32) seen = met;
                      if (thread >= 32) return;
                      for (int turn = 0; turn < 100; ++turn) {
                        warp_barrier(~0u);
                        if (thread == 0) ++met;
                      }
                    }),
                "");
      EXPECT_EQ(met, 100);
      EXPECT_EQ(seen, 63) << launch;
    }
  });
}

// Nobody goes on after an error of one thread.
TEST(SimtRunner, AFailureEndsTheBlockAtOnce) {
  with_runner([](simt::BlockRunner& runner) {
    std::string order;
    EXPECT_EQ(run(runner, {.blocks = 2, .threads = 4},
                  [&](unsigned thread) {
                    order += char('a' + thread);
                    if (thread == 0) block_barrier();
                    if (thread == 1) running.runner->fail(nullptr, [] { return "gives up"; });
                    order += char('A' + thread);
                  }),
              "kernel indices, block 0, thread 1: gives up");
    EXPECT_EQ(order, "ab");
  });
}

}  // namespace
}  // namespace redbench
