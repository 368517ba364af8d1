// The architectures that CUDA code was compiled for, and whether it runs on a given GPU.
#pragma once

#include <string>

namespace redbench {

enum class DeviceCode {
  none,     // does not run there
  ptx,      // runs after just-in-time compilation by the driver
  machine,  // runs as it is
};

/// The code that a build for `architectures`, written as CMAKE_CUDA_ARCHITECTURES ("80;90-real;100a"), has
/// for a GPU of a compute capability (major * 10 + minor). Rules: CUDA C++ Programming Guide, "Binary
/// Compatibility", "PTX Compatibility", "Family-Specific Features".
DeviceCode device_code(const std::string& architectures, int capability);

/// "sm_80, sm_90"; "compute_80" where there is PTX alone.
std::string architecture_names(const std::string& architectures);

}  // namespace redbench
