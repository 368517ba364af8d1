// Memory of the modelled device: what is in use, what is refused, and whose bytes are left alone; how kernels
// and the host use it, and how a fault is reported; the stacks of its threads.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/json/strict.hpp"
#include "src/simt/memory.hpp"
#include "src/simt/stacks.hpp"
#include "tests/simt_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using simt::DeviceMemory;

bool holds(const std::byte* memory, std::size_t bytes, int value) {
  return std::all_of(memory, memory + bytes, [&](std::byte byte) { return byte == std::byte(value); });
}

// Of a model with a mebibyte: all of it can be had, and no byte more.
TEST(DeviceMemory, TheModelsMemoryCanBeHadToItsLastByte) {
  constexpr std::size_t all = 1 << 20;
  Json model = read_json_file(REDBENCH_SOURCE_DIR "/configs/devices/gtx480.json");
  model["memory_bytes"] = all;
  const TemporaryFolder folder;
  const std::unique_ptr<Device> device = open_device("simt:" + folder.write("small.json", model.dump()));
  EXPECT_EQ(device->free_bytes(), all);
  EXPECT_EQ(message_of<DeviceError>([&] { device->allocate(all + 1); }),
            "1048577 bytes asked for, 1048576 are free on simt:small.json");
  void* const memory = device->allocate(all);
  EXPECT_EQ(device->free_bytes(), 0u);
  EXPECT_EQ(message_of<DeviceError>([&] { device->allocate(1); }),
            "1 bytes asked for, 0 are free on simt:small.json");
  device->release(device->allocate(0));
  device->release(memory);
  EXPECT_EQ(device->free_bytes(), all);
}

// The third shares a page with the one released, and was given back with it.
TEST(DeviceMemory, ReleasingABufferLeavesThoseOnItsPagesAlone) {
  DeviceMemory memory;
  std::byte *const first = memory.allocate(256), *const second = memory.allocate(2048),
                   *const third = memory.allocate(1024);
  std::fill_n(first, 256, std::byte(1));
  std::fill_n(third, 1024, std::byte(3));
  memory.release(second);
  EXPECT_EQ(memory.damage(), "");
  EXPECT_TRUE(holds(first, 256, 1));
  EXPECT_TRUE(holds(third, 1024, 3));
}

// 1024 bytes on either side, behind the last 256 of which the buffer has a part.
TEST(DeviceMemory, RedZonesAreWatchedToTheirEnds) {
  DeviceMemory memory;
  std::byte* const buffer = memory.allocate(100);
  struct {
    std::ptrdiff_t offset;
    const char* damage;
  } const cases[] = {{100, "wrote 0 bytes past the end of a buffer of 100 bytes"},
                     {1279, "wrote 1179 bytes past the end of a buffer of 100 bytes"},
                     {1280, ""},
                     {99, ""},
                     {0, ""},
                     {-1, "wrote 1 bytes before the start of a buffer of 100 bytes"},
                     {-1024, "wrote 1024 bytes before the start of a buffer of 100 bytes"}};
  for (const auto& one : cases) {
    buffer[one.offset] = ~buffer[one.offset];
    EXPECT_EQ(memory.damage(), one.damage) << one.offset;
  }
  buffer[-3] = buffer[-7] = buffer[101] = buffer[110] = std::byte(0);
  EXPECT_EQ(memory.damage(), "wrote 1 bytes past the end of a buffer of 100 bytes") << "what is nearest";
  buffer[-3] = buffer[-7] = std::byte(0);
  EXPECT_EQ(memory.damage(), "wrote 3 bytes before the start of a buffer of 100 bytes") << "what is nearest";
  std::byte* const second = memory.allocate(300);
  second[-8] = buffer[103] = std::byte(0);
  EXPECT_EQ(
      memory.damage(),
      "wrote 3 bytes past the end of a buffer of 100 bytes; wrote 8 bytes before the start of a buffer of "
      "300 bytes");
  EXPECT_EQ(memory.damage(), "") << "the red zones were repaired";
}

TEST(DeviceMemory, ARangeLiesInOneBuffer) {
  DeviceMemory memory;
  std::byte* const buffer = memory.allocate(100);
  memory.allocate(100);
  for (const auto& [offset, bytes] : {std::pair(0, 100), {99, 1}, {100, 0}, {-5000, 0}})
    EXPECT_NO_THROW(memory.check_range(buffer + offset, std::size_t(bytes), "a fill")) << offset;
  for (const auto& [offset, bytes] : {std::pair(0, 101), {99, 2}, {101, 1}, {-1, 2}, {-5000, 1}, {1, -1}})
    EXPECT_EQ(
        message_of<DeviceError>([&] { memory.check_range(buffer + offset, std::size_t(bytes), "a fill"); }),
        fmt::format("a fill of {} bytes at {}, which no buffer of the modelled device holds",
                    std::size_t(bytes), static_cast<const void*>(buffer + offset)));
  EXPECT_EQ(message_of<DeviceError>([&] { memory.release(buffer + 4); }),
            fmt::format("release of {}, which is no buffer", static_cast<const void*>(buffer + 4)));
}

TEST(SimtMemory, EachLaunchIsToldToWhoeverListens) {
  const auto device = modelled();
  int launches = 0;
  device->listen([&] { ++launches; });
  run_kernel(*device, "indices", {.blocks = 3, .threads = 5}, {0}, 15);
  EXPECT_EQ(launches, 1);
}

TEST(SimtMemory, IndicesOfThreadsAndBlocks) {
  const auto out = run_shuffled("indices", {.blocks = 3, .threads = 5}, {0}, 15);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(out[i], i / 5 * 10000 + i % 5 * 10 + 3);
}

TEST(SimtMemory, AtomicsUnderContention) {
  const int threads = 256, blocks = 40, n = threads * blocks;
  for (int os_threads : {1, 2, 4}) {
    const auto out = run_kernel(*modelled("gtx480", 0, os_threads), "atomics",
                                {.blocks = blocks, .threads = threads}, iota(n), 9);
    const int sum = n * (n - 1) / 2;
    EXPECT_EQ(out[0], -1 + sum);
    EXPECT_EQ(out[1], -1 - sum);
    EXPECT_EQ(out[2], -1);
    EXPECT_EQ(out[3], n - 1);
    EXPECT_EQ(out[4], 0);  // all ones, and 0 among the inputs
    EXPECT_EQ(out[5], -1);
    EXPECT_EQ(out[6], -1);  // the xor of 0 .. 10239 is 0, as 10240 is a multiple of 4
    // 0xffffffff is past 9, so the first wraps to 0; then 0 to 9 in turn: 10239 more.
    EXPECT_EQ(out[7], (n - 1) % 10);
    EXPECT_EQ(out[8], -1 + n);
  }
}

TEST(SimtMemory, SharedMemoryNobodyWroteHoldsPoisonThatTheSeedChooses) {
  for (const char* kernel : {"unwritten_static", "unwritten_dynamic"}) {
    const Grid grid{.blocks = 2, .threads = 64, .shared_bytes = 256};
    EXPECT_EQ(run_kernel(*modelled("gtx480", 0), kernel, grid, {0}, 64),
              std::vector<int>(64, int(0xa5a5a5a5)));
    EXPECT_EQ(run_kernel(*modelled("gtx480", 1), kernel, grid, {0}, 64), std::vector<int>(64, 0x7e7e7e7e));
  }
}

TEST(SimtFaults, AnAddressThatIsNoMemoryCostsTheLaunchOnly) {
  auto device = modelled();
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(has(message_of<DeviceError>(
                        [&] { run_kernel(*device, "null_address", {.blocks = 4, .threads = 64}, {16}, 4); }),
                    {"kernel null_address, block 0, thread 3", "memory.cu:", "address 0x10"}));
    // Threads 0 to 39 wait at a barrier when thread 40 faults: the next launch does not resume them.
    EXPECT_THROW(run_kernel(*device, "fault_while_others_wait", {.threads = 64}, {16}, 64), DeviceError);
    EXPECT_EQ(run_kernel(*device, "reverse", {.threads = 64}, std::vector<int>(64, 3), 64),
              std::vector<int>(64, 3));
  }
}

// What is past a buffer belongs to another, or to nobody.
TEST(SimtMemory, EachAccessOfTheHostStaysInItsBuffer) {
  const auto device = modelled();
  void* const memory = device->allocate(1000);
  char host[1001] = {};
  EXPECT_NO_THROW(device->upload(memory, host, 1000));
  EXPECT_THROW(device->upload(memory, host, 1001), DeviceError);
  EXPECT_THROW(device->download(host, memory, 1001), DeviceError);
  EXPECT_THROW(device->fill(memory, 7, 1001), DeviceError);
  EXPECT_THROW(device->forbid(memory, 1001), DeviceError);
}

// An H200 has more memory than most hosts, which tell theirs in KiB.
TEST(SimtMemory, NoMoreIsFreeThanTheHostHas) {
  const auto device = modelled("h200");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(device->free_bytes() % 1024, 0u);
  EXPECT_LE(device->free_bytes(), make_host()->facts().memory_bytes);
  EXPECT_GE(device->free_bytes(), std::min(device->facts().memory_bytes, make_host()->free_bytes()) / 4);
}

// One stack that two threads had would spoil both.
TEST(Stacks, WhatIsTakenBackIsGivenOutOnce) {
  simt::StackPool pool;
  const auto allocate = [&](int count) {
    std::vector<std::byte*> tops;
    for (int i = 0; i < count; ++i) tops.push_back(static_cast<std::byte*>(pool.allocate()));
    return tops;
  };
  const std::vector<std::byte*> first = allocate(40);  // they come in 32s
  pool.reclaim_all();
  const std::vector<std::byte*> again = allocate(96);
  const std::set<std::byte*> different(again.begin(), again.end());
  EXPECT_EQ(different.size(), again.size());
  for (std::byte* const top : first) {
    EXPECT_TRUE(different.contains(top)) << "it is used again";
    EXPECT_FALSE(pool.guards(top - simt::stack_bytes));
    EXPECT_TRUE(pool.guards(top - simt::stack_bytes - 4096 - 1))
        << "by up to 4096 bytes the top may have been moved";
  }
}

}  // namespace
}  // namespace redbench
