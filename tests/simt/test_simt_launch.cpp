// A launch, its blocks' errors, and the runner of one OS thread.
#include <sys/resource.h>

#include <atomic>
#include <thread>

#include "src/simt/block.hpp"
#include "src/simt/crew.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

// Blocks of several OS threads fail in any order; what is told does not depend on it.
TEST(SimtLaunch, TheLowestBlocksErrorIsKept) {
  const auto device = modelled();
  const auto [kernel, invoke] = test_kernels().at("indices");
  const KernelCall call{reinterpret_cast<const void*>(kernel), nullptr, invoke, {.blocks = 9, .threads = 1}};
  const simt::MakeWatch nothing;
  simt::Launch launch(call, device->facts(), {}, nothing);
  launch.fail(5, "the fifth");
  launch.fail(7, "the seventh");
  EXPECT_EQ(launch.error(), "the fifth");
  launch.fail(3, "the third");
  launch.fail(4, "the fourth");
  EXPECT_EQ(launch.error(), "the third");
  EXPECT_TRUE(launch.stopped());
}

// Of a cooperative launch each block has one, and the system may not give another.
TEST(SimtLaunch, AsManyThreadsApartAsAreAskedFor) {
  std::atomic<int> calls = 0;
  simt::run_apart(3, [&] { ++calls; });
  EXPECT_EQ(calls, 3);
}

TEST(SimtLaunch, ARunnerThatIsGoneIsNobodysRunner) {
  std::thread([] {
    {
      simt::BlockRunner runner;
      EXPECT_EQ(simt::running.runner, &runner);
    }
    EXPECT_EQ(simt::running.runner, nullptr);
  }).join();
}

// The first 32 threads have stacks, and the last of them comes to the barrier when there is no memory for the
// next: nobody goes on past it.
TEST(SimtLaunch, WithoutMemoryForAStackNoThreadPassesABarrier) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer ends the program where it finds no memory";
  std::string error;
  std::vector<int> out(64, -1);
  std::thread([&] {  // so the stacks of earlier tests are not its own
    const auto device = modelled();
    run_kernel(*device, "reverse", {.threads = 32}, iota(32), 32);
    void *from = device->allocate(64 * sizeof(int)), *to = device->allocate(64 * sizeof(int));
    device->upload(from, iota(64).data(), 64 * sizeof(int));
    device->upload(to, out.data(), 64 * sizeof(int));
    int n = 64;
    void* arguments[] = {&from, &to, &n};
    const auto [kernel, invoke] = test_kernels().at("reverse");
    rlimit as_before;
    getrlimit(RLIMIT_AS, &as_before);
    const rlimit nothing_more{1 << 20, as_before.rlim_max};
    setrlimit(RLIMIT_AS, &nothing_more);
    try {
      device->execute({reinterpret_cast<const void*>(kernel), arguments, invoke, {.threads = 64}});
    } catch (const DeviceError& caught) {
      error = caught.what();
    }
    setrlimit(RLIMIT_AS, &as_before);
    device->download(out.data(), to, 64 * sizeof(int));
    device->release(from);
    device->release(to);
  })
      .join();
  EXPECT_TRUE(has(error, {"kernel reverse, block 0: no memory for the stacks of the modelled threads"}));
  EXPECT_EQ(out, std::vector<int>(64, -1));
}

}  // namespace
}  // namespace redbench
