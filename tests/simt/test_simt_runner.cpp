// The runner of one OS thread from launch to launch: what ends a block, what is said of it, and that nothing
// of it is there in the next. Kernels are functions of the tests, which ask the runner as the kernel language
// would.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "src/simt/watch.hpp"
#include "tests/simt/runner_support.hpp"

namespace redbench {
namespace {

using simt::running;
using simt::WarpOp;

TEST(SimtRunner, ADeadlockNamesEachThread) {
  with_runner([](simt::BlockRunner& runner) {
    EXPECT_EQ(
        run(runner, {.threads = 70, .cooperative = true},
            [](unsigned thread) {
              if (thread == 1 || thread == 2) block_barrier();
              if (thread == 3 || thread == 6) running.runner->named_barrier(3, 64, true, nullptr);
              if (thread == 4) warp_barrier(0x50);
              if (thread == 5) running.runner->collective(WarpOp::any, 0x60, 1, 0, nullptr);
              if (thread == 7) running.runner->grid_barrier(nullptr);
              if (thread == 8) running.runner->named_barrier(15, 32, true, nullptr);
            }),
        "kernel indices, block 0: no thread can go on: thread 0 has ended; threads 1 to 2 wait in "
        "__syncthreads (an unknown line); thread 3 waits in named barrier 3 (an unknown line); thread 4 "
        "waits in __syncwarp with mask 0x00000050 (an unknown line); thread 5 waits in __any_sync with "
        "mask 0x00000060 (an unknown line); thread 6 waits in named barrier 3 (an unknown line); thread 7 "
        "waits in grid_sync (an unknown line); thread 8 waits in named barrier 15 (an unknown line); "
        "threads 9 to 69 have ended; 2 of 64 threads are at named barrier 3; 1 of 32 threads are at named "
        "barrier 15");
  });
}

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

// A thread that spins lets the others run, in turn.
TEST(SimtRunner, ThreadsThatSpinTakeTurns) {
  with_runner([](simt::BlockRunner& runner) {
    std::string order;
    EXPECT_EQ(run(runner, {.threads = 3},
                  [&](unsigned thread) {
                    for (unsigned turn = 0; turn <= thread; ++turn) {
                      order += char('a' + thread);
                      running.runner->yield();
                    }
                  }),
              "");
    EXPECT_EQ(order, "abcbcc");
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

TEST(SimtRunner, EachBlockKnowsItsPlaceInTheGrid) {
  with_runner([](simt::BlockRunner& runner) {
    std::vector<std::vector<unsigned>> places;
    EXPECT_EQ(run(runner, {.blocks = 3, .threads = 2},
                  [&](unsigned thread) {
                    places.push_back({running.block, running.blocks, thread, running.threads});
                  }),
              "");
    EXPECT_EQ(places,
              (std::vector<std::vector<unsigned>>{
                  {0, 3, 0, 2}, {0, 3, 1, 2}, {1, 3, 0, 2}, {1, 3, 1, 2}, {2, 3, 0, 2}, {2, 3, 1, 2}}));
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

std::size_t address_space() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * std::size_t(sysconf(_SC_PAGESIZE));
}

// 1024 stacks are 72 MiB.
TEST(SimtRunner, StacksOfAFailedLaunchAreUsedAgain) {
  with_runner([](simt::BlockRunner& runner) {
    const auto fail = [&] {
      return run(runner, {.threads = 1024}, [](unsigned thread) {
        if (thread == 1023) running.runner->fail(nullptr, [] { return "the last one gives up"; });
        block_barrier();
      });
    };
    EXPECT_EQ(fail(), "kernel indices, block 0, thread 1023: the last one gives up");
    const std::size_t before = address_space();
    for (int launch = 0; launch < 3; ++launch) EXPECT_NE(fail(), "");
    EXPECT_LT(address_space(), before + (32 << 20));
  });
}

bool is_mapped(const std::byte* address) {
  const auto page = std::uintptr_t(sysconf(_SC_PAGESIZE));
  unsigned char resident;
  return mincore(reinterpret_cast<void*>(std::uintptr_t(address) / page * page), 1, &resident) == 0;
}

TEST(SharedArena, ItsBordersAreGuardedAndLookedAt) {
  constexpr std::ptrdiff_t end = 256, lowest = end - (1 << 20) - (64 << 10), behind = end + (64 << 10);
  const std::byte* base = nullptr;
  {
    simt::SharedArena arena;
    for (const auto& [seed, poison] : {std::pair(0, 0xa5), {1, 0x7e}, {2, 0xa5}, {7, 0x7e}}) {
      std::byte* const memory = arena.start_block(250, {}, nullptr, std::uint64_t(seed));
      base = memory;
      EXPECT_EQ(arena.base(), memory);
      EXPECT_EQ(arena.bytes(), 250u);
      EXPECT_EQ(std::uintptr_t(memory) % 16, 0u);
      for (std::ptrdiff_t i = -64; i < end; ++i) ASSERT_EQ(memory[i], std::byte(poison)) << i;
      std::fill_n(memory, 250, std::byte(1));
      EXPECT_EQ(arena.damage(), "");
    }
    struct {
      std::ptrdiff_t offset;
      const char* damage;
    } const cases[] = {{-65, ""},
                       {-64, "wrote below its 250 bytes of dynamic shared memory"},
                       {-1, "wrote below its 250 bytes of dynamic shared memory"},
                       {0, ""},
                       {249, ""},
                       {250, "wrote past its 250 bytes of dynamic shared memory"},
                       {255, "wrote past its 250 bytes of dynamic shared memory"}};
    for (const auto& one : cases) {
      std::byte* const memory = arena.start_block(250, {}, nullptr, 0);
      memory[one.offset] = std::byte(1);
      EXPECT_EQ(arena.damage(), one.damage) << one.offset;
    }
    EXPECT_FALSE(arena.guards(base + lowest - 1));
    EXPECT_TRUE(arena.guards(base + lowest));
    EXPECT_TRUE(arena.guards(base));
    EXPECT_TRUE(arena.guards(base + behind - 1));
    EXPECT_FALSE(arena.guards(base + behind));
    EXPECT_TRUE(is_mapped(base + lowest));
    EXPECT_TRUE(is_mapped(base + behind - 1));
  }
  EXPECT_FALSE(is_mapped(base + lowest));
  EXPECT_FALSE(is_mapped(base));
  EXPECT_FALSE(is_mapped(base + behind - 1));
}

}  // namespace
}  // namespace redbench
