// examples/: each program checks its own result. They are next to this program, where it was built with CUDA.
#include <filesystem>

#include "tests/gpu/gpu_test.hpp"
#include "tests/programs.hpp"

namespace redbench {
namespace {

TEST_F(GpuTest, AnExampleGetsTheRightPlacesFromItsOwnStream) {
  const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "multiscan_example";
  if (!std::filesystem::exists(program)) GTEST_SKIP() << "no multiscan_example beside the tests";
  const Answer answer = answer_of(program.string(), "", ".");
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
}

}  // namespace
}  // namespace redbench
