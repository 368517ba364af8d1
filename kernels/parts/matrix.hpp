// A data-block as a matrix in shared memory that a warp reduces by rows, a thread to a row (Martin 2012,
// III.A.3).
#pragma once

#include "kernels/parts/chains.hpp"
#include "kernels/parts/warp_tree.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// 32 rows of 32; each row is padded by one word, so that a column lies in 32 different banks.
inline constexpr int matrix_width = 32;
inline constexpr int matrix_tile = warp_size * matrix_width;
inline constexpr int matrix_words = warp_size * (matrix_width + 1);

/// Thread `loader` of `loaders` brings its elements of the data-block at `first` into the matrix s, the
/// identity past the end. Coalesced; all of a thread's loads are under way before the first store waits for
/// one.
template <class Op, int loaders>
__device__ void load_matrix(const typename Op::Value* in, Index n, Index first, unsigned loader,
                            typename Op::Value* s) {
  constexpr int loads = matrix_tile / loaders;
  typename Op::Value value[loads];
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const Index i = first + loader + k * loaders;
    value[k] = i < n ? in[i] : Op::identity();
  }
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const unsigned element = loader + k * loaders;
    s[element + element / matrix_width] = value[k];
  }
}

/// Reduces the matrix s into `target`, which lane 0 alone writes. One warp calls, behind a barrier; s is used
/// up.
template <class Op>
__device__ void reduce_matrix(typename Op::Value* s, unsigned lane, typename Op::Value& target) {
  const Op op;
  const auto* row = s + lane * (matrix_width + 1);
  auto reduction = row[0];
  for (unsigned column = 1; column < matrix_width; ++column) reduction = op(reduction, row[column]);

  // The rows' reductions take the place of row 0, which its lane must have read by then.
  __syncwarp();
  s[lane] = reduction;
  warp_tree<Op>(s, lane, target);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
