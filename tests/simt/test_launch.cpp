// What a launch may ask of a device, to the last thread, block and byte, which block comes next, and on which
// OS threads; and faults that are not theirs.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "src/simt/launch.hpp"
#include "src/simt/model.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/simt_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// Why a launch of producer_consumer is refused; nothing of it is run.
std::string limits(const Grid& grid, const DeviceFacts& facts) {
  const KernelCall call{reinterpret_cast<const void*>(test_kernels().at("producer_consumer").kernel), nullptr,
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

// 256 bytes of shared memory are producer_consumer's own. Of 1024 threads each of 15 multiprocessors holds
// one block of 32 warps, of 48; of 24448 + 256 bytes one, of 24320 + 256 two. How many registers a kernel
// will have is not known here, so they are no limit.
TEST(LaunchLimits, AreTheLastThatADeviceTakes) {
  constexpr Index most = (Index(1) << 31) - 1;
  struct {
    Grid grid;
    const char* refusal;  // null: none
  } const cases[] = {{{.threads = 1}, nullptr},
                     {{.threads = 1024}, nullptr},
                     {{.threads = 0}, "0 threads per block; gtx480 takes 1 to 1024"},
                     {{.threads = 1025}, "1025 threads per block; gtx480 takes 1 to 1024"},
                     {{.blocks = 0}, "0 blocks; a grid has 1 to 2147483647"},
                     {{.blocks = most + 1}, "2147483648 blocks; a grid has 1 to 2147483647"},
                     {{.blocks = most, .cooperative = true},
                      "a cooperative grid of 2147483647 blocks; gtx480 holds 120 of this shape at once"},
                     {{.shared_bytes = 48896}, nullptr},
                     {{.shared_bytes = 48897},
                      "48897 bytes of dynamic and 256 of static shared memory; gtx480 has 49152 for a block"},
                     {{.blocks = 16, .threads = 1024}, nullptr},  // one waits for its turn
                     {{.blocks = 15, .threads = 1024, .cooperative = true}, nullptr},
                     {{.blocks = 16, .threads = 1024, .cooperative = true},
                      "a cooperative grid of 16 blocks; gtx480 holds 15 of this shape at once"},
                     {{.blocks = 16, .threads = 32, .shared_bytes = 24448, .cooperative = true},
                      "a cooperative grid of 16 blocks; gtx480 holds 15 of this shape at once"},
                     {{.blocks = 30, .threads = 32, .shared_bytes = 24320, .cooperative = true}, nullptr}};
  DeviceFacts facts = gtx480();
  facts.registers = 1;
  for (const auto& [grid, refusal] : cases)
    EXPECT_EQ(limits(grid, facts), refusal ? std::string("kernel producer_consumer: ") + refusal : "")
        << grid.blocks << " of " << grid.threads;
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

// Work that some have begun could not be taken back.
TEST(LaunchThreads, NobodyWorksApartWhereThereAreTooFew) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer ends the program where it finds no memory";
  std::atomic<int> calls = 0;
  simt::run_apart(4, [&] { ++calls; });  // whose stacks the library keeps for the next threads
  EXPECT_EQ(calls, 4);
  rlimit as_before;
  getrlimit(RLIMIT_AS, &as_before);
  const rlimit nothing_more{1 << 20, as_before.rlim_max};
  std::string error;
  setrlimit(RLIMIT_AS, &nothing_more);
  try {
    simt::run_apart(1000, [&] { ++calls; });
  } catch (const DeviceError& caught) {
    error = caught.what();
  }
  setrlimit(RLIMIT_AS, &as_before);
  EXPECT_THAT(error,
              testing::MatchesRegex(
                  "a cooperative launch of 1000 blocks needs as many OS threads; the system gave [0-9]+: "
                  "Resource temporarily unavailable"));
  EXPECT_EQ(calls, 4);
}

// A fault of the program itself ends it, also where the model's handler is there.
TEST(Faults, OneOfNoKernelEndsTheProgram) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer has a handler of its own";
  const auto fault = [] {
    run_kernel(*modelled(), "indices", {.threads = 1}, {0}, 1);
    alarm(30);  // ends this process, should the instruction run again for ever
    rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    *reinterpret_cast<volatile int*>(std::size_t(getpid()) % 2 + 16) = 1;
  };
  EXPECT_EXIT(fault(), testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace redbench
