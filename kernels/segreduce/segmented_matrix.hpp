// A data-block of values and owners as two matrices in shared memory, reduced row by row, right-storing
// (Martin 2012, IV.A), and the persistent blocks that go through several.
#pragma once

#include "kernels/parts/chains.hpp"
#include "kernels/parts/persistent.hpp"
#include "kernels/segreduce/segmented.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// 32 rows of `width` values and their owners, each row padded by one word.
template <class T, int width>
struct SegmentedMatrix {
  static constexpr int tile = warp_size * width;
  static constexpr int words = warp_size * (width + 1);
  static constexpr std::size_t bytes = words * (sizeof(T) + sizeof(u32));
  T* values;
  u32* owners;

  /// The matrix number k of those that lie one after the other at `memory`.
  __device__ static SegmentedMatrix at(void* memory, int k) {
    auto* const start = static_cast<unsigned char*>(memory) + k * bytes;
    return {reinterpret_cast<T*>(start), reinterpret_cast<u32*>(start + words * sizeof(T))};
  }

  /// Thread `loader` of `loaders` brings its share of the data-block at `first`; all its loads are under way
  /// before the first store waits for one.
  template <class Op, int loaders>
  __device__ void load(const T* in, const u32* in_owners, Index n, Index first, unsigned loader) const {
    constexpr int loads = tile / loaders;
    T value[loads];
    u32 owner[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const Index i = first + loader + k * loaders;
      value[k] = i < n ? in[i] : Op::identity();
      owner[k] = in_owners[owner_index(i, n)];
    }
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const unsigned element = loader + k * loaders, place = element + element / width;
      values[place] = value[k];
      owners[place] = owner[k];
    }
  }

  /// Reduces the matrix, a row to a lane; afterwards lane 31 holds the last segment's reduction and its owner
  /// in values[31] and owners[31]. One warp calls, behind a barrier.
  template <class Op>
  __device__ void reduce(T* output, unsigned lane) const {
    const Op op;
    const T* const row = values + lane * (width + 1);
    const u32* const row_owners = owners + lane * (width + 1);
    auto reduction = row[0];
    u32 current = row_owners[0];

    // After column k: `reduction` is that of the segment `current` in the row so far; a segment that has
    // ended in the row is in the output. The listing reads the value on both ways of the branch: one load,
    // ahead of it, is the same.
    for (unsigned k = 1; k < width; ++k) {
      const auto value = row[k];
      const u32 owner = row_owners[k];
      if (owner != current) {
        output[current] = op(reduction, output[current]);
        current = owner;
        reduction = value;
      } else {
        reduction = op(reduction, value);
      }
    }

    // The rows' last segments take the place of row 0, which its lane must have read by then, and the tree
    // over them keeps the last of each pair.
    __syncwarp();
    values[lane] = reduction;
    owners[lane] = current;
#pragma unroll
    for (unsigned stride = 1; stride < warp_size; stride *= 2) {
      __syncwarp();
      if ((lane + 1) % (2 * stride) == 0)
        reduce_to_right<Op>(output, values[lane - stride], owners[lane - stride], values[lane], owners[lane]);
    }
  }
};

/// The last segment of the data-blocks that a persistent block has gone through: its carry, in shared memory
/// behind the matrices. Lane 31 of the warp that reduces calls.
template <class Op>
struct RunningCarry {
  typename Op::Value value;
  u32 owner;

  __device__ static RunningCarry& at(void* memory, int matrices, std::size_t matrix_bytes) {
    return *reinterpret_cast<RunningCarry*>(static_cast<unsigned char*>(memory) + matrices * matrix_bytes);
  }

  /// Takes in the last segment of the next data-block. Where it is another one, the segment held so far has
  /// ended in that data-block: all that follows of it is in the output by now.
  __device__ void append(typename Op::Value* output, typename Op::Value next, u32 next_owner) {
    reduce_to_right<Op>(output, value, owner, next, next_owner);
    value = next;
    owner = next_owner;
  }
};

/// Reduces a data-block's matrix and puts its last segment behind `carry`; one warp calls. Of the block's
/// first data-block there is nothing before it.
template <class Op, class Matrix>
__device__ void append_matrix(const Matrix& matrix, typename Op::Value* output, unsigned lane,
                              RunningCarry<Op>& carry, bool is_first) {
  matrix.template reduce<Op>(output, lane);
  if (lane != warp_size - 1) return;
  if (is_first) carry = {matrix.values[lane], matrix.owners[lane]};
  else carry.append(output, matrix.values[lane], matrix.owners[lane]);
}

template <class T>
using PersistentSegmentedKernel = void(const T*, const u32*, Index n, Shares, T* output, Carries<T>);

/// Two launches of a persistent kernel over `matrices` matrices per block, after the output was set to the
/// identity: the second reduces the carries of the first.
template <int width, class Op>
void launch_persistent_segmented(Queue& queue, const SegReduce<Op>& x, int threads, int matrices,
                                 PersistentSegmentedKernel<typename Op::Value>* kernel) {
  using T = typename Op::Value;
  using Matrix = SegmentedMatrix<T, width>;
  x.needs_owners(queue);
  fill(queue, x.result, x.m, Op::identity());
  if (x.n == 0) return;

  const std::size_t shared_bytes = matrices * Matrix::bytes + sizeof(RunningCarry<Op>);
  const Index resident = persistent_blocks(queue, kernel, threads, shared_bytes);
  const Index blocks = std::max<Index>(1, std::min(ceil_div(x.n, Matrix::tile), resident));
  const Carries<T> carries{queue.scratch<T>(blocks), queue.scratch<u32>(blocks)};
  const auto reduce = [&](const T* values, const u32* owners, Index n, Index grid) {
    const Index data_blocks = ceil_div(n, Matrix::tile);
    launch(queue, segmented_grid<T>(n, grid, threads, shared_bytes), kernel, values, owners, n,
           Shares(data_blocks, grid), x.result, carries);
    return ceil_div(data_blocks, grid) + segmented_matrix_chain(width);
  };
  Index length = reduce(x.values, x.owners, x.n, blocks) + 1;
  if (blocks > 1) length += reduce(carries.values, carries.owners, blocks, 1);
  queue.chain(length);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
