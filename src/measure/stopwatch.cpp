#include "src/measure/stopwatch.hpp"

namespace redbench {

std::unique_ptr<Stopwatch> make_stopwatch(Device& device) {
  if (device.target() == Target::host) return make_host_stopwatch(device.facts().l2_bytes);
#ifdef REDBENCH_WITH_CUDA
  if (device.target() == Target::cuda) return make_cuda_stopwatch(device);
#endif
  return nullptr;
}

}  // namespace redbench
