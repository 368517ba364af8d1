// The wrong kernels of tests/wrong on a GPU, each in a process of its own (redbench_wrong, next to this
// program): those whose fault a GPU is sure to show are caught by their check, the others are skipped with
// the reason.
#include "tests/gpu/gpu_test.hpp"
#include "tests/wrong_kernels.hpp"

namespace redbench {
namespace {

constexpr int hang_s = 6;  // the launch gap is held for 2 s for a kernel that waits

std::string redbench_wrong() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "redbench_wrong").string();
}

class WrongOnGpu : public GpuTest, public testing::WithParamInterface<WrongKernel> {};

TEST_P(WrongOnGpu, IsCaughtByItsCheck) {
  const WrongKernel& one = GetParam();
  if (one.cuda == CaughtBy::unknown) GTEST_SKIP() << one.why;
  expect_caught(one, one.cuda, redbench_wrong(), "cuda", hang_s);
}
INSTANTIATE_TEST_SUITE_P(Kernels, WrongOnGpu, testing::ValuesIn(wrong_kernels()), name_of_test);

TEST_F(GpuTest, ACellSurvivesAllAtOnce) { expect_that_a_cell_survives(redbench_wrong(), "cuda", hang_s); }

}  // namespace
}  // namespace redbench
