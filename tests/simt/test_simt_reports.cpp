// What is said of a block that cannot go on, and of what its threads ask for that there is not: whole
// sentences.
#include <fmt/format.h>

#include "tests/simt/runner_support.hpp"

namespace redbench {
namespace {

using simt::running;
using simt::WarpOp;

// The runner has room for 1024 threads, of which an earlier launch had more than this one.
TEST(SimtReports, ADeadlockIsOfTheLaunchsThreadsAlone) {
  with_runner([](simt::BlockRunner& runner) {
    const auto waits_alone = [&](unsigned waiting) {
      EXPECT_EQ(run(runner, {.threads = 96}, [](unsigned) {}), "");
      return run(runner, {.threads = 64}, [&](unsigned thread) {
        if (thread == waiting) running.runner->named_barrier(2, 64, true, nullptr);
      });
    };
    const std::string stuck = "kernel indices, block 0: no thread can go on: ",
                      barrier = "waits in named barrier 2 (an unknown line)",
                      missing = "; 1 of 64 threads are at named barrier 2";
    EXPECT_EQ(waits_alone(0), stuck + "thread 0 " + barrier + "; threads 1 to 63 have ended" + missing);
    EXPECT_EQ(waits_alone(1),
              stuck + "thread 0 has ended; thread 1 " + barrier + "; threads 2 to 63 have ended" + missing);
    EXPECT_EQ(waits_alone(62),
              stuck + "threads 0 to 61 have ended; thread 62 " + barrier + "; thread 63 has ended" + missing);
    EXPECT_EQ(waits_alone(63), stuck + "threads 0 to 62 have ended; thread 63 " + barrier + missing);
  });
}

TEST(SimtReports, NamedBarriersThatThereAreNot) {
  with_runner([](simt::BlockRunner& runner) {
    const auto over = [](int threads) {
      return fmt::format(
          "a named barrier over {} threads: it takes a multiple of 32, up to the 64 of the block", threads);
    };
    struct {
      int id, threads;
      std::string what;
    } const cases[] = {{-1, 32, "named barrier -1 does not exist: 1 to 15 do"},
                       {0, 32, "named barrier 0 does not exist: 1 to 15 do"},
                       {1, 32, ""},
                       {15, 64, ""},
                       {16, 32, "named barrier 16 does not exist: 1 to 15 do"},
                       {17, 32, "named barrier 17 does not exist: 1 to 15 do"},
                       {1, -32, over(-32)},
                       {1, 0, over(0)},
                       {1, 1, over(1)},
                       {1, 31, over(31)},
                       {1, 33, over(33)},
                       {1, 96, over(96)}};
    for (const auto& one : cases)
      for (const bool waits : {true, false})
        EXPECT_EQ(run(runner, {.threads = 64},
                      [&](unsigned) { running.runner->named_barrier(one.id, one.threads, waits, nullptr); }),
                  one.what.empty() ? "" : "kernel indices, block 0, thread 0: " + one.what)
            << one.id << ' ' << one.threads;
  });
}

// Thread 32 counts itself to a barrier that thread 0 called over other threads.
TEST(SimtReports, ANamedBarrierIsOverAsManyThreadsForAll) {
  with_runner([](simt::BlockRunner& runner) {
    const auto calls = [](unsigned thread) {
      running.runner->named_barrier(7, thread < 32 ? 64 : 96, true, nullptr);
    };
    EXPECT_EQ(run(runner, {.threads = 96}, calls),
              "kernel indices, block 0, thread 32: named barrier 7 over 96 threads, which the call of an "
              "unknown line made a barrier over 64");
  });
}

TEST(SimtReports, CollectivesThatThereAreNot) {
  with_runner([](simt::BlockRunner& runner) {
    const auto asks = [&](WarpOp op, unsigned mask, std::uint64_t width) {
      return run(runner, {.threads = 64}, [=](unsigned thread) {
        if (thread == 35) running.runner->collective(op, mask, 7, width << 32, nullptr);
      });
    };
    const std::string who = "kernel indices, block 0, thread 35: ";
    EXPECT_EQ(asks(WarpOp::ballot, 0xf7, 32),
              who + "__ballot_sync with mask 0x000000f7, in which the caller's lane 3 is not");
    EXPECT_EQ(asks(WarpOp::shuffle_up, 0x8, 3),
              who + "__shfl_up_sync with width 3, which is no power of two up to 32");
    for (const WarpOp op : {WarpOp::shuffle, WarpOp::shuffle_xor})
      for (const int width : {0, 3, 5, 6, 7, 9, 12, 24, 31, 33, 64})
        EXPECT_NE(asks(op, 0x8, std::uint64_t(width)), "") << width;
    for (const int width : {1, 2, 4, 8, 16, 32})
      EXPECT_EQ(asks(WarpOp::shuffle_xor, 0x8, std::uint64_t(width)), "") << width;
    EXPECT_EQ(asks(WarpOp::match_all, 0x8, 3), "") << "it has no width";
    EXPECT_EQ(asks(WarpOp::sync, 0x8, 0), "");
    EXPECT_EQ(run(runner, {.threads = 64},
                  [](unsigned thread) {
                    if (thread == 33) running.runner->collective(WarpOp::any, 0x6, 1, 0, nullptr);
                    if (thread == 34) running.runner->collective(WarpOp::any, 0xe, 1, 0, nullptr);
                  }),
              "kernel indices, block 0, thread 34: mismatched collective: __any_sync with mask 0x0000000e, "
              "while thread 33 of the warp waits in __any_sync with mask 0x00000006 (an unknown line)");
  });
}

// Lane 31 lets the others wait, each in a meeting of its own, and meets itself alone, which makes 32 of them.
// In warp 1 lane 0 waits for lane 1, which ends after all others: each thread runs once.
TEST(SimtReports, AsManyMeetingsAreOpenAsAWarpHasLanes) {
  with_runner([](simt::BlockRunner& runner) {
    std::vector<unsigned> votes, expected{0x80000000};
    std::vector<int> begun(64, 0);
    const auto vote = [](unsigned mask) {
      return unsigned(running.runner->collective(WarpOp::ballot, mask, 1, 0, nullptr));
    };
    EXPECT_EQ(run(runner, {.threads = 64},
                  [&](unsigned thread) {
                    ++begun[thread];
                    if (thread < 31) {
                      EXPECT_EQ(vote(1u << thread | 0x80000000), 1u << thread | 0x80000000);
                    } else if (thread == 31) {
                      votes.push_back(vote(0x80000000));
                      for (int lane = 30; lane >= 0; --lane) votes.push_back(vote(1u << lane | 0x80000000));
                    } else if (thread == 32) {
                      warp_barrier(0b11);
                    } else if (thread == 33) {
                      running.runner->yield();
                    }
                  }),
              "");
    for (int lane = 30; lane >= 0; --lane) expected.push_back(1u << lane | 0x80000000);
    EXPECT_EQ(votes, expected);
    EXPECT_EQ(begun, std::vector<int>(64, 1));
  });
}

// Of one line, and though two calls were found to be of one line before.
TEST(SimtReports, VotesOfDifferentKindsDoNotMeet) {
  with_runner([](simt::BlockRunner& runner) {
    static const char one = 0, other = 0;
    const auto meet = [&](const void* first, const void* second) {
      return run(runner, {.threads = 2}, [=](unsigned thread) {
        const void* const where = thread == 0 ? first : second;
        running.runner->block_barrier(simt::BlockVote::none, 0, where);
        running.runner->block_barrier(thread == 0 ? simt::BlockVote::all : simt::BlockVote::any, 1, where);
      });
    };
    const std::string divergent =
        ": divergent barrier: thread 1 of the block waits in the __syncthreads of an unknown line";
    EXPECT_EQ(meet(nullptr, nullptr), "kernel indices, block 0, thread 0" + divergent);
    EXPECT_EQ(meet(&one, &one), "kernel indices, block 0, thread 0 (an unknown line)" + divergent);
    EXPECT_EQ(meet(&one, &other), "kernel indices, block 0, thread 0 (an unknown line)" + divergent);
  });
}

// A vote is of the threads of its barrier, whatever was counted at the last.
TEST(SimtReports, EachVoteOfABlockCountsItsOwn) {
  with_runner([](simt::BlockRunner& runner) {
    std::vector<int> results;
    const auto vote = [](simt::BlockVote kind, int predicate) {
      return running.runner->block_barrier(kind, predicate, nullptr);
    };
    EXPECT_EQ(run(runner, {.threads = 5},
                  [&](unsigned thread) {
                    const int odd = thread % 2 ? 8 : 0;
                    const int all[] = {
                        vote(simt::BlockVote::count, odd), vote(simt::BlockVote::count, !odd),
                        vote(simt::BlockVote::count, 0),   vote(simt::BlockVote::all, odd),
                        vote(simt::BlockVote::all, -1),    vote(simt::BlockVote::all, thread < 4),
                        vote(simt::BlockVote::any, 0),     vote(simt::BlockVote::any, thread == 4),
                        vote(simt::BlockVote::any, 1)};
                    if (thread == 3) results.assign(std::begin(all), std::end(all));
                  }),
              "");
    EXPECT_EQ(results, (std::vector<int>{2, 3, 0, 0, 1, 0, 0, 1, 1}));
  });
}

}  // namespace
}  // namespace redbench
