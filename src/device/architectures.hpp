// The GPUs that CUDA code was compiled for, and whether it runs on another.
#pragma once

#include <string>

namespace redbench {

enum class DeviceCode {
  none,     // does not run there
  ptx,      // runs once the driver has translated it
  machine,  // runs as it is
};

/// What a build for `architectures`, as CMAKE_CUDA_ARCHITECTURES has them ("80;90-real;100a"), has for a GPU
/// of a compute capability (major * 10 + minor). Rules: CUDA C++ Programming Guide, "Binary Compatibility",
/// "PTX Compatibility", "Family-Specific Features".
DeviceCode device_code(const std::string& architectures, int capability);

/// "sm_80, sm_90"; what is only there as PTX is "compute_80".
std::string architecture_names(const std::string& architectures);

}  // namespace redbench
