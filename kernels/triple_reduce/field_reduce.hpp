// Reductions of one or several fields at a time by one kernel: the variants of triple_reduce differ only in
// how many fields it interleaves.
#pragma once

#include <algorithm>

#include "kernels/parts/block_shuffle.hpp"
#include "kernels/parts/grid_stride.hpp"
#include "kernels/parts/power_of_two.hpp"
#include "kernels/triple_reduce/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// One pointer per field, as a kernel's argument.
template <class T, int fields>
struct Fields {
  T* first[fields];
};

/// The index of a loop with `loads` under way: that of the paper's loops, which ask for no more than one, is
/// `int`.
template <int loads>
using FieldIndex = std::conditional_t<loads == 1, int, Index>;

/// Grid-stride loop, then shuffles within the warp, then among the warps' values: thread 0 of each block
/// leaves the block's reduction of field k in out.first[k][block]. Between two steps of one field the others'
/// are under way.
template <class Op, int fields, int loads>
__global__ void reduce_fields(Fields<const typename Op::Value, fields> in, Index stride, FieldIndex<loads> n,
                              Fields<typename Op::Value, fields> out) {
  using T = typename Op::Value;
  using Int = FieldIndex<loads>;
  __shared__ T of_warp[fields][warp_size];
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const Op op;

  // Each thread holds the reduction of its share of each field.
  T reduction[fields];
#pragma unroll
  for (int k = 0; k < fields; ++k) reduction[k] = Op::identity();
  const auto take = [&](Int i) {
#pragma unroll
    for (int k = 0; k < fields; ++k) reduction[k] = op(reduction[k], in.first[k][i * stride]);
  };
  if constexpr (loads > 1) grid_stride_steps<loads>(n, take);
  else
    for (Int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) take(i);

  // of_warp[k][w] holds the reduction of field k in warp w, then lane 0 of the first warp the block's.
  const auto reduce_warp = [&] {
#pragma unroll
    for (int offset = warp_size / 2; offset > 0; offset /= 2)
#pragma unroll
      for (int k = 0; k < fields; ++k)
        reduction[k] = op(reduction[k], shuffle_down(full_mask, reduction[k], offset));
  };
  reduce_warp();
  if (lane == 0)
#pragma unroll
    for (int k = 0; k < fields; ++k) of_warp[k][warp] = reduction[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < fields; ++k)
    reduction[k] = threadIdx.x < blockDim.x / warp_size ? of_warp[k][lane] : Op::identity();
  if (warp == 0) reduce_warp();

  if (threadIdx.x == 0)
#pragma unroll
    for (int k = 0; k < fields; ++k) out.first[k][blockIdx.x] = reduction[k];
}

inline constexpr Parameter field_block{
    "block", 512, 32, 1024, Step::multiple_of_warp, "Luitjens 2014, \"Reducing large arrays\""};
inline constexpr Parameter field_blocks{"max_blocks", 1024,      1,
                                        1 << 20,      Step::one, "Luitjens 2014, \"Reducing large arrays\""};
inline constexpr Parameter field_loads{
    "loads", 4, 4, 8, Step::power_of_two, "reasoned: as the shuffle_*_unrolled of reduce"};

/// Reduces `fields` of the three fields at a time, in two launches each time, with `loads` of each under way.
template <int fields, int loads, class Op>
void reduce_triple(Queue& queue, const TripleReduce<Op>& x) {
  using T = typename Op::Value;
  static_assert(3 % fields == 0);
  const Index block = queue.parameter("block"), most = queue.parameter("max_blocks");
  const Index wanted = ceil_div(x.n, block);
  const Index blocks = std::max<Index>(1, std::min(wanted, most));
  refuse_past<FieldIndex<loads>>(queue, x.n, blocks * block);
  constexpr int final_threads = 1024;
  T* const partial = queue.scratch<T>(blocks * fields);

  for (int first = 0; first < 3; first += fields) {
    Fields<const T, fields> in, between;
    Fields<T, fields> partials, out;
    for (int k = 0; k < fields; ++k) {
      in.first[k] = x.component[first + k];
      between.first[k] = partials.first[k] = partial + k * blocks;
      out.first[k] = x.result + first + k;
    }
    launch(queue,
           {.blocks = blocks,
            .threads = int(block),
            .bytes_read = double(x.n) * fields * sizeof(T),
            .bytes_written = double(blocks) * fields * sizeof(T)},
           reduce_fields<Op, fields, loads>, in, x.stride, x.n, partials);
    launch(queue,
           {.threads = final_threads,
            .bytes_read = double(blocks) * fields * sizeof(T),
            .bytes_written = double(fields) * sizeof(T)},
           reduce_fields<Op, fields, 1>, between, 1, blocks, out);
  }
  queue.chain(ceil_div(x.n, blocks * block) + ceil_div(blocks, final_threads) + 2 * block_reduce_chain);
}

/// reduce_triple with as many loads as the parameter `loads` says.
template <int fields, class Op>
void reduce_triple_unrolled(Queue& queue, const TripleReduce<Op>& x) {
  with_power_of_two<4, 8>(queue.parameter("loads"),
                          [&](auto loads) { reduce_triple<fields, loads>(queue, x); });
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
