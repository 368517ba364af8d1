// Shared memory of the block that an OS thread runs: its poison, its borders, and what is written past them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "src/simt/shared_memory.hpp"

namespace redbench::simt {
namespace {

TEST(SharedArena, ItsBordersAreGuardedAndLookedAt) {
  constexpr std::ptrdiff_t end = 256, lowest = end - (1 << 20) - (64 << 10), behind = end + (64 << 10);
  const std::byte* base = nullptr;
  {
    SharedArena arena;
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
  }
}

// Bytes 3 to 7 and 20 of a thread's storage are the kernel's.
TEST(SharedArena, PoisonTheKernelsVariablesAndNoOthers) {
  SharedArena arena;
  const KernelSource kernel{
      .name = "", .file = "", .shared = {{"five", 3, 5}, {"one", 20, 1}}, .shared_bytes = 32};
  for (const auto& [seed, poison] : {std::pair(4, 0xa5), {5, 0x7e}}) {
    std::array<std::byte, 24> storage{};
    arena.start_block(0, kernel, storage.data(), std::uint64_t(seed));
    for (std::size_t i = 0; i < storage.size(); ++i)
      EXPECT_EQ(storage[i], std::byte((i >= 3 && i < 8) || i == 20 ? poison : 0)) << i;
    EXPECT_EQ(arena.bytes(), 0u);
  }
}

}  // namespace
}  // namespace redbench::simt
