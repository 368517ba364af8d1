// What the wrong kernels of histogram share: tiles of 64 labels, an atomic for each label.
#pragma once

#include "kernels/histogram/problem.hpp"
#include "kernels/parts/fill.hpp"
#include "tests/wrong/few_pairs.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int wrong_tile = 64;

/// Counts labels[0..n) by kernel(labels, n, counts), a block for each tile that has labels.
template <class Op>
void count_tiles(Queue& queue, const Histogram<Op>& x, Index n,
                 void (*kernel)(const typename Op::Value*, Index, u32*)) {
  if (n > 0)
    launch(queue, {.blocks = ceil_div(n, wrong_tile), .threads = wrong_tile}, kernel, x.labels, n, x.result);
}

template <class Label>
__global__ void count_tile(const Label* labels, Index n, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[labels[i]], 1u);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
