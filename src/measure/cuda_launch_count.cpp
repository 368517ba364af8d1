// Counts the kernel launches of this process: the linker redirects the calls named here to __wrap_NAME
// (--wrap, src/CMakeLists.txt), also those of CUB and Thrust, and of <<<...>>>, which calls
// __cudaLaunchKernel. Calls that are captured in a graph launch nothing.
#include <cuda_runtime_api.h>

#include <atomic>

#include "src/measure/queue_slot.hpp"

namespace redbench {
namespace {

std::atomic<std::uint64_t> launches, uncounted;

/// The default stream, to which all goes while time is taken, is never captured.
bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return stream && cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
         status != cudaStreamCaptureStatusNone;
}

}  // namespace

std::uint64_t launch_count() { return launches; }
std::uint64_t uncounted_launches() { return uncounted; }

}  // namespace redbench

extern "C" {

#define REDBENCH_COUNTED(counter, stream, name, parameters, arguments) \
  cudaError_t __real_##name parameters;                                \
  cudaError_t __wrap_##name parameters {                               \
    if (!redbench::is_captured(stream)) ++redbench::counter;           \
    return __real_##name arguments;                                    \
  }

REDBENCH_COUNTED(launches, stream, cudaLaunchKernel,
                 (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                  cudaStream_t stream),
                 (function, grid, block, arguments, shared, stream))
REDBENCH_COUNTED(launches, stream, __cudaLaunchKernel,
                 (cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                  cudaStream_t stream),
                 (kernel, grid, block, arguments, shared, stream))
REDBENCH_COUNTED(launches, stream, cudaLaunchCooperativeKernel,
                 (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                  cudaStream_t stream),
                 (function, grid, block, arguments, shared, stream))
REDBENCH_COUNTED(launches, config->stream, cudaLaunchKernelExC,
                 (const cudaLaunchConfig_t* config, const void* function, void** arguments),
                 (config, function, arguments))
REDBENCH_COUNTED(uncounted, nullptr, cudaMemset, (void* to, int value, size_t bytes), (to, value, bytes))
REDBENCH_COUNTED(uncounted, stream, cudaMemsetAsync, (void* to, int value, size_t bytes, cudaStream_t stream),
                 (to, value, bytes, stream))

// Only copies within the device may be kernels.
cudaError_t __real_cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream);
cudaError_t __wrap_cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  if ((kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault) && !redbench::is_captured(stream))
    ++redbench::uncounted;
  return __real_cudaMemcpyAsync(to, from, bytes, kind, stream);
}

}  // extern "C"
