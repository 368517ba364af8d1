#include "src/device/cuda_check.hpp"
#include "src/measure/cache_flush.hpp"

namespace redbench {
namespace {

constexpr int threads = 256, blocks = 1024;

__global__ void overwrite(uint4* words, std::size_t count, unsigned value) {
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x)
    words[i] = make_uint4(value, unsigned(i), value, unsigned(i));
}

__global__ void read_back(uint4* words, std::size_t count, unsigned value) {
  bool as_written = true;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += std::size_t(gridDim.x) * blockDim.x) {
    const uint4 word = __ldcg(words + i);
    as_written = as_written && word.x == value && word.y == unsigned(i);
  }
  if (!as_written) words[0].x = ~value;  // keeps the loads; never taken
}

}  // namespace

CacheFlush::CacheFlush(std::size_t l2_bytes) : bytes_(2 * l2_bytes) {
  check(cudaMalloc(&buffer_, bytes_), "allocating the buffer that flushes the cache");
}

CacheFlush::~CacheFlush() { cudaFree(buffer_); }

void CacheFlush::enqueue() {
  auto* const words = static_cast<uint4*>(buffer_);
  const std::size_t count = bytes_ / sizeof(uint4);
  ++round_;
  overwrite<<<blocks, threads>>>(words, count, round_);
  read_back<<<blocks, threads>>>(words, count, round_);
  check(cudaGetLastError(), "flushing the cache");
}

}  // namespace redbench
