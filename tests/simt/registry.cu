#include "tests/simt/kernels.hpp"

namespace redbench {

std::map<std::string, TestKernelEntry>& test_kernels() {
  static std::map<std::string, TestKernelEntry> kernels;
  return kernels;
}

}  // namespace redbench
