// Every call of the CUDA runtime is checked with this.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "src/error.hpp"

namespace redbench {

/// Throws DeviceError with what was being done and the runtime's error message.
inline void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // an error that is not sticky would be reported again by the next check
  throw DeviceError(std::string(doing) + ": " + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) +
                    ")");
}

}  // namespace redbench
