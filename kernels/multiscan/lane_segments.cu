#include "kernels/multiscan/problem.hpp"
#include "kernels/parts/block_tables.hpp"
#include "kernels/parts/lane_segments.hpp"

namespace redbench {
namespace {

/// before[label] = the reduction of the blocks before this one, whose totals are in `totals`. A barrier follows.
template <class Op>
__device__ __forceinline__ void scan_blocks(const BlockTables<typename Op::Value>& tables,
                                            const typename Op::Value* totals, typename Op::Value* partial,
                                            typename Op::Value* before) {
  store_table<Op>(tables, [=](Index label) { return totals[label]; });
  grid_sync();
  for (Index chunk = 0; chunk < tables.chunks(); ++chunk)
    reduce_chunk<Op>(tables, int(blockIdx.x), chunk, partial,
                     [=](Index label, auto all) { before[label] = all; });
}

template <class Op, bool inclusive, int ahead>
__global__ void __launch_bounds__(most_lane_threads, 1)
    scan_lane_segments(LaneSegments<Op> x, BlockTables<typename Op::Value> tables,
                       typename Op::Value* result) {
  using T = typename Op::Value;
  const Op op;
  reduce_segments<Op, ahead>(x);
  __syncthreads();
  T *const of_block = x.between(), *const partial = of_block + tables.stride;
  total_buckets<Op, true>(x, [=](int label, T total) { of_block[label] = total; });
  __syncthreads();
  if (gridDim.x > 1) {
    scan_blocks<Op>(tables, of_block, partial, of_block);
#pragma unroll 8
    for (int l = 0; l < x.m; ++l) x.bucket(l) = op(of_block[l], x.bucket(l));
    __syncthreads();
  }

  LaneWalk<Op, ahead> walk(x);
  walk.template for_chunks<false>([&](int chunk) {
    walk.template for_row<false, true>([](T& bucket, T& value) {
      const T before = bucket;
      bucket = Op()(before, value);
      value = inclusive ? bucket : before;
    });
    walk.store(chunk, result);
  });
}

struct lane_segments {
  static constexpr Card card{
      .title =
          "a segment and a set of buckets in shared memory for each thread, which stays there between the two "
          "walks over the input",
      .source =
          "Eilers 2014, 5.3, B.2 (sequential_shared), with loads and stores of 16 bytes, labels as bytes and "
          "all phases in one launch",
      .order = Order::any,
      .maximum_m = most_lane_labels,
      .parameters = {{lane_warps, lane_ahead}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    if (x.n == 0) return;
    using T = typename Op::Value;
    const LaneShape shape = lane_shape<T>(queue, x.n, x.m);
    const auto tables = BlockTables<T>::scratch(queue, x.m, shape.blocks);
    launch(queue,
           {.blocks = shape.blocks,
            .threads = int(shape.warps) * warp_size,
            .shared_bytes = shape.shared_bytes,
            .cooperative = shape.blocks > 1,
            .bytes_read = 2 * x.input_bytes() + tables.bytes(shape.blocks) * double(shape.blocks) / 2,
            .bytes_written = x.result_bytes() + tables.bytes(shape.blocks)},
           x.inclusive ? kernel_for<Op, true>(queue) : kernel_for<Op, false>(queue),
           LaneSegments<Op>{x.labels, x.values, x.n, shape.length, int(x.m)}, tables, x.result);
    queue.chain(2 * (shape.length + shape.warps) + warp_scan_chain + shape.blocks + most_lane_warps + 2);
  }

 private:
  template <class Op, bool inclusive>
  static auto kernel_for(const Queue& queue) {
    return queue.parameter("ahead") == 1 ? scan_lane_segments<Op, inclusive, 1>
                                         : scan_lane_segments<Op, inclusive, 2>;
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, lane_segments)
}  // namespace redbench
