#include "kernels/parts/fill.hpp"
#include "kernels/parts/partitioned_scan.hpp"
#include "kernels/parts/transposed_fetch.hpp"

namespace redbench {
namespace {

template <class Op>
struct Scan {
  const u32* labels;
  const typename Op::Value* values;
  Index n;
  ThreadSegments segments;
  typename Op::Value* buckets;
  typename Op::Value* result;
  bool inclusive, transposed;
};

template <class Op, int items>
__global__ void scan_segments(Scan<Op> x) {
  using T = typename Op::Value;
  const Op op;
  auto* const s_results = dynamic_shared<T>();
  const auto [length, count] = x.segments;
  const Index segment = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const int own = threadIdx.x * (items + 1);

  for (Index step = 0; step < length; step += items) {
    const Index first = Index(blockIdx.x) * blockDim.x * length + step, start = segment * length + step;
    const Index left = x.n - start;
    const int mine = left < 0 ? 0 : left < items ? int(left) : items;

    u32 label[items];
    T value[items];
    fetch_own(x.labels, first, length, x.n, mine, dynamic_shared<u32>(), label);
    fetch_own(x.values, first, length, x.n, mine, dynamic_shared<T>(), value);

    // The buckets hold the segment's reductions up to and with its k-th input, whose result is written.
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (k >= mine) continue;
      T& bucket = x.buckets[Index(label[k]) * count + segment];
      const T before = bucket, after = op(before, value[k]);
      bucket = after;
      const T result = x.inclusive ? after : before;
      if (x.transposed) s_results[own + k] = result;
      else x.result[start + k] = result;
    }
    if (x.transposed) {
      __syncthreads();
      across_segments<items>(first, length, x.n, [&](int place, Index i) { x.result[i] = s_results[place]; });
      __syncthreads();
    }
  }
}

template <class Op>
void (*kernel_for(Index items))(Scan<Op>) {
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
           {"write", 1, 0, 1, Step::one,
            "1: results go out as inputs came in, by shared memory; 0: at once. The text does not say"}}}};

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
    launch(queue,
           {.blocks = ceil_div(segments, block),
            .threads = int(block),
            .shared_bytes = fetch_bytes<T>(block, items),
            .bytes_read = double(x.n) * (sizeof(u32) + 2 * sizeof(T)),
            .bytes_written = double(x.n) * 2 * sizeof(T)},
           kernel_for<Op>(items),
           Scan<Op>{x.labels, x.values, x.n, parts, buckets, x.result, x.inclusive,
                    queue.parameter("write") == 1});
    scan_buckets<Op>(queue, x.m, segments, buckets, before);
    put_before(queue, x, segments, parts.length, before);
    queue.chain(parts.length + partitioned_scan_chain(segments));
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, sequential_global)
}  // namespace redbench
