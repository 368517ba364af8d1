// Labels and values in loads of 16 bytes, a grid apart: four inputs for each lane at once.
#pragma once

#include <algorithm>

#include "kernels/parts/load_vector.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int inputs_per_lane = 4;
/// Inputs of a warp's tile: `loads` rows of four for each lane.
inline constexpr int inputs_per_row = inputs_per_lane * warp_size;
template <int loads>
inline constexpr int inputs_per_tile = loads * inputs_per_row;

/// take_row(labels[4], values[4]) by a whole warp for the rows of the tile whose first vector of this lane is
/// number `first`. A tile is fetched before its first row is taken: without the barrier nvcc puts most loads just
/// before their rows, to save registers.
template <int loads, class T, class Int, class TakeRow>
__device__ __forceinline__ void for_row_of_tile(const u32* labels, const T* values, Int first,
                                                const TakeRow& take_row) {
  Vector<u32, inputs_per_lane> label[loads];
  Vector<T, inputs_per_lane> value[loads];
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    label[k] = load_vector<inputs_per_lane>(labels, first + k * warp_size);
    value[k] = load_vector<inputs_per_lane>(values, first + k * warp_size);
  }
  __syncwarp();
#pragma unroll
  for (int k = 0; k < loads; ++k) take_row(label[k].element, value[k].element);
}

/// take_row for every whole tile, tiles going to the blocks in turn, and take_one(label, value) for the inputs
/// past the last one.
template <int loads, class T, class TakeRow, class TakeOne>
__device__ __forceinline__ void for_each_labelled(const u32* labels, const T* values, Index n,
                                                  const TakeRow& take_row, const TakeOne& take_one) {
  const Index blocks = gridDim.x, warps = blockDim.x / warp_size, tiles = n / inputs_per_tile<loads>;
  const int lane = threadIdx.x % warp_size;
#pragma unroll 1
  for (Index tile = (threadIdx.x / warp_size) * blocks + blockIdx.x; tile < tiles; tile += warps * blocks)
    for_row_of_tile<loads>(labels, values, tile * loads * warp_size + lane, take_row);
  const Index threads = blocks * blockDim.x;
  for (Index i = tiles * inputs_per_tile<loads> + Index(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += threads)
    take_one(labels[i], values[i]);
}

/// The most inputs that a block of for_each_labelled has.
template <int loads>
Index inputs_of_block(Index n, Index blocks, Index threads) {
  const Index warps = threads / warp_size, tiles = n / inputs_per_tile<loads>;
  return ceil_div(tiles, warps * blocks) * warps * inputs_per_tile<loads> + inputs_per_tile<loads>;
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
