// The loops of Eilers' sequential algorithms: the counts of whole loops, each against those of another
// program, which goes through the thesis' listings with lists in place of caches; and what the thesis found.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/cachesim/loop.hpp"
#include "src/cachesim/machine.hpp"

namespace redbench::cachesim {
namespace {

using enum LoopProblem;
using enum LabelDistribution;

constexpr unsigned mb = 1 << 20, huge = 2 * mb;  // huge: a page's size, as each array begins with one
constexpr std::uint64_t all = 1 << 20;           // steps: more than any of these loops has

struct Sets {
  std::uint64_t sets;
  unsigned ways, line_bytes;
};
struct Row {
  Loop loop;
  Sets cache;
  std::uint64_t most_steps;
  std::string counts;  // of each phase its misses/lines written back, then all loads+stores
};

Machine machine_of(const Sets& cache) {
  Machine machine;
  machine.line_bytes = cache.line_bytes;
  machine.levels = {{"L1", cache.sets * cache.ways * cache.line_bytes, cache.ways, 1, Replacement::lru}};
  machine.memory_ns = 100;
  machine.prefetch = Prefetch::none;
  return machine;
}

void expect(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const Machine machine = machine_of(row.cache);
    const SimulatedLoop found = simulate(machine, Timing::serial, row.loop, row.most_steps);
    std::string text;
    double loads = 0, stores = 0, misses = 0;
    for (const auto& [name, ns, counts] : found.phases) {
      text += fmt::format("{} {:g}/{:g}, ", name, counts.misses.at(0), counts.write_backs.at(0));
      loads += counts.loads;
      stores += counts.stores;
      misses += counts.misses[0];
    }
    text += fmt::format("of {:g}+{:g}", loads, stores);
    EXPECT_EQ(text, row.counts) << &row - rows.data();
    // A miss takes 100 ns, any other access 1 ns.
    EXPECT_NEAR(found.ns_per_input(), (loads + stores + 99 * misses) / double(row.loop.n), 1e-6) << text;
    EXPECT_NEAR(found.counts().misses.at(0), misses, 1e-6) << text;
  }
}

// A direct-mapped cache tells each address from most others, a fully associative one how many lines are used
// and in which order. Where a line is a huge page, the order of the arrays and how many pages each has decide
// which of them share a set. 37 buckets are no power of two, so a sort's last stretch is narrower.
TEST(CacheLoopCounts, AreThoseOfTheListings) {
  expect({
      {{multireduce, uniform, 200, 37, 64, 0, 9}, {8, 2, 64}, all, "clear 37/21, loop 390/184, of 600+237"},
      {{multireduce, degenerate, 200, 37, 64, 0, 9}, {8, 1, 64}, all, "clear 37/29, loop 316/60, of 600+237"},
      {{multiscan, sequential, 200, 37, 16, 0, 9}, {4, 4, 64}, all, "clear 10/0, loop 164/101, of 600+437"},
      {{multiscan, sorted, 200, 37, 8, 0, 9}, {8, 1, 64}, all, "clear 5/0, loop 519/244, of 600+437"},
      {{scatter, uniform, 200, 37, 16, 0, 9}, {8, 2, 64}, all, "clear 10/0, loop 100/35, of 400+237"},
      {{gather, uniform, 200, 37, 16, 0, 9}, {8, 2, 64}, all, "loop 106/47, of 400+200"},
      {{multireduce, uniform, 200, 37, 8, 5, 2},
       {16, 1, 64},
       all,
       "count 44/15, move 308/187, count 40/21, move 294/189, count 40/18, move 330/188, clear 5/5, loop "
       "92/34, of 3600+2637"},
      {{multiscan, uniform, 200, 37, 64, 2, 9},
       {1, 1000, 64},
       all,
       "pairs 400/0, count 14/0, move 164/0, clear 37/0, loop 158/0, of 1800+1437"},
      {{multireduce, sequential, 200, 37, 8, 5, 2},
       {16, 1, 64},
       all,
       "count 44/15, move 293/182, count 39/20, move 252/151, count 40/20, move 329/184, clear 5/5, loop "
       "92/34, of 3600+2637"},
      {{multireduce, sorted, 200, 37, 8, 5, 2},
       {16, 1, 64},
       all,
       "count 44/15, move 250/147, count 41/19, move 331/179, count 41/20, move 764/388, clear 5/5, loop "
       "92/34, of 3600+2637"},
      {{multiscan, sequential, 200, 300, 4, 5, 4},
       {2, 20, 64},
       all,
       "pairs 38/0, count 15/8, move 66/34, count 7/2, move 70/34, clear 19/9, loop 58/35, of 2800+2500"},
      {{multiscan, uniform, 6, 5, mb, 2, 1},
       {11, 1, huge},
       all,
       "pairs 12/3, count 2/0, move 4/0, count 0/0, move 4/2, clear 3/3, loop 7/4, of 84+71"},
      {{gather, sequential, 5, 3, mb + mb / 2, 0, 9}, {7, 1, huge}, all, "loop 11/3, of 10+5"},
  });
}

// What is simulated begins at 0.41 of the steps, fills the caches for `most_steps` and counts as many,
// rounded up to whole periods where these are short; its counts stand for all.
TEST(CacheLoopCounts, OfAPartStandForTheWhole) {
  expect({
      {{scatter, sequential, 7, 1000, 16, 0, 9}, {1, 1000, 64}, 3, "clear 0/0, loop 3/0, of 14+1007"},
      {{multireduce, sequential, 1000, 999, 32, 0, 9},
       {1, 50, 64},
       3,
       "clear 666/0, loop 666.667/666.667, of 3000+1999"},
      {{multireduce, sequential, 1700, 64, 4, 4, 4},
       {1, 40, 64},
       13,
       "count 130.769/0, move 915.385/0, clear 4.92308/0, loop 261.538/0, of 13600+8564"},
      {{multiscan, uniform, 10000, 640, 4, 5, 3},
       {4, 16, 64},
       50,
       "pairs 1800/0, count 600/0, move 2200/0, count 600/400, move 3000/2800, clear 38.4/38.4, loop "
       "11859/10032.1, of 140000+110640"},
  });
}

/// Of each phase its nanoseconds, for one input by a core of which everything is plenty. A line is all that
/// the cache holds; one from memory takes 100 ns.
std::string overlapped(Loop loop, double line_ns, double forward_ns, double chain_ns = 0) {
  Machine machine = machine_of({1, 1, 64});
  machine.core = {.input_ns = 0,
                  .forward_ns = forward_ns,
                  .chain_ns = chain_ns,
                  .misses = 8,
                  .store_misses = 8,
                  .window = 8,
                  .stores = 8,
                  .walks = 1,
                  .line_ns = line_ns};
  loop.labels = sequential;
  loop.n = 1;
  loop.m = 2;
  std::string text;
  for (const Phase& phase : simulate(machine, Timing::overlapped, loop, all).phases)
    text += fmt::format("{}{} {:g}", text.empty() ? "" : ", ", phase.name, phase.ns);
  return text;
}

// Clearing's only miss is a store, which the core does not wait for: it takes the bus until 60 ns. The
// label's line, and the bucket's that goes to memory for it, take it until 180, the value's until 240.
TEST(CacheLoopTimes, OfOneInputAreTheLongestWayThroughIt) {
  Loop loop;
  loop.problem = gather;
  EXPECT_EQ(overlapped(loop, 60, 0), "loop 200") << "the label, then its value";
  loop.problem = scatter;
  EXPECT_EQ(overlapped(loop, 60, 0), "clear 0, loop 240") << "the store waits for both";
  EXPECT_EQ(overlapped(loop, 0, 0), "clear 0, loop 100") << "which begin at once";
  for (const LoopProblem problem : {multireduce, LoopProblem::multiscan}) {
    loop.problem = problem;
    EXPECT_EQ(overlapped(loop, 60, 0), "clear 0, loop 300") << "the bucket's line follows the value's";
  }
}

// Counted: the label, then its counter, each from memory. To move it takes as long from the start, which is
// over by then, but where the counter is forwarded later. Then the bus is free from 200 on, which the label
// and the value wait for, and the bucket for them.
TEST(CacheLoopTimes, ASortsStepsBeginAtOnce) {
  Loop loop;
  loop.sort_bits = loop.digit_bits = 1;
  EXPECT_EQ(overlapped(loop, 0, 0), "count 200, move 0, clear 0, loop 100");
  EXPECT_EQ(overlapped(loop, 0, 5), "count 200, move 5, clear 0, loop 100");
  loop.dependent = true;
  EXPECT_EQ(overlapped(loop, 0, 0, 300), "count 200, move 0, clear 0, loop 200")
      << "300 from the first bucket";
  loop.dependent = false;
  EXPECT_EQ(overlapped(loop, 0, 0, 300), "count 200, move 0, clear 0, loop 100");
  loop.problem = multiscan;
  EXPECT_EQ(overlapped(loop, 0, 0), "pairs 100, count 100, move 0, clear 0, loop 100")
      << "the pair is on its way to memory when the label is asked for";
}

const Machine& core2() {
  static const Machine machine = load_machine(REDBENCH_SOURCE_DIR "/configs/devices/caches/core2_t7300.json");
  return machine;
}

double ns(std::uint64_t m, int sort_bits) {
  Loop loop;
  loop.n = std::uint64_t(1) << 26;
  loop.m = m;
  loop.sort_bits = sort_bits;
  return simulate(core2(), Timing::serial, loop, 1 << 18).ns_per_input();
}

// Eilers 2014, 2.4.
TEST(CacheLoops, AsInTheThesisManyBucketsTakeMoreThanAnAccessOfMemory) {
  EXPECT_GT(ns(std::uint64_t(1) << 27, 0), 111);
  EXPECT_LT(ns(std::uint64_t(1) << 27, 9), 111 * 2 / 3.);
}

TEST(CacheLoops, AsInTheThesisSortingPaysFrom2To20On) {
  EXPECT_LT(ns(1 << 21, 3), ns(1 << 20, 0));
  EXPECT_LT(ns(1 << 20, 2), ns(1 << 20, 0));
  EXPECT_GT(ns(1 << 19, 1), ns(1 << 19, 0));
}

TEST(CacheLoops, DependentReadsDoNotOverlap) {
  Machine machine = core2();
  machine.core = {.input_ns = 2,
                  .forward_ns = 3,
                  .misses = 8,
                  .store_misses = 8,
                  .window = 16,
                  .stores = 20,
                  .walks = 1,
                  .line_ns = 10};
  Loop loop;
  loop.n = 1 << 20;
  loop.m = 1 << 24;
  const auto ns = [&] {
    return simulate(machine, Timing::overlapped, loop, 1 << 18).phases.back().ns / (1 << 20);
  };
  const double free = ns();
  EXPECT_TRUE(free > 13 && free < 30) << free << ", eight lines of 111 ns at a time";
  loop.dependent = true;
  const double waiting = ns();
  EXPECT_GT(waiting, 100);
  machine.core.chain_ns = 20;
  EXPECT_NEAR(ns(), waiting + 20, 1) << "the next address is known later";
}

}  // namespace
}  // namespace redbench::cachesim
