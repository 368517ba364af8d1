// Which basic blocks end in a branch, on graphs of a few of them: a choice between values is none, and a
// short way may be predicated.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "src/simt/counting.hpp"

namespace redbench::simt {
namespace {

/// A basic block from which 7 exits were seen, 5 of them divergent.
Counted::BasicBlock from(std::vector<const void*> successors, double work_per_entry = 0) {
  Counted::BasicBlock block;
  for (const void* successor : successors) block.add_successor(successor);
  block.exits = 7;
  block.divergent = 5;
  block.entered = 10;
  block.work = std::uint64_t(std::llround(10 * work_per_entry));
  return block;
}

/// Branches, divergent ones and those of them that may be predicated, of basic blocks 0, 1, ...
std::array<std::uint64_t, 3> branches_of(const std::map<int, Counted::BasicBlock>& blocks,
                                         const char* places) {
  Counted counted;
  for (const auto& [place, block] : blocks) counted.basic_blocks[places + place] = block;
  const LaunchCounters all = counted.by_line({.name = "kernel", .file = "", .shared = {}, .shared_bytes = 0});
  EXPECT_EQ(all.kernel, "kernel");
  return {all.total[Counter::branches], all.total[Counter::divergent_branches],
          all.total[Counter::predicable_divergent_branches]};
}

TEST(Branches, AChoiceBetweenValuesIsNone) {
  const char p[8] = {};
  using Three = std::array<std::uint64_t, 3>;
  const auto of = [&](const std::map<int, Counted::BasicBlock>& blocks) { return branches_of(blocks, p); };
  // Around a basic block that only computes, whichever way was seen first, and between two of them.
  EXPECT_EQ(of({{0, from({p + 1, p + 3})}, {1, from({p + 3})}, {3, from({})}}), (Three{0, 0, 0}));
  EXPECT_EQ(of({{0, from({p + 3, p + 1})}, {1, from({p + 3})}, {3, from({})}}), (Three{0, 0, 0}));
  EXPECT_EQ(of({{0, from({p + 1, p + 2})}, {1, from({p + 3})}, {2, from({p + 3})}, {3, from({})}}),
            (Three{0, 0, 0}));
  // Two ways that lead to different places, or of which one goes on in two ways.
  EXPECT_EQ(
      of({{0, from({p + 1, p + 2})}, {1, from({p + 3})}, {2, from({p + 4})}, {3, from({})}, {4, from({})}}),
      (Three{7, 5, 0}));
  EXPECT_EQ(of({{0, from({p + 1, p + 3})}, {1, from({p + 3, p + 4})}, {3, from({})}, {4, from({})}}),
            (Three{14, 10, 0}));
  // Three ways are none, though all come to the same place.
  EXPECT_EQ(of({{0, from({p + 1, p + 2, p + 3})},
                {1, from({p + 4})},
                {2, from({p + 4})},
                {3, from({p + 4})},
                {4, from({})}}),
            (Three{7, 5, 0}));
}

TEST(Branches, AShortWayMayBePredicated) {
  const char p[8] = {};
  using Three = std::array<std::uint64_t, 3>;
  const auto of = [&](const std::map<int, Counted::BasicBlock>& blocks) { return branches_of(blocks, p); };
  for (const auto& [work, predicable] : {std::pair(4.0, 5u), {4.1, 0u}}) {
    EXPECT_EQ(of({{0, from({p + 1, p + 3})}, {1, from({p + 3}, work)}, {3, from({})}}),
              (Three{7, 5, predicable}));
    EXPECT_EQ(of({{0, from({p + 3, p + 1})}, {1, from({p + 3}, work)}, {3, from({})}}),
              (Three{7, 5, predicable}));
    // In two parts, one behind the other.
    EXPECT_EQ(
        of({{0, from({p + 1, p + 3})}, {1, from({p + 2}, 1)}, {2, from({p + 3}, work - 1)}, {3, from({})}}),
        (Three{7, 5, predicable}));
  }
  // Of three ways none, and none of which nothing is known.
  EXPECT_EQ(
      of({{0, from({p + 1, p + 3, p + 2})}, {1, from({p + 3}, 1)}, {2, from({p + 3}, 1)}, {3, from({})}}),
      (Three{7, 5, 0}));
  EXPECT_EQ(of({{0, from({p + 1, p + 3})}, {3, from({p + 5}, 1)}}), (Three{7, 5, 0}));
}

/// "1 2 and more: 20, 14, 10, 20": the numbers of the successors' places, how often it was entered and left,
/// how often by parts, and its work.
std::string told(const Counted::BasicBlock& block, const char* places) {
  std::string text;
  for (const void* const successor : block.successors)
    if (successor) text += fmt::format("{} ", static_cast<const char*>(successor) - places);
  return text + fmt::format("{}: {}, {}, {}, {}", block.more_successors ? "and more" : "alone", block.entered,
                            block.exits, block.divergent, block.work);
}

TEST(Branches, WhatTwoOsThreadsCountedIsAddedUp) {
  const char p[8] = {};
  Counted one, other;
  one.basic_blocks[p] = from({p + 1});
  one.at[p][Counter::global_load_requests] = 3;
  one.trace.push_back({"load", 4, 2, p});
  other.basic_blocks[p] = from({p + 1, p + 2}, 2);
  other.basic_blocks[p + 1] = from({p + 1, p + 2, p + 3}, 1);
  other.at[p][Counter::global_load_requests] = 8;
  other.at[p + 5][Counter::global_store_requests] = 1;
  other.trace.push_back({"store", 5, 1, p + 5});
  one.add(other);
  ASSERT_EQ(one.basic_blocks.size(), 2u);
  EXPECT_EQ(told(one.basic_blocks[p], p), "1 2 alone: 20, 14, 10, 20");
  EXPECT_EQ(told(one.basic_blocks[p + 1], p), "1 2 and more: 10, 7, 5, 10");
  EXPECT_EQ(one.at[p][Counter::global_load_requests], 11u);
  EXPECT_EQ(one.at[p + 5][Counter::global_store_requests], 1u);
  ASSERT_EQ(one.trace.size(), 2u);
  EXPECT_EQ(one.trace[0].kind, "load");
  EXPECT_EQ(one.trace[1].kind, "store");
  // A third way that only the two together have.
  Counted third;
  third.basic_blocks[p] = from({p + 4});
  one.add(third);
  EXPECT_EQ(told(one.basic_blocks[p], p), "1 2 and more: 30, 21, 15, 20");
}

}  // namespace
}  // namespace redbench::simt
