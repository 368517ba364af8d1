// What is said of a kernel that cannot go on: who, where, and why.
#include <fmt/format.h>

#include "tests/golden.hpp"
#include "tests/simt/runner_support.hpp"

namespace redbench {
namespace {

using simt::running;
using simt::WarpOp;

// With lanes in order; under other schedules other threads may be named.
TEST(SimtReports, EachErrorOfAKernel) {
  const Grid one{.threads = 1}, warp{.threads = 32}, block{.threads = 64};
  const struct {
    const char* kernel;
    Grid grid;
    std::vector<int> in = {0};
  } runs[] = {
      {"next_in_mask", warp},
      {"bad_width", warp},
      {"mixed_operations", warp},
      {"missing_lane", warp},
      {"divergent_barrier", block},
      // Threads 32 to 95 meet and end, so 0 to 31 are all that __syncthreads waits for. Of 128 threads 96
      // come to a barrier over 64: 32 stay behind.
      {"barrier_in_half", {.threads = 96}},
      {"barrier_in_half", {.threads = 128}},
      {"grid_meets", {.blocks = 2, .threads = 32}},
      // 4096 outputs: the buffer ends after 16384 bytes.
      {"past_global", one, {4095}},
      {"past_global", one, {4096}},
      {"past_global", one, {-1}},
      {"past_dynamic", {.threads = 1, .shared_bytes = 64}, {15}},
      {"past_dynamic", {.threads = 1, .shared_bytes = 64}, {16}},
      {"past_dynamic", {.threads = 1, .shared_bytes = 64}, {-1}},
      // 60 bytes end 4 before the page: the alignment's bytes are looked at when the block ends.
      {"past_dynamic", {.threads = 1, .shared_bytes = 60}, {15}},
      {"null_address", {.threads = 4}, {16}},
      // The model itself makes the access: what is told is the kernel's line that called it.
      {"null_atomic", {.threads = 4}, {16}},
      {"large_array", warp, std::vector<int>(32 * 1024, 0)},
      {"divides_by_zero", one},
#if defined(__x86_64__)
      // The line of the instruction that faults, not that of the one before or behind it.
      {"halts", one}
#endif
  };
  std::string text;
  for (const auto& [kernel, grid, in] : runs) {
    const std::string error = error_of(kernel, grid, in);
    text += error.empty()
                ? fmt::format("kernel {} of {} threads with {}: clean\n", kernel, grid.threads, in[0])
                : with_lines(error) + "\n";
    for (std::uint64_t seed = 1; seed < 4; ++seed)
      EXPECT_EQ(error_of(kernel, grid, in, seed).empty(), error.empty()) << kernel << ' ' << seed;
  }
  expect_golden("simt/errors.txt", text);
}

// An earlier launch has had more threads: what they did is not told again.
TEST(SimtRunner, ADeadlockNamesEachThread) {
  with_runner([](simt::BlockRunner& runner) {
    EXPECT_EQ(run(runner, {.threads = 96}, [](unsigned) {}), "");
    EXPECT_EQ(
        run(runner, {.threads = 70, .cooperative = true},
            [](unsigned thread) {
              if (thread == 1 || thread == 2) block_barrier();
              if (thread == 3 || thread == 6) running.runner->named_barrier(3, 64, true, nullptr);
              if (thread == 4) warp_barrier(0x50);
              if (thread == 5) running.runner->collective(WarpOp::any, 0x60, 1, 0, nullptr);
              if (thread == 7) running.runner->grid_barrier(nullptr);
              if (thread == 8) running.runner->named_barrier(15, 32, true, nullptr);
            }),
        "kernel indices, block 0: no thread can go on: thread 0 has ended; threads 1 to 2 wait in "
        "__syncthreads (an unknown line); thread 3 waits in named barrier 3 (an unknown line); thread 4 "
        "waits in __syncwarp with mask 0x00000050 (an unknown line); thread 5 waits in __any_sync with "
        "mask 0x00000060 (an unknown line); thread 6 waits in named barrier 3 (an unknown line); thread 7 "
        "waits in grid_sync (an unknown line); thread 8 waits in named barrier 15 (an unknown line); "
        "threads 9 to 69 have ended; 2 of 64 threads are at named barrier 3; 1 of 32 threads are at named "
        "barrier 15");
  });
}

}  // namespace
}  // namespace redbench
