#include "kernels/multiscan/partitioned_scan.hpp"
#include "kernels/multiscan/scan_own_segment.hpp"
#include "kernels/parts/thread_buckets.hpp"

namespace redbench {
namespace {

/// Bucket l of segment s goes to buckets[l * segments + s].
template <class Op, int items>
__global__ void scan_segments(SegmentScan<Op> x, int m, typename Op::Value* buckets) {
  using T = typename Op::Value;
  auto* const memory = dynamic_shared<unsigned char>();
  auto* const of_block = reinterpret_cast<T*>(memory + fetch_bytes<T>(blockDim.x, items));
  const ThreadBuckets<Op> own(of_block);
  own.clear(m);
  scan_own_segment<Op, items>(
      x, memory, [&](u32 label) -> T& { return of_block[int(label) * int(blockDim.x) + int(threadIdx.x)]; });
  const Index segment = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (segment < x.segments.count) own.store(m, segment, x.segments.count, buckets);
}

template <class Op>
void (*kernel_for(Index items))(SegmentScan<Op>, int, typename Op::Value*) {
  return items == 8 ? scan_segments<Op, 8> : items == 16 ? scan_segments<Op, 16> : scan_segments<Op, 32>;
}

struct sequential_shared {
  static constexpr Card card{
      .title =
          "a segment and a set of buckets in shared memory for each thread, results joined over the segments",
      .source = "Eilers 2014, 5.3, appendix B, Alg. 5.2, 4.7; the end of the input is guarded",
      .order = Order::any,
      .maximum_m = 4096,
      .parameters = {{thread_buckets_block,
                      resident_per_sm,
                      {"items", 32, 8, 32, Step::power_of_two,
                       "not printed; 4.3.6: 32 is the multireduce's best for 256 labels"},
                      write_transposed}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    using T = typename Op::Value;
    if (x.n == 0) return;
    const Index block = queue.parameter("block"), items = queue.parameter("items");
    const auto kernel = kernel_for<Op>(items);
    const std::size_t shared_bytes = fetch_bytes<T>(block, items) + std::size_t(x.m * block) * sizeof(T);
    const Index blocks = resident_or_asked(queue, kernel, block, shared_bytes);
    const ThreadSegments segments = thread_segments(x.n, blocks * block, items);
    T* const buckets = queue.scratch<T>(x.m * segments.count);
    T* const before = queue.scratch<T>(x.m * segments.count);

    launch(queue,
           {.blocks = ceil_div(segments.count, block),
            .threads = int(block),
            .shared_bytes = shared_bytes,
            .bytes_read = x.input_bytes(),
            .bytes_written = double(x.n + x.m * segments.count) * sizeof(T)},
           kernel,
           SegmentScan<Op>{x.labels, x.values, x.n, segments, x.result, x.inclusive,
                           queue.parameter("write") == 1},
           int(x.m), buckets);
    scan_buckets<Op>(queue, x.m, segments.count, buckets, before);
    put_before(queue, x, segments.count, segments.length, before);
    queue.chain(segments.length + partitioned_scan_chain(segments.count));
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, sequential_shared)
}  // namespace redbench
