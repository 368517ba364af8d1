#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/block_tables.hpp"
#include "kernels/parts/lane_segments.hpp"

namespace redbench {
namespace {

template <class Op, int ahead>
__global__ void __launch_bounds__(most_lane_threads, 1)
    reduce_lane_segments(LaneSegments<Op> x, BlockTables<typename Op::Value> tables,
                         typename Op::Value* result) {
  using T = typename Op::Value;
  reduce_segments<Op, ahead>(x);
  __syncthreads();
  T* const totals = x.between();
  total_buckets<Op, false>(x, [=](int label, T total) { totals[label] = total; });
  join_tables<Op>(tables, [=](Index label) { return totals[label]; }, x.table(), result);
}

struct lane_segments {
  static constexpr Card card{
      .title = "a segment and a set of buckets in shared memory for each thread, the next inputs under way",
      .source =
          "Eilers 2014, 4.3.6 (shared_per_thread_transposed), with loads of 16 bytes, labels as bytes and "
          "the sets of a block joined where they are",
      .order = Order::any,
      .maximum_m = most_lane_labels,
      .parameters = {{lane_warps, lane_ahead}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const LaneShape shape = lane_shape<T>(queue, x.n, x.m);
    const auto tables = BlockTables<T>::scratch(queue, x.m, shape.blocks);
    const int threads = int(shape.warps) * warp_size;
    launch(queue,
           {.blocks = shape.blocks,
            .threads = threads,
            .shared_bytes = std::max(shape.shared_bytes, BlockTables<T>::join_bytes(threads)),
            .cooperative = shape.blocks > 1,
            .bytes_read = x.input_bytes() + tables.bytes(shape.blocks),
            .bytes_written = x.result_bytes() + tables.bytes(shape.blocks)},
           queue.parameter("ahead") == 1 ? reduce_lane_segments<Op, 1> : reduce_lane_segments<Op, 2>,
           LaneSegments<Op>{x.labels, x.values, x.n, shape.length, int(x.m)}, tables, x.result);
    queue.chain(shape.length + shape.warps + warp_scan_chain + shape.blocks + most_lane_warps);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, lane_segments)
}  // namespace redbench
