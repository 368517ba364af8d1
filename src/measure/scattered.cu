#include "src/device/cuda_check.hpp"
#include "src/measure/scattered.hpp"

namespace redbench {
namespace {

constexpr int threads = 256;
constexpr int at_once = 8;  // independent accesses of a thread

/// Neighbouring threads have neighbouring numbers, whose places are far apart.
template <bool adds>
__global__ void __launch_bounds__(threads) access_words(const Scatter scatter) {
  const Index first = Index(blockIdx.x) * (threads * at_once) + Index(threadIdx.x);
  u32 seen = 0;
#pragma unroll
  for (int i = 0; i < at_once; ++i) {
    const Index access = first + i * threads;
    if (access >= scatter.accesses) continue;
    u32* const word = scatter.memory + scattered_word(access, scatter.words);
    if (adds) atomicAdd(word, 1u);
    else seen ^= __ldg(word);
  }
  // Keeps the loads alive: a scatter has words, which the compiler cannot know.
  if (!adds && scatter.words == 0) scatter.memory[0] = seen;
}

template <bool adds>
void enqueue(const Scatter& scatter) {
  const Index blocks = ceil_div(scatter.accesses, Index(threads) * at_once);
  access_words<adds><<<unsigned(blocks), threads>>>(scatter);
  check(cudaGetLastError(), "measuring scattered accesses");
}

}  // namespace

ScatteredAccesses cuda_scattered(const Scatter& scatter) {
  return {[=] { enqueue<false>(scatter); }, [=] { enqueue<true>(scatter); }};
}

}  // namespace redbench
