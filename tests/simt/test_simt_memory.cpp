// Memory of the modelled GPU: atomics, borders, poison, and what a fault is reported as.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "src/simt/memory.hpp"
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

TEST(SimtMemory, AtomicsOf2And8BytesAndFloatingPoint) {
  const auto out =
      run_kernel(*modelled("gtx480", 0, 2), "wide_atomics", {.blocks = 8, .threads = 128}, {0}, 9);
  // Buffers start as all ones: -1 as an integer, a NaN as a float, which no sum or maximum leaves.
  std::uint64_t wide;
  std::memcpy(&wide, &out[0], 8);
  EXPECT_EQ(wide, 0xffffffffffffffff + 1024 * (1ull << 32 | 1));
  EXPECT_EQ(out[8], int(0xffff0000u | ((0xffffu + 1024) & 0xffff)));
}

TEST(SimtMemory, DecrementWrapsToItsLimit) {
  const auto out = run_kernel(*modelled(), "decrements", {.threads = 5}, {0}, 6);
  // From 0xffffffff, above the limit 2: 2, 1, 0, 2, 1.
  EXPECT_EQ(out, (std::vector<int>{1, -1, 2, 1, 0, 2}));
}

TEST(SimtMemory, IncrementWrapsBehindItsLimit) {
  const auto out = run_kernel(*modelled(), "increments", {.threads = 6}, {0}, 7);
  // From 0xffffffff, above the limit 2: 0, 1, 2, 0, 1, 2.
  EXPECT_EQ(out, (std::vector<int>{2, -1, 0, 1, 2, 0, 1}));
}

TEST(SimtMemory, FractionsAreAdded) {
  const auto out = run_kernel(*modelled(), "adds_fractions", {.threads = 1}, {0}, 6);
  float narrow[2];
  double wide[2];
  std::memcpy(narrow, &out[0], sizeof narrow);
  std::memcpy(wide, &out[2], sizeof wide);
  EXPECT_EQ(narrow[0], 1.75f);
  EXPECT_EQ(narrow[1], 1.5f);
  EXPECT_EQ(wide[0], 2.625);
  EXPECT_EQ(wide[1], 2.5);
}

TEST(SimtMemory, BitwiseAtomicsGiveWhatWasThere) {
  EXPECT_EQ(run_kernel(*modelled(), "bitwise_atomics", {.threads = 1}, {0}, 6),
            (std::vector<int>{0b0100, 0b0111, 0b0011, 0b0101, 0b0101, 0b0101}));
}

TEST(SimtMemory, FractionsAreSubtracted) {
  const auto out = run_kernel(*modelled(), "subtracts_fractions", {.threads = 1}, {0}, 6);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 1);
}

TEST(SimtMemory, SharedMemoryNobodyWroteHoldsPoisonThatTheSeedChooses) {
  for (const char* kernel : {"unwritten_static", "unwritten_dynamic"}) {
    const Grid grid{.blocks = 2, .threads = 64, .shared_bytes = 256};
    EXPECT_EQ(run_kernel(*modelled("gtx480", 0), kernel, grid, {0}, 64),
              std::vector<int>(64, int(0xa5a5a5a5)));
    EXPECT_EQ(run_kernel(*modelled("gtx480", 1), kernel, grid, {0}, 64), std::vector<int>(64, 0x7e7e7e7e));
  }
}

TEST(SimtMemory, StaticSharedBytesOfAKernelAndOfWhatItCalls) {
  auto device = modelled();
  EXPECT_EQ(run_kernel(*device, "shared_in_function", {.threads = 64}, {0}, 64), std::vector<int>(64, 6));
  const auto [kernel, invoke] = test_kernels().at("shared_in_function");
  const LaunchFacts facts =
      device->describe({reinterpret_cast<const void*>(kernel), nullptr, invoke, {.threads = 64}});
  EXPECT_EQ(facts.kernel, "shared_in_function");
  EXPECT_EQ(facts.static_shared_bytes, 32);  // 10 bytes and 8 bytes, each at 16
}

// Of a function that is inlined here and called there, the DWARF has what it calls with its code alone.
TEST(SimtMemory, StaticSharedBytesBehindACallOfACall) {
  const auto device = modelled();
  for (const char* name : {"shared_behind_a_call", "shared_behind_two_calls"}) {
    const auto [kernel, invoke] = test_kernels().at(name);
    const LaunchFacts facts =
        device->describe({reinterpret_cast<const void*>(kernel), nullptr, invoke, {.threads = 64}});
    EXPECT_EQ(facts.static_shared_bytes, 16) << name;  // 12 bytes
  }
}

TEST(SimtMemory, WritesPastAGlobalBufferAreReported) {
  // 4096 outputs, so the buffer ends after 16384 bytes.
  EXPECT_EQ(error_of("past_global", {.threads = 1}, {4095}), "");
  EXPECT_TRUE(
      has(error_of("past_global", {.threads = 1}, {4096}),
          {"kernel past_global", "wrote 0 bytes past the end of a buffer of 16384 bytes"}) ||
      has(error_of("past_global", {.threads = 1}, {4096}), {"past the end of a buffer of 16384 bytes"}));
  EXPECT_TRUE(
      has(error_of("past_global", {.threads = 1}, {-1}), {"4 bytes before the start", "16384"}) ||
      has(error_of("past_global", {.threads = 1}, {-1}), {"before the start of a buffer of 16384 bytes"}));
}

// The launch after the one that wrote there did nothing wrong.
TEST(SimtMemory, AWritePastABufferIsReportedOnce) {
  simt::DeviceMemory memory;
  std::byte* const buffer = memory.allocate(100);
  EXPECT_EQ(memory.damage(), "");
  buffer[100] = ~buffer[100];
  EXPECT_EQ(memory.damage(), "wrote 0 bytes past the end of a buffer of 100 bytes");
  EXPECT_EQ(memory.damage(), "");
  buffer[-4] = ~buffer[-4];
  EXPECT_EQ(memory.damage(), "wrote 4 bytes before the start of a buffer of 100 bytes");
  EXPECT_EQ(memory.damage(), "");
}

TEST(SimtMemory, AccessesPastDynamicSharedMemoryAreReported) {
  EXPECT_EQ(error_of("past_dynamic", {.threads = 1, .shared_bytes = 64}, {15}), "");
  const std::string line =
      "memory.cu:" + std::to_string(line_with("tests/simt/memory.cu", "dynamic_shared<int>()[in[0]]"));
  EXPECT_TRUE(has(error_of("past_dynamic", {.threads = 1, .shared_bytes = 64}, {16}),
                  {"thread 0", line.c_str(), "byte 64 of 64 bytes of dynamic shared memory"}));
  // 60 bytes end 4 before the page: the alignment's bytes are looked at when the block ends.
  EXPECT_TRUE(
      has(error_of("past_dynamic", {.threads = 1, .shared_bytes = 60}, {15}), {"wrote past its 60 bytes"}));
  EXPECT_TRUE(
      has(error_of("past_dynamic", {.threads = 1, .shared_bytes = 64}, {-1}), {"wrote below its 64 bytes"}));
}

TEST(SimtFaults, AnAddressThatIsNoMemoryCostsTheLaunchOnly) {
  auto device = modelled();
  for (int round = 0; round < 3; ++round) {
    try {
      run_kernel(*device, "null_address", {.blocks = 4, .threads = 64}, {16}, 4);
      FAIL() << "no error";
    } catch (const DeviceError& error) {
      EXPECT_TRUE(
          has(error.what(), {"kernel null_address, block 0, thread 3", "memory.cu:", "address 0x10"}));
    }
    EXPECT_EQ(run_kernel(*device, "reverse", {.threads = 64}, std::vector<int>(64, 3), 64),
              std::vector<int>(64, 3));
  }
}

// The model itself accesses the address: what is told is the kernel's line that called it.
TEST(SimtFaults, AnAtomicOnNoMemoryIsOfTheKernelsLine) {
  const std::string line = std::to_string(
      line_with("tests/simt/memory.cu", "if (threadIdx.x == 3) atomicAdd(reinterpret_cast<int*>"));
  EXPECT_EQ(error_of("null_atomic", {.threads = 4}, {16}),
            "kernel null_atomic, block 0, thread 3 (tests/simt/memory.cu:" + line +
                "): accesses address 0x10, which is no memory of the device");
}

// The line of the instruction that faults, not that of the one before or behind it.
TEST(SimtFaults, AFaultIsOfItsInstructionsLine) {
#if defined(__x86_64__)
  const std::string line = std::to_string(line_with("tests/simt/memory.cu", "// which only the system may"));
  EXPECT_EQ(error_of("halts", {.threads = 1}),
            "kernel halts, block 0, thread 0 (tests/simt/memory.cu:" + line +
                "): accesses address 0x0, which is no memory of the device");
#else
  GTEST_SKIP() << "its instruction is one of x86-64";
#endif
}

// Those that waited are not gone on with in the next launch.
TEST(SimtFaults, ThreadsThatWaitedEndWithTheLaunch) {
  const auto device = modelled();
  EXPECT_THROW(run_kernel(*device, "fault_while_others_wait", {.threads = 64}, {16}, 64), DeviceError);
  std::vector<int> backwards = iota(64);
  std::reverse(backwards.begin(), backwards.end());
  EXPECT_EQ(run_kernel(*device, "reverse", {.threads = 64}, iota(64), 64), backwards);
}

TEST(SimtFaults, AStackOverflowIsExplained) {
  EXPECT_TRUE(has(
      error_of("large_array", {.threads = 32}, std::vector<int>(32 * 1024, 0)),
      {"kernel large_array, block 0, thread 0", "memory.cu:", "stack of 64 KiB overflowed", "local array"}));
}

TEST(SimtFaults, DivisionByZeroIsExplained) {
  EXPECT_TRUE(has(error_of("divides_by_zero", {.threads = 1}), {"memory.cu:", "division by zero"}));
}

// A sanitizer's handler, which stands before the model's own, blocks all signals while it runs.
TEST(SimtFaults, SignalsAreAsTheyWereBeforeTheFault) {
  const auto device = modelled();
  run_kernel(*device, "indices", {.threads = 1}, {0}, 1);  // the model's handlers are there
  static struct sigaction own;
  struct sigaction before {};
  before.sa_flags = SA_SIGINFO | SA_ONSTACK;
  before.sa_sigaction = [](int signal, siginfo_t* info, void* context) {
    own.sa_sigaction(signal, info, context);
  };
  sigfillset(&before.sa_mask);
  ASSERT_EQ(sigaction(SIGFPE, &before, &own), 0);
  EXPECT_THROW(run_kernel(*device, "divides_by_zero", {.threads = 1}, {0}, 1), DeviceError);
  sigaction(SIGFPE, &own, nullptr);
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (const int signal : {SIGFPE, SIGSEGV, SIGINT, SIGTERM})
    EXPECT_EQ(sigismember(&blocked, signal), 0) << signal;
}

TEST(SimtLimits, WhatTheModelDoesNotTakeIsRefusedWithItsLimit) {
  EXPECT_TRUE(has(error_of("indices", {.threads = 1025}), {"1025 threads", "1 to 1024"}));
  EXPECT_TRUE(has(error_of("indices", {.blocks = 0, .threads = 32}), {"0 blocks"}));
  EXPECT_TRUE(has(error_of("indices", {.threads = 32, .shared_bytes = 49153}), {"49153", "49152"}));
  EXPECT_TRUE(has(error_of("indices", {.blocks = 91, .threads = 256, .cooperative = true}),
                  {"91 blocks", "holds 90"}));
}

TEST(SimtMemory, MoreThanIsThereIsRefused) {
  auto device = modelled("gtx690");
  EXPECT_THROW(device->allocate(std::size_t(3) << 30), DeviceError);
  void* const memory = device->allocate(1000);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
  EXPECT_THROW(device->upload(memory, memory, 1001), DeviceError);
  device->release(memory);
  EXPECT_THROW(device->release(memory), DeviceError);
}

// What is past a buffer belongs to another, or to nobody.
TEST(SimtMemory, EachAccessOfTheHostStaysInItsBuffer) {
  const auto device = modelled();
  auto* const memory = static_cast<char*>(device->allocate(1000));
  char host[1001] = {};
  const auto refusal = [&](const char* what, std::size_t bytes, const auto& access) {
    access(memory, bytes - 1);
    access(memory + 1, bytes - 2);
    access(memory + bytes + 5000, 0);
    for (char* const start : {memory, memory + 1})
      EXPECT_EQ(message_of<DeviceError>([&] { access(start, bytes - (start - memory)); }),
                fmt::format("{} of {} bytes at {}, which no buffer of the modelled device holds", what,
                            bytes - (start - memory), static_cast<const void*>(start)));
  };
  refusal("an upload", 1001, [&](char* at, std::size_t bytes) { device->upload(at, host, bytes); });
  refusal("a download", 1001, [&](char* at, std::size_t bytes) { device->download(host, at, bytes); });
  refusal("a fill", 1001, [&](char* at, std::size_t bytes) { device->fill(at, 7, bytes); });
  refusal("a red zone", 1001, [&](char* at, std::size_t bytes) { device->forbid(at, bytes); });
  device->finish();
}

// A GTX 480 has 1.5 GiB; a host that has less to give is no place for this test.
TEST(SimtMemory, WhatIsAllocatedIsNoLongerFree) {
  const auto device = modelled();
  const std::size_t whole = device->facts().memory_bytes, free = device->free_bytes();
  if (free < whole) GTEST_SKIP() << "the host has less memory than the modelled device";
  EXPECT_EQ(free, whole);
  void* const memory = device->allocate(std::size_t(100) << 20);
  const std::size_t left = device->free_bytes();
  EXPECT_LE(left, whole - (std::size_t(100) << 20));
  EXPECT_GE(left, whole - (std::size_t(101) << 20)) << "and its red zones";
  EXPECT_EQ(message_of<DeviceError>([&] { device->allocate(left + 1); }),
            fmt::format("{} bytes asked for, {} are free on simt:gtx480", left + 1, left));
  device->release(memory);
  EXPECT_EQ(device->free_bytes(), whole);
}

// An H200 has more memory than most hosts, which tell theirs in KiB.
TEST(SimtMemory, NoMoreIsFreeThanTheHostHas) {
  const auto device = modelled("h200");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(device->free_bytes() % 1024, 0u);
  EXPECT_LE(device->free_bytes(), make_host()->facts().memory_bytes);
  EXPECT_GE(device->free_bytes(), std::min(device->facts().memory_bytes, make_host()->free_bytes()) / 4);
}

TEST(SimtMemory, ReleasedMemoryIsUsedAgain) {
  auto device = modelled();
  void* const first = device->allocate(5000);
  void* const second = device->allocate(5000);
  device->release(first);
  EXPECT_EQ(device->allocate(4000), first);
  device->release(second);
  device->finish();
}

// With its red zones each buffer takes 7168 bytes: 10000 bytes have room in two holes that became one, and
// what is still in use is part of none.
TEST(SimtMemory, NeighbouringHolesBecomeOne) {
  auto device = modelled();
  void *const first = device->allocate(5000), *const second = device->allocate(5000),
              *const third = device->allocate(5000);
  device->release(first);
  device->release(third);
  EXPECT_EQ(device->allocate(10000), third);
  device->release(second);
  EXPECT_EQ(device->allocate(10000), first);
}

TEST(SimtMemory, TheRangeEndsBehindItsLastByte) {
  const simt::DeviceMemory memory;
  const std::byte* const last = memory.base() + (memory.range().size() - 1);
  EXPECT_TRUE(memory.contains(last));
  EXPECT_FALSE(memory.contains(last + 1));
}

}  // namespace
}  // namespace redbench
