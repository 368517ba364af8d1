// The place of each row among those of its group: a multiscan of ones, on this program's stream and scratch memory.
//   nvcc -std=c++20 --expt-relaxed-constexpr -arch=native -I. examples/multiscan.cu -o build/multiscan_example
#include <cstdio>
#include <vector>

#include "kernels/contract/own_queue.hpp"
// Behind it, as it says.
#include "kernels/multiscan/by_turns.cu"

using namespace redbench;

u32* managed(Index count) {
  void* memory;
  check_cuda(cudaMallocManaged(&memory, std::size_t(count) * sizeof(u32)));
  return static_cast<u32*>(memory);
}

int main() {
  constexpr Index n = 10'000'019, m = 1000;
  u32 *const groups = managed(n), *const ones = managed(n), *const places = managed(n);
  for (Index i = 0; i < n; ++i) {
    groups[i] = u32(i) * 2654435761u % m;
    ones[i] = 1;
  }
  const Multiscan<Sum<u32>> problem({.values = ones, .labels = groups, .result = places, .n = n, .m = m});

  cudaStream_t stream;
  check_cuda(cudaStreamCreate(&stream));
  Caller caller(stream);
  const std::size_t bytes = caller.scratch_bytes<by_turns>(problem);
  void* scratch;
  check_cuda(cudaMallocAsync(&scratch, bytes, stream));
  caller.run<by_turns>(problem, scratch);
  check_cuda(cudaStreamSynchronize(stream));

  std::vector<u32> next(m);
  for (Index i = 0; i < n; ++i)
    if (places[i] != next[groups[i]]++) return std::printf("row %lld: a wrong place\n", (long long)i), 1;
  std::printf("places of %lld rows among %lld groups: right, by %zu bytes of scratch memory\n", (long long)n,
              (long long)m, bytes);
}
