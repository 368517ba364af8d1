#include "kernels/multiscan/partitioned_scan.hpp"
#include "kernels/multiscan/scan_own_segment.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
namespace {

/// Bucket l of segment s is buckets[l * segments + s].
template <class Op, int items>
__global__ void scan_segments(SegmentScan<Op> x, typename Op::Value* buckets) {
  using T = typename Op::Value;
  const Index segment = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  scan_own_segment<Op, items>(x, dynamic_shared<unsigned char>(), [&](u32 label) -> T& {
    return buckets[Index(label) * x.segments.count + segment];
  });
}

template <class Op>
void (*kernel_for(Index items))(SegmentScan<Op>, typename Op::Value*) {
  return items == 8 ? scan_segments<Op, 8> : items == 16 ? scan_segments<Op, 16> : scan_segments<Op, 32>;
}

struct sequential_global {
  static constexpr Card card{
      .title =
          "a segment and a set of buckets in global memory for each thread, results joined over the segments",
      .source = "Eilers 2014, 5.3, appendix B, Alg. 5.2, 4.7, 4.8; the end of the input is guarded",
      .order = Order::any,
      .parameters = {
          {{"block", 256, 32, 1024, Step::multiple_of_warp, "not printed; with 24 blocks 6144 segments"},
           {"blocks", 24, 1, 4096, Step::one,
            "at most; 6144 segments are the best of 4.3.5 for a multireduce"},
           {"items", 8, 8, 32, Step::power_of_two,
            "4.3.2: a multiple of 8, for whole sectors of 4-byte words"},
           write_transposed}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    using T = typename Op::Value;
    if (x.n == 0) return;
    const Index block = queue.parameter("block"), items = queue.parameter("items");
    const ThreadSegments parts = thread_segments(x.n, block * queue.parameter("blocks"), items);
    const Index segments = parts.count;
    T* const buckets = queue.scratch<T>(x.m * segments);
    T* const before = queue.scratch<T>(x.m * segments);

    fill(queue, buckets, x.m * segments, Op::identity());
    launch(
        queue,
        {.blocks = ceil_div(segments, block),
         .threads = int(block),
         .shared_bytes = fetch_bytes<T>(block, items),
         .bytes_read = double(x.n) * (sizeof(u32) + 2 * sizeof(T)),
         .bytes_written = double(x.n) * 2 * sizeof(T)},
        kernel_for<Op>(items),
        SegmentScan<Op>{x.labels, x.values, x.n, parts, x.result, x.inclusive, queue.parameter("write") == 1},
        buckets);
    scan_buckets<Op>(queue, x.m, segments, buckets, before);
    put_before(queue, x, segments, parts.length, before);
    queue.chain(parts.length + partitioned_scan_chain(segments));
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, sequential_global)
}  // namespace redbench
