// Where buffers of the modelled device go: into the first hole that holds them, and holes side by side are
// one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <random>

#include "src/simt/memory.hpp"
#include "src/simt/shared_memory.hpp"
#include "tests/sanitizer_support.hpp"

namespace redbench::simt {
namespace {

// With 1024 bytes on either side, a buffer of so many takes so many times 256 bytes.
constexpr std::size_t taking(std::size_t units) { return units * 256 - 2048; }

TEST(DeviceMemoryHoles, ThoseSideBySideAreOneInWhicheverOrderTheyCome) {
  std::array<int, 3> order{0, 1, 2};
  do {
    DeviceMemory memory;
    std::byte* buffers[4];
    for (int i = 0; i < 4; ++i) buffers[i] = memory.allocate(taking(10 + std::size_t(i)));
    EXPECT_EQ(buffers[1] - buffers[0], 10 * 256);
    EXPECT_EQ(buffers[3] - buffers[1], (11 + 12) * 256);
    for (const int i : order) memory.release(buffers[i]);
    EXPECT_EQ(memory.allocate(taking(10 + 11 + 12 + 1)) - buffers[3], 13 * 256) << "too large for them";
    EXPECT_EQ(memory.allocate(taking(10 + 11 + 12)), buffers[0]);
    EXPECT_EQ(memory.used(), taking(13) + taking(34) + taking(33));
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(DeviceMemoryHoles, WhatIsLeftOfOneIsAHole) {
  DeviceMemory memory;
  std::byte* const first = memory.allocate(taking(30));
  std::byte* const second = memory.allocate(taking(9));
  memory.release(first);
  EXPECT_EQ(memory.allocate(taking(20)), first);
  EXPECT_EQ(memory.allocate(taking(11)), second + 9 * 256) << "10 are left";
  EXPECT_EQ(memory.allocate(taking(10)), first + 20 * 256);
  EXPECT_EQ(memory.allocate(taking(9)), second + (9 + 11) * 256) << "and now none";
}

// A hole that is filled to its end is gone: it does not part the one that comes behind it from the rest.
TEST(DeviceMemoryHoles, AFilledHoleIsGone) {
  DeviceMemory memory;
  memory.allocate(taking(9));
  std::byte* const second = memory.allocate(taking(14));
  std::byte* const third = memory.allocate(taking(16));
  memory.release(second);
  EXPECT_EQ(memory.allocate(taking(14)), second);
  memory.release(third);
  EXPECT_EQ(memory.allocate(taking(50)), third) << "all the rest is one hole";
}

// Many buffers that come and go, against a list of those that are there: each lies in the first place between
// two of them that has room.
TEST(DeviceMemoryHoles, ManyBuffersLieInTheFirstThatHasRoom) {
  DeviceMemory memory;
  std::byte* const base = memory.allocate(taking(9));
  std::map<std::ptrdiff_t, std::pair<std::ptrdiff_t, std::size_t>> there{{0, {9 * 256, taking(9)}}};
  std::size_t used = taking(9);
  std::mt19937 random(5);
  for (int step = 0; step < 4000; ++step) {
    if (there.size() > 1 && random() % 100 < (there.size() > 30 ? 60 : 40)) {
      const auto gone = std::next(there.begin(), 1 + random() % (there.size() - 1));
      memory.release(base + gone->first);
      used -= gone->second.second;
      there.erase(gone);
    } else {
      const std::size_t bytes = random() % 4000;
      const auto room = std::ptrdiff_t((bytes + 255) / 256 * 256 + 2048);
      std::ptrdiff_t expected = 0;
      for (const auto& [begin, end] : there)
        if (begin - expected >= room) break;
        else expected = end.first;
      ASSERT_EQ(memory.allocate(bytes) - base, expected) << step;
      there[expected] = {expected + room, bytes};
      used += bytes;
    }
    ASSERT_EQ(memory.used(), used);
  }
  EXPECT_EQ(memory.damage(), "");
}

// In pages of address space.
std::size_t mapped() {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages;
}

// Each OS thread of each launch that has one takes more than a mebibyte of addresses.
TEST(SharedArenas, GiveBackAllTheirAddresses) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer maps memory of its own";
  SharedArena();
  const std::size_t before = mapped();
  for (int i = 0; i < 64; ++i) SharedArena();
  EXPECT_LT(mapped(), before + 32 * SharedArena::guard_bytes / std::size_t(sysconf(_SC_PAGESIZE)));
}

// Bytes 3 to 7 and 20 of a thread's storage are the kernel's.
TEST(SharedArenas, PoisonTheKernelsVariablesAndNoOthers) {
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
