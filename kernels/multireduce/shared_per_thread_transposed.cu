#include "kernels/multireduce/bucket_sets.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/thread_buckets.hpp"
#include "kernels/parts/transposed_fetch.hpp"

namespace redbench {
namespace {

/// Shared memory: what the fetch takes, then the buckets.
template <class T>
constexpr std::size_t shared_bytes_of(Index m, Index block, Index items) {
  return fetch_bytes<T>(block, items) + std::size_t(m * block) * sizeof(T);
}

template <class Op, int items, int loads>
__global__ void transposed_thread_buckets(const u32* labels, const typename Op::Value* values, Index n, int m,
                                          ThreadSegments segments, typename Op::Value* sets) {
  using T = typename Op::Value;
  auto* const memory = dynamic_shared<unsigned char>();
  const ThreadBuckets<Op> own(reinterpret_cast<T*>(memory + fetch_bytes<T>(blockDim.x, items)));
  own.clear(m);
  each_of_segment<T, items, loads>(labels, values, n, segments.length, memory,
                                   [&](u32 label, T value) { own.combine(label, value); });
  own.store(m, Index(blockIdx.x) * blockDim.x + threadIdx.x, Index(gridDim.x) * blockDim.x, sets);
}

struct shared_per_thread_transposed {
  static constexpr Card card{
      .title = "a segment and a set of buckets in shared memory for each thread, transposed fetch",
      .source =
          "Eilers 2014, 4.3.6, Fig. 4.13, Alg. 4.7; that the sets are joined by a launch of their own "
          "is from 4.2; the end of the input is guarded",
      .order = Order::any,
      .maximum_m = 4096,
      .parameters = {{thread_buckets_block,
                      resident_per_sm,
                      {"items", 32, 0, most_fetched, Step::one,
                       "4.3.6: 32 is best for 256 labels, small ones for fewer; 0: the largest up to 32 "
                       "that fits shared memory"},
                      fetched_loads}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const Index block = queue.parameter("block");
    const auto bytes = [&](Index count) { return shared_bytes_of<T>(x.m, block, count); };
    const Index items = fetched_items(queue, bytes);
    if (x.n == 0) return fill(queue, x.result, x.m, Op::identity());
    with_fetch(queue, items, [&](auto fetched, auto loads) {
      const auto kernel = transposed_thread_buckets<Op, fetched(), loads()>;
      const Index blocks = resident_or_asked(queue, kernel, block, bytes(items));
      const ThreadSegments segments = thread_segments(x.n, blocks * block, items);
      // Threads behind the last segment have a set, too, of the identity.
      const Index used = ceil_div(segments.count, block), count = used * block;
      T* const sets = queue.scratch<T>(x.m * count);
      launch(queue,
             {.blocks = used,
              .threads = int(block),
              .shared_bytes = bytes(items),
              .bytes_read = x.input_bytes(),
              .bytes_written = double(x.m) * double(count) * sizeof(T)},
             kernel, x.labels, x.values, x.n, int(x.m), segments, sets);
      reduce_sets<Op>(queue, x.m, count, sets, x.result);
      queue.chain(segments.length + reduce_sets_chain(count, run_sets<T>));
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, shared_per_thread_transposed)
}  // namespace redbench
