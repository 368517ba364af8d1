// The loops of the cache simulator: what they access, and what the thesis found with its own.
#include <gtest/gtest.h>

#include <chrono>

#include "src/caches/loop.hpp"
#include "src/predict/machine_file.hpp"
#include "tests/programs.hpp"

namespace redbench::caches {
namespace {

const Machine& core2() {
  static const Machine machine =
      load_machine(REDBENCH_SOURCE_DIR "/configs/devices/caches/core2_t7300.json").machine;
  return machine;
}

Loop loop(Problem problem, std::uint64_t n, std::uint64_t m, int sort_bits = 0) {
  Loop loop;
  loop.problem = problem;
  loop.n = n;
  loop.m = m;
  loop.sort_bits = sort_bits;
  return loop;
}

Counts counts_of(const Loop& loop) { return predict(core2(), Model::serial, loop, 1 << 20).counts(); }

TEST(CacheLoops, AccessWhatTheListingsDo) {
  constexpr double n = 1000, m = 70;
  const auto is = [&](Problem problem, int sort_bits, double loads, double stores) {
    const Counts counts = counts_of(loop(problem, std::uint64_t(n), std::uint64_t(m), sort_bits));
    const std::string name = std::string(problem_names[std::size_t(problem)]) + std::to_string(sort_bits);
    EXPECT_EQ(counts.loads, loads) << name;
    EXPECT_EQ(counts.stores, stores) << name;
  };
  is(Problem::multireduce, 0, 3 * n, n + m);
  is(Problem::multiscan, 0, 3 * n, 2 * n + m);
  is(Problem::scatter, 0, 2 * n, n + m);
  is(Problem::gather, 0, 2 * n, n);
  // Counted: label and counter; moved: label, counter, value, two of which are written elsewhere.
  is(Problem::multireduce, 3, 8 * n, 5 * n + m);
  is(Problem::scatter, 3, 7 * n, 5 * n + m);
  // And pairs made before: a value read, a pair written.
  is(Problem::multiscan, 3, 9 * n, 7 * n + m);
  Loop twice = loop(Problem::multireduce, std::uint64_t(n), std::uint64_t(m), 3);
  twice.digit_bits = 2;
  EXPECT_EQ(counts_of(twice).loads, 13 * n) << "two passes";
}

// 64 buckets are four lines, 2^12 labels and as many values 256 lines each, all fetched ahead but the first.
TEST(CacheLoops, MissWhatIsNewAlone) {
  const Counts counts = counts_of(loop(Problem::multireduce, 1 << 12, 64));
  EXPECT_EQ(counts.misses, (std::vector<double>{3, 3})) << "labels, values, buckets: their first lines";
}

/// Misses of each phase where no line is ever evicted or fetched ahead: those that it is the first to use.
std::vector<double> new_lines(const Loop& loop, std::uint64_t bytes = 1 << 20) {
  Machine machine;
  machine.levels = {{"L1", bytes, 16, 1, Replacement::lru}};  // each array begins at the first of its sets
  machine.memory_ns = 100;
  machine.prefetch = Prefetch::none;
  std::vector<double> misses;
  for (const Phase& phase : predict(machine, Model::serial, loop, 1 << 20).phases)
    misses.push_back(phase.counts.misses[0]);
  return misses;
}

// 256 words are 16 lines, 256 pairs 32, and 16 buckets one. Each place that is written in order of the labels
// is one of its own.
TEST(CacheLoops, ASortReadsWhatTheLastStepWroteAndTheLoopWritesEachResult) {
  Loop one = loop(Problem::multireduce, 256, 16, 4);
  one.labels = Labels::sequential;
  one.digit_bits = 4;
  // Counted: labels, and 16 counters in two lines. Moved: values, from there to labels and values elsewhere.
  EXPECT_EQ(new_lines(one), (std::vector<double>{16 + 2, 3 * 16, 1, 0}));
  one.digit_bits = 2;
  // Four counters, the same in both passes, the second of which reads what the first wrote.
  EXPECT_EQ(new_lines(one), (std::vector<double>{16 + 1, 3 * 16, 0, 2 * 16, 1, 0}));
  one.problem = Problem::multiscan;
  one.digit_bits = 4;
  // Values are read to make pairs, which are moved; results are written where the inputs were before the
  // sort.
  EXPECT_EQ(new_lines(one), (std::vector<double>{16 + 32, 16 + 2, 16 + 32, 1, 16}));
}

// Of 2^19 inputs the labels are 2^15 lines, the values of a byte 2^13, and the pairs of five bytes 40960,
// more than the huge page that the values alone would have: no line of them may be one of the array behind.
TEST(CacheLoops, PairsHaveRoomForTheirLabels) {
  Loop one = loop(Problem::multiscan, 1 << 19, 16, 4);
  one.labels = Labels::sequential;
  one.digit_bits = 4;
  one.value_bytes = 1;
  EXPECT_EQ(new_lines(one, 64 << 20), (std::vector<double>{8192 + 40960, 32768 + 2, 32768 + 40960, 1, 8192}));
}

// Of random labels of one bit the second half begins in the middle or up to 56 places off it, and each half
// has some 2048 of 4096 places: nearly all of 256 lines of labels and as many of values are written.
TEST(CacheLoops, RandomDigitsAreMovedToTheirOwnPlaces) {
  Loop one = loop(Problem::multireduce, 4096, 2, 1);
  one.digit_bits = 1;
  const double moved = new_lines(one).at(1);
  EXPECT_GT(moved, 3 * 256 - 40);
  EXPECT_LE(moved, 3 * 256) << "values are read, labels and values written";
}

// 512 buckets are 32 lines; after a sort by one bit, 16 of them are updated by each half of the inputs, and
// stay among 64 lines; all 32 would not, beside the 64 lines of the 512 inputs between two updates.
TEST(CacheLoops, ASortByOneBitHalvesTheBucketsInUse) {
  Machine machine;
  machine.levels = {{"L1", 64 * 64, 64, 1, Replacement::lru}};
  machine.memory_ns = 100;
  machine.prefetch = Prefetch::none;
  Loop one = loop(Problem::multireduce, 4096, 512, 1);
  one.labels = Labels::sequential;
  const auto misses = [&] {
    return predict(machine, Model::serial, one, 1 << 20).phases.back().counts.misses[0];
  };
  EXPECT_EQ(misses(), 2 * 256 + 16)
      << "labels, values, the second half's buckets; the first half was cleared";
  one.sort_bits = 0;
  EXPECT_GT(misses(), 2 * 256 + 7 * 32);
}

// One value from memory, which is known from the start.
TEST(CacheLoops, TheFirstPairBeginsAtOnce) {
  Machine machine = core2();
  machine.memory_ns = 100;
  machine.core.line_ns = 2;
  const Prediction one = predict(machine, Model::overlapped, loop(Problem::multiscan, 1, 2, 1), 1 << 20);
  ASSERT_EQ(one.phases.front().name, "pairs");
  EXPECT_EQ(one.phases.front().ns, 100);
}

TEST(CacheLoops, SequentialLabelsMissNoMoreWithManyBuckets) {
  Loop sequential = loop(Problem::multireduce, 1 << 20, 1 << 22);
  const double random = predict(core2(), Model::serial, sequential, 1 << 20).phases.back().ns;
  sequential.labels = Labels::sequential;
  const double in_order = predict(core2(), Model::serial, sequential, 1 << 20).phases.back().ns;
  EXPECT_LT(in_order, random / 8);
  EXPECT_NEAR(in_order / (1 << 20), 6, 0.1) << "four accesses of the first level";
}

double ns(std::uint64_t m, int sort_bits, bool translated = false) {
  Loop one = loop(Problem::multireduce, std::uint64_t(1) << 26, m, sort_bits);
  if (translated) one.page_bytes = 4096;
  return predict(core2(), Model::serial, one, 1 << 18).ns_per_input();
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
// What it left open: that time goes on rising after the TLB misses no more often.
TEST(CacheLoops, TablesOfPagesThatNoCacheHoldsTakeTime) {
  const double plain = ns(std::uint64_t(1) << 27, 0) - ns(1 << 24, 0);
  const double walked = ns(std::uint64_t(1) << 27, 0, true) - ns(1 << 24, 0, true);
  EXPECT_GT(walked, plain + 10);
}

TEST(CacheLoops, APartOfALoopStandsForTheWhole) {
  for (const auto& [problem, bits] : {std::pair(Problem::multireduce, 0),
                                      {Problem::multireduce, 4},
                                      {Problem::multiscan, 4},
                                      {Problem::gather, 0}}) {
    const Loop one = loop(problem, 1 << 21, 1 << 21, bits);
    const double whole = predict(core2(), Model::serial, one, 1 << 22).ns_per_input();
    EXPECT_NEAR(predict(core2(), Model::serial, one, 1 << 16).ns_per_input() / whole, 1, 0.06)
        << problem_names[std::size_t(problem)] << bits;
  }
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
  Loop one = loop(Problem::multireduce, 1 << 20, 1 << 24);
  const double free = predict(machine, Model::overlapped, one, 1 << 18).phases.back().ns / (1 << 20);
  one.dependent = true;
  const double waiting = predict(machine, Model::overlapped, one, 1 << 18).phases.back().ns / (1 << 20);
  EXPECT_GT(waiting, 100);
  machine.core.chain_ns = 20;
  EXPECT_NEAR(predict(machine, Model::overlapped, one, 1 << 18).phases.back().ns / (1 << 20), waiting + 20, 1)
      << "the next address is known later";
  EXPECT_LT(free, 30);
  EXPECT_GT(free, 13) << "eight lines of 111 ns at a time";
}

// Twenty million were wanted of a core; a busy one is let off.
TEST(CacheLoops, SimulatesMillionsOfAccessesASecond) {
  const auto start = std::chrono::steady_clock::now();
  const Counts counts = counts_of(loop(Problem::multireduce, 1 << 20, 1 << 24));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_GT(counts.loads + counts.stores, 4 << 20);
  EXPECT_GT((counts.loads + counts.stores) / seconds, 2e6);
}

}  // namespace
}  // namespace redbench::caches
