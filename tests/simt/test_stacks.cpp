// Stacks of the modelled threads: where they lie, and what guards them.
#include "src/simt/stacks.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace redbench {
namespace {

using simt::stack_bytes;
using simt::StackPool;

constexpr std::size_t stacks_per_slab = 32;

std::vector<std::byte*> allocate(StackPool& pool, std::size_t count) {
  std::vector<std::byte*> tops;
  while (tops.size() < count) tops.push_back(static_cast<std::byte*>(pool.allocate()));
  return tops;
}

// One stack that two threads had would spoil both.
TEST(Stacks, WhatIsTakenBackIsGivenOutOnce) {
  StackPool pool;
  const std::vector<std::byte*> first = allocate(pool, stacks_per_slab + 8);
  pool.reclaim_all();
  const std::vector<std::byte*> again = allocate(pool, 3 * stacks_per_slab);
  const std::set<std::byte*> different(again.begin(), again.end());
  EXPECT_EQ(different.size(), again.size());
  for (std::byte* const top : first) {
    EXPECT_TRUE(different.contains(top)) << "it is used again";
    EXPECT_FALSE(pool.guards(top - stack_bytes));
    EXPECT_TRUE(pool.guards(top - stack_bytes - 4096 - 1))
        << "by up to 4096 bytes the top may have been moved";
  }
}

}  // namespace
}  // namespace redbench
