// The modelled GPU as kernels and the host use its memory: atomics, borders, poison, and how a fault is
// reported.
#include <fmt/format.h>

#include <algorithm>

#include "tests/simt_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

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
  const auto refusal = [&](const char* what, const auto& access) {
    access(1000);
    EXPECT_EQ(
        message_of<DeviceError>([&] { access(1001); }),
        fmt::format("{} of 1001 bytes at {}, which no buffer of the modelled device holds", what, memory));
  };
  refusal("an upload", [&](std::size_t bytes) { device->upload(memory, host, bytes); });
  refusal("a download", [&](std::size_t bytes) { device->download(host, memory, bytes); });
  refusal("a fill", [&](std::size_t bytes) { device->fill(memory, 7, bytes); });
  refusal("a red zone", [&](std::size_t bytes) { device->forbid(memory, bytes); });
}

// An H200 has more memory than most hosts, which tell theirs in KiB.
TEST(SimtMemory, NoMoreIsFreeThanTheHostHas) {
  const auto device = modelled("h200");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(device->free_bytes() % 1024, 0u);
  EXPECT_LE(device->free_bytes(), make_host()->facts().memory_bytes);
  EXPECT_GE(device->free_bytes(), std::min(device->facts().memory_bytes, make_host()->free_bytes()) / 4);
}

}  // namespace
}  // namespace redbench
