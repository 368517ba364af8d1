// Error messages of kernels that cannot continue: which thread, where, and why.
#include <fmt/format.h>

#include "tests/golden.hpp"
#include "tests/sanitizer_support.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

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

// The model itself makes the access: the line that is reported is the kernel's that called it.
TEST(SimtReports, AnAtomicOnNoMemory) {
  if (is_sanitized()) GTEST_SKIP() << "an atomic holds a lock of libtsan, which the fault leaves locked";
  EXPECT_EQ(
      with_lines(error_of("null_atomic", {.threads = 4}, {16})),
      "kernel null_atomic, block 0, thread 3 (\"adds to no memory\"): accesses address 0x10, which is no memory "
      "of the device");
}

}  // namespace
}  // namespace redbench
