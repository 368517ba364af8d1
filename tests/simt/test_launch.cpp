// What a launch may ask of a device, to the last thread, block and byte, and which block comes next.
#include <gtest/gtest.h>

#include <thread>

#include "src/simt/launch.hpp"
#include "src/simt/model.hpp"
#include "tests/simt_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// The limits of the test kernel `name`, of which nothing is run.
std::string limits(const Grid& grid, const DeviceFacts& facts, const char* name = "indices") {
  const KernelCall call{reinterpret_cast<const void*>(test_kernels().at(name).kernel), nullptr,
                        [](const void*, void**) {}, grid};
  try {
    simt::execute(call, facts, {});
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

const DeviceFacts& gtx480() {
  static const DeviceFacts facts = simt::load_model("gtx480");
  return facts;
}

TEST(LaunchLimits, AreTheLastThatADeviceTakes) {
  const std::string start = "kernel indices: ";
  const auto threads = [](int count) { return limits({.threads = count}, gtx480()); };
  EXPECT_EQ(threads(1), "");
  EXPECT_EQ(threads(1024), "");
  EXPECT_EQ(threads(0), start + "0 threads per block; gtx480 takes 1 to 1024");
  EXPECT_EQ(threads(1025), start + "1025 threads per block; gtx480 takes 1 to 1024");
  const auto blocks = [](Index count, bool cooperative = false) {
    return limits({.blocks = count, .threads = 1, .cooperative = cooperative}, gtx480());
  };
  EXPECT_EQ(blocks(1), "");
  EXPECT_EQ(blocks(0), start + "0 blocks; a grid has 1 to 2147483647");
  EXPECT_EQ(blocks(Index(1) << 31), start + "2147483648 blocks; a grid has 1 to 2147483647");
  EXPECT_EQ(blocks((Index(1) << 31) - 1, true),
            start + "a cooperative grid of 2147483647 blocks; gtx480 holds 120 of this shape at once")
      << "that many it may have";
}

// 256 bytes are the kernel's own.
TEST(LaunchLimits, SharedMemoryIsTheLaunchsAndTheKernels) {
  const auto shared = [](std::size_t bytes, const char* kernel) {
    return limits({.threads = 1, .shared_bytes = bytes}, gtx480(), kernel);
  };
  EXPECT_EQ(shared(49152, "indices"), "");
  EXPECT_EQ(shared(49153, "indices"),
            "kernel indices: 49153 bytes of dynamic and 0 of static shared memory; gtx480 has 49152 for a "
            "block");
  EXPECT_EQ(shared(48896, "producer_consumer"), "");
  EXPECT_EQ(shared(48897, "producer_consumer"),
            "kernel producer_consumer: 48897 bytes of dynamic and 256 of static shared memory; gtx480 has "
            "49152 for a block");
}

// Of 1024 threads each of 15 multiprocessors holds one block of 32 warps, of 48; of 24448 + 256 bytes one, of
// 24320 + 256 two. How many registers a kernel will have is not known here, so they are no limit.
TEST(LaunchLimits, ACooperativeGridIsResidentAtOnce) {
  DeviceFacts facts = gtx480();
  facts.registers = 1;
  const auto cooperative = [&](Index blocks, int threads, std::size_t shared) {
    return limits({.blocks = blocks, .threads = threads, .shared_bytes = shared, .cooperative = true}, facts,
                  "producer_consumer");
  };
  const auto refusal = [](int blocks, int resident) {
    return fmt::format(
        "kernel producer_consumer: a cooperative grid of {} blocks; gtx480 holds {} of this shape at once",
        blocks, resident);
  };
  EXPECT_EQ(cooperative(15, 1024, 0), "");
  EXPECT_EQ(cooperative(16, 1024, 0), refusal(16, 15));
  EXPECT_EQ(cooperative(16, 32, 24448), refusal(16, 15));
  EXPECT_EQ(cooperative(30, 32, 24320), "");
  EXPECT_EQ(cooperative(31, 32, 24320), refusal(31, 30));
  EXPECT_EQ(limits({.blocks = 16, .threads = 1024}, facts), "") << "others wait for their turn";
}

// Blocks of several OS threads fail in any order: the error of the lowest one is kept.
TEST(LaunchBlocks, ComeInOrderUntilOneFails) {
  const KernelCall call{reinterpret_cast<const void*>(test_kernels().at("indices").kernel),
                        nullptr,
                        nullptr,
                        {.blocks = 4, .threads = 1}};
  const simt::MakeWatch nothing;
  simt::Launch all(call, gtx480(), {}, nothing), failed(call, gtx480(), {}, nothing);
  for (const Index block : {0, 1, 2, 3, -1, -1}) EXPECT_EQ(all.next_block(), block);
  EXPECT_FALSE(all.stopped());
  EXPECT_EQ(all.error(), "");
  EXPECT_EQ(failed.next_block(), 0);
  failed.fail(2, "the third");
  EXPECT_TRUE(failed.stopped());
  EXPECT_EQ(failed.next_block(), -1);
  failed.fail(3, "the fourth");
  EXPECT_EQ(failed.error(), "the third");
  failed.fail(0, "the first");
  failed.fail(0, "the first again");
  failed.fail(1, "the second");
  EXPECT_EQ(failed.error(), "the first");
}

TEST(LaunchThreads, AreThoseOfTheVariableOrOfTheMachine) {
  const auto with = [](const char* text) {
    setenv("REDBENCH_SIMT_THREADS", text, 1);
    const auto unset = [](const char* name) { unsetenv(name); };
    const std::unique_ptr<const char, decltype(unset)> variable("REDBENCH_SIMT_THREADS", unset);
    return simt::default_os_threads();
  };
  const int machine = std::max(1, int(std::thread::hardware_concurrency()));
  EXPECT_EQ(with("1"), 1);
  EXPECT_EQ(with("17"), 17);
  EXPECT_EQ(with("1024"), 1024);
  EXPECT_EQ(with(""), machine);
  EXPECT_EQ(simt::default_os_threads(), machine);
  for (const std::string text : {"0", "-1", "1025", "3x", "x", " "})
    EXPECT_EQ(usage_error([&] { with(text.c_str()); }),
              "REDBENCH_SIMT_THREADS=" + text + ": a number of OS threads from 1 to 1024 is allowed");
}

}  // namespace
}  // namespace redbench
