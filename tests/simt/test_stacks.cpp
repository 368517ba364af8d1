// Stacks of the modelled threads: where they lie, and what guards them.
#include "src/simt/stacks.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <vector>

namespace redbench {
namespace {

using simt::stack_bytes;
using simt::StackPool;

constexpr std::size_t stacks_per_slab = 32, color_bytes = 4096;

std::size_t page() { return std::size_t(sysconf(_SC_PAGESIZE)); }
/// From one stack to the next: a guard page, the stack, and room for its top to be moved down in.
std::size_t stride() { return page() + stack_bytes + color_bytes; }

std::vector<std::byte*> allocate(StackPool& pool, std::size_t count) {
  std::vector<std::byte*> tops;
  while (tops.size() < count) tops.push_back(static_cast<std::byte*>(pool.allocate()));
  return tops;
}

/// In any guard page below a stack, however far its top was moved.
std::byte* below(std::byte* top) { return top - stack_bytes - color_bytes - 1; }

/// Whether a byte can be read, as the system finds that is asked to send it.
bool is_readable(const std::byte* address) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool sent = write(ends[1], address, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return sent;
}

TEST(Stacks, EachHasItsRoomAndAGuardBelow) {
  // What was mapped last mostly lies right behind the stacks.
  const std::size_t bytes = 16 * page();
  void* const behind = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(behind, MAP_FAILED);
  StackPool pool;
  const std::vector<std::byte*> tops = allocate(pool, stacks_per_slab);
  for (std::byte* const top : tops) {
    EXPECT_EQ(pool.canary_of(top - 1), nullptr);
    EXPECT_TRUE(is_readable(top - 1));
    EXPECT_TRUE(is_readable(top - stack_bytes));
    EXPECT_FALSE(pool.guards(top - 1));
    EXPECT_FALSE(pool.guards(top - stack_bytes));
    EXPECT_FALSE(is_readable(below(top)));
    EXPECT_TRUE(pool.guards(below(top)));
  }
  for (std::byte* const top : tops) std::fill(top - stack_bytes, top, std::byte(1));
  EXPECT_TRUE(is_readable(static_cast<const std::byte*>(behind)));
  munmap(behind, bytes);
}

// A large array's first access may land up to 1 MiB below the lowest stack.
TEST(Stacks, WhichAddressesAreGuards) {
  StackPool pool;
  std::byte* const top = allocate(pool, 1)[0];
  std::byte *const slab = top - stride(), *const end = slab + stacks_per_slab * stride();
  EXPECT_TRUE(pool.guards(slab));
  EXPECT_TRUE(pool.guards(slab + page() - 1));
  EXPECT_FALSE(pool.guards(slab + page()));
  EXPECT_FALSE(pool.guards(slab + stride() - 1));
  EXPECT_TRUE(pool.guards(slab + stride()));
  EXPECT_FALSE(pool.guards(end - 1));
  EXPECT_FALSE(pool.guards(end));
  EXPECT_TRUE(pool.guards(slab - 1));
  EXPECT_TRUE(pool.guards(slab - (1 << 20)));
  EXPECT_FALSE(pool.guards(slab - (1 << 20) - 1));
  EXPECT_FALSE(pool.guards(nullptr));
}

// One stack that two threads had would spoil both.
TEST(Stacks, WhatIsTakenBackIsGivenOutOnce) {
  StackPool pool;
  const std::vector<std::byte*> first = allocate(pool, stacks_per_slab + 8);
  pool.reclaim_all();
  const std::vector<std::byte*> again = allocate(pool, 3 * stacks_per_slab);
  const std::set<std::byte*> different(again.begin(), again.end());
  EXPECT_EQ(different.size(), again.size());
  for (std::byte* const top : first) EXPECT_TRUE(different.contains(top)) << "it is used again";
}

}  // namespace
}  // namespace redbench
