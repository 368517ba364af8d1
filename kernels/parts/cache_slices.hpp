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

}  // namespace REDBENCH_TARGET
}  // namespace redbench
