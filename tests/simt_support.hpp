// What the tests of the modelled GPU share.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "src/error.hpp"
#include "tests/simt/kernels.hpp"

namespace redbench {

/// A device whose blocks run on so many OS threads.
inline std::unique_ptr<Device> modelled(const char* model = "gtx480", std::uint64_t seed = 0,
                                        int os_threads = 1) {
  setenv("REDBENCH_SIMT_THREADS", std::to_string(os_threads).c_str(), 1);
  auto device = make_simt(model, {.seed = seed});
  unsetenv("REDBENCH_SIMT_THREADS");
  return device;
}

inline std::vector<int> iota(int count, int first = 0) {
  std::vector<int> values(count);
  for (int i = 0; i < count; ++i) values[i] = first + i;
  return values;
}

/// Runs a test kernel under the schedules of several seeds; all must give the same.
inline std::vector<int> run_shuffled(const std::string& name, const Grid& grid, const std::vector<int>& in,
                                     int outputs) {
  const std::vector<int> in_order = run_kernel(*modelled(), name, grid, in, outputs);
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    EXPECT_EQ(in_order, run_kernel(*modelled("gtx480", seed), name, grid, in, outputs)) << "seed " << seed;
  return in_order;
}

/// The sentence that a test kernel ends with; empty where it ends well.
inline std::string error_of(const std::string& name, const Grid& grid, const std::vector<int>& in = {0},
                            std::uint64_t seed = 0) {
  try {
    run_kernel(*modelled("gtx480", seed), name, grid, in, 4096);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

/// Whether `text` has all of `parts`, in any order.
inline testing::AssertionResult has(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (text.find(part) == text.npos)
      return testing::AssertionFailure() << "\"" << text << "\" lacks \"" << part << '"';
  return testing::AssertionSuccess();
}

/// Line of a file of the repository that has `text`, which must be unique in it.
int line_with(const std::string& path, const std::string& text);

}  // namespace redbench
