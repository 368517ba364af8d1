// The variants that call NCCL, over all GPUs that are here. redbench is beside this program, or a folder above.
#include <filesystem>

#include "src/device/devices.hpp"
#include "tests/gpu/gpu_test.hpp"
#include "tests/programs.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

TEST_F(GpuTest, WhatNcclReducesIsRightOverAllGpus) {
  if (nccl_version().empty()) GTEST_SKIP() << "this build has no NCCL";
  fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  if (!fs::exists(folder / "redbench")) folder = folder.parent_path();
  const Answer answer =
      answer_of((folder / "redbench").string(), "verify -d cuda:all --small -b '/nccl_'", ".");
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  for (const char* variant :
       {"reduce/nccl_reduce ", "reduce/nccl_allreduce ", "multireduce/nccl_reduce ",
        "multireduce/nccl_allreduce ", "multireduce/nccl_reduce_scatter ", "histogram/nccl_reduce ",
        "histogram/nccl_allreduce ", "histogram/nccl_reduce_scatter "})
    EXPECT_NE(answer.text.find(variant), std::string::npos) << answer.text;
}

}  // namespace
}  // namespace redbench
