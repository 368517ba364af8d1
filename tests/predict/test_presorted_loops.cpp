// By how many bits a presorted loop sorts, and which machines have what the overlapped model goes by.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/predict/prediction.hpp"

namespace redbench {
namespace {

/// The loop of a presorted variant over m buckets.
caches::Loop presorted(Index m, Index bits, Index threshold_log2) {
  Case one;
  one.variant = find_variant("multireduce/cpu_presorted");
  one.input.axes = {{"labels", "degenerate"}};
  one.input.n = 5000;
  one.input.pair = &find_problem("multireduce")->pairs.front();
  one.sizes.m = m;
  one.parameters = {{"digit_bits", 7}, {"threshold_log2", threshold_log2}, {"sort_bits", bits}};
  return loop_of(one, LoopKind::presorted);
}

// Labels below m have ceil(log2 m) bits.
TEST(PresortedLoops, SortByAsManyBitsAsAreAskedForAndThere) {
  const Index threshold = Index(1) << 21;
  const auto bits = [](Index m, Index asked, Index threshold_log2 = 21) {
    return presorted(m, asked, threshold_log2).sort_bits;
  };
  // None is asked for: none below the threshold, and from there on all but 18.
  EXPECT_EQ(bits(1, 0), 0);
  EXPECT_EQ(bits(threshold - 1, 0), 0);
  EXPECT_EQ(bits(threshold, 0), 3);
  EXPECT_EQ(bits(threshold + 1, 0), 4);
  EXPECT_EQ(bits(threshold, 0, 22), 0);
  EXPECT_EQ(bits(threshold, 0, 20), 3);
  EXPECT_EQ(bits(Index(1) << 19, 0, 19), 1);
  EXPECT_EQ(bits((Index(1) << 30) + 1, 0), 13);
  // So many are asked for, at any m.
  EXPECT_EQ(bits(700, 1), 1);
  EXPECT_EQ(bits(700, 2), 2);
  EXPECT_EQ(bits(700, 9), 9);
  EXPECT_EQ(bits(700, 11), 10);
  EXPECT_EQ(bits(512, 32), 9);
  EXPECT_EQ(bits(513, 32), 10);
  EXPECT_EQ(bits(2, 5), 1);
  EXPECT_EQ(bits(1, 5), 0);
  EXPECT_EQ(bits(threshold, 1), 1);
  EXPECT_EQ(bits(threshold + 1, 22), 22);
  EXPECT_EQ(presorted(threshold, 6, 20).digit_bits, 7);
}

// The bug: a machine without either time was run through as if all took none.
TEST(MachineCores, AreThoseWithATimeOfTheLoopOrOfALine) {
  caches::Machine machine;
  const auto with = [&](const caches::Core& core) {
    machine.core = core;
    EXPECT_EQ(written_machine(machine).contains("core"), has_core(machine));
    return has_core(machine);
  };
  EXPECT_FALSE(with({}));
  EXPECT_FALSE(with({.forward_ns = 2, .chain_ns = 3, .misses = 4, .window = 5, .walks = 6}));
  EXPECT_TRUE(with({.line_ns = 0.5}));
  EXPECT_TRUE(with({.input_ns = 0.25}));
  EXPECT_TRUE(with({.input_ns = 7, .line_ns = 8}));
}

}  // namespace
}  // namespace redbench
