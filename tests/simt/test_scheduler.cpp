// The runner of one OS thread from launch to launch: what ends a block, what is said of it, and that nothing
// of it is there in the next. Kernels are functions of the tests, which ask the runner as the kernel language
// would.
#include "src/simt/watch.hpp"
#include "tests/simt/runner_support.hpp"

namespace redbench {
namespace {

using simt::running;
using simt::WarpOp;

// The first error stays: what comes of it in another block is no news.
TEST(SimtRunner, ABlockThatIsStuckSaysNothingWhereAnotherHasFailed) {
  with_runner([](simt::BlockRunner& runner) {
    OneLaunch* at_work = nullptr;
    OneLaunch stuck({.blocks = 9, .threads = 64}, [&](unsigned thread) {
      if (thread == 0) at_work->launch.fail(5, "block 5 has failed");
      if (thread == 0) block_barrier();
      if (thread == 1) running.runner->named_barrier(1, 32, true, nullptr);
    });
    at_work = &stuck;
    EXPECT_EQ(stuck.run(runner), "block 5 has failed");
  });
}

// What it spins for may never come.
TEST(SimtRunner, ASpinEndsWhereAnotherBlockHasFailed) {
  with_runner([](simt::BlockRunner& runner) {
    int turns = 0, ended = 0;
    OneLaunch* at_work = nullptr;
    OneLaunch one({.blocks = 3, .threads = 2}, [&](unsigned) {
      for (int turn = 0; turn < 4; ++turn) {
        ++turns;
        if (turns == 3) at_work->launch.fail(2, "block 2 has failed");
        running.runner->yield();
      }
      ++ended;
    });
    at_work = &one;
    EXPECT_EQ(one.run(runner), "block 2 has failed");
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

// Threads that waited at each kind of barrier are not counted by the next launch, and nobody goes on with
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

// Whether they end before the others come or after that; the last warp has 8 lanes.
TEST(SimtRunner, LanesThatHaveEndedAreNotWaitedFor) {
  with_runner([](simt::BlockRunner& runner) {
    for (const unsigned stays : {0u, 5u, 31u}) {
      std::vector<unsigned> votes;
      EXPECT_EQ(
          run(runner, {.threads = 40},
              [&](unsigned thread) {
                if (thread % 32 == stays)
                  votes.push_back(unsigned(running.runner->collective(WarpOp::ballot, ~0u, 1, 0, nullptr)));
              }),
          "")
          << stays;
      EXPECT_EQ(votes, std::vector<unsigned>(stays < 8 ? 2 : 1, 1u << stays));
    }
    EXPECT_EQ(run(runner, {.threads = 40}, [](unsigned) { warp_barrier(~0u); }), "");
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

// As of an unrolled loop: neither call has a line here, so they are of the same.
TEST(SimtRunner, CallsOfOneLineAreOneBarrier) {
  with_runner([](simt::BlockRunner& runner) {
    static const char one = 0, other = 0;
    std::string order;
    EXPECT_EQ(run(runner, {.threads = 3},
                  [&](unsigned thread) {
                    for (int meeting = 0; meeting < 2; ++meeting) {
                      running.runner->block_barrier(simt::BlockVote::none, 0, thread == 1 ? &one : &other);
                      order += char('a' + thread);
                    }
                  }),
              "");
    EXPECT_EQ(order, "cabbca");
  });
}

struct NothingToSee : simt::Watch {
  void access(const simt::Thread&, const simt::Access&) override {}
};

// Code that is called between two launches is no kernel's.
TEST(SimtRunner, NobodyLooksOnBetweenLaunches) {
  with_runner([](simt::BlockRunner& runner) {
    const simt::MakeWatch make = [](const simt::Launch&) { return std::make_unique<NothingToSee>(); };
    int watched = 0;
    const auto look = [&](unsigned) { watched += running.watch != nullptr; };
    EXPECT_EQ(run(runner, {.blocks = 2, .threads = 3}, look, make), "");
    EXPECT_EQ(watched, 6);
    EXPECT_EQ(running.watch, nullptr);
    EXPECT_EQ(running.thread, nullptr);
    EXPECT_EQ(run(runner, {.threads = 3}, look), "");
    EXPECT_EQ(watched, 6);
    const auto fail = [](unsigned) { running.runner->fail(nullptr, [] { return "of no use"; }); };
    EXPECT_EQ(run(runner, {.threads = 3}, fail, make), "kernel indices, block 0, thread 0: of no use");
    EXPECT_EQ(running.watch, nullptr);
    EXPECT_EQ(running.thread, nullptr);
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
    order.clear();
    EXPECT_EQ(run(runner, {.blocks = 2, .threads = 3}, [&](unsigned thread) { order += char('a' + thread); }),
              "");
    EXPECT_EQ(order, "abcabc") << "those that were still to come are of the next launch alone";
  });
}

}  // namespace
}  // namespace redbench
