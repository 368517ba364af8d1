// The multi-pass scheme of He et al. as Eilers 2014, 3.2.2 describes it: the whole input once for every slice
// of the m places that a cache holds, the labels of the others passed over.
#pragma once

#include "kernels/parts/contiguous_parts.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr Parameter slice_passes{
    "passes",
    0,
    0,
    4096,
    Step::one,
    "the original's formula is not in the thesis; 0: as few as leave slices of half the L2, reasoned: the "
    "input goes through it, too"};

/// Labels of a slice of the m places, of `bytes` each.
inline Index slice_labels(const Queue& queue, Index m, std::size_t bytes) {
  const Index half = Index(queue.device().l2_bytes / 2);
  const Index fewest = half > 0 ? ceil_div(m * Index(bytes), half) : 1;
  const Index asked = queue.parameter("passes");
  return ceil_div(m, asked > 0 ? asked : std::max<Index>(fewest, 1));
}

/// kernel(labels, values, n, inputs of a block, first label of the slice, its labels, result) for each slice
/// of the case's m labels, over all of its inputs.
template <class Problem, class... P>
void launch_slices(Queue& queue, const Problem& x, void (*kernel)(P...)) {
  constexpr std::size_t value_bytes = sizeof(*x.values);
  const Index block = queue.parameter("block"), slice = slice_labels(queue, x.m, value_bytes);
  const Parts parts = contiguous_parts(queue, x.n, parts_wanted(queue), block);
  if (x.n == 0) return;
  const double values_bytes = double(x.n) / double(ceil_div(x.m, slice)) * double(value_bytes);
  for (Index first = 0; first < x.m; first += slice)
    launch(queue,
           {.blocks = parts.blocks,
            .threads = int(block),
            .bytes_read = double(x.n) * sizeof(u32) + values_bytes,
            .bytes_written = values_bytes},
           kernel, x.labels, x.values, x.n, parts.length, u32(first), u32(std::min(slice, x.m - first)),
           x.result);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
