// What the tests of verify --races share.
#pragma once

#include <string>
#include <vector>

#include "tests/simt_support.hpp"

namespace redbench {

/// On one OS thread.
inline std::unique_ptr<Device> watched(std::uint64_t seed = 0) {
  setenv("REDBENCH_SIMT_THREADS", "1", 1);
  auto device = make_simt("gtx480", {.seed = seed, .races = true});
  unsetenv("REDBENCH_SIMT_THREADS");
  return device;
}

/// Runs on a buffer of `outputs` ints; the sentence that it ends with, empty where it ends well.
inline std::string report_of(const std::string& kernel, const Grid& grid, const std::vector<int>& in,
                             int outputs = 64, std::uint64_t seed = 0) {
  try {
    run_kernel(*watched(seed), kernel, grid, in, outputs);
  } catch (const DeviceError& error) {
    return with_lines(error.what());
  }
  return "";
}

}  // namespace redbench
