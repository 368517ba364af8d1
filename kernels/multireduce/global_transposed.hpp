// A set of buckets in global memory for each thread (Eilers 2014, 4.3.5, Alg. 4.7 and 4.8): what
// multireduce/global_transposed runs on the input, and global_transposed_sorted on the sorted input.
#pragma once

#include "kernels/multireduce/bucket_sets.hpp"
#include "kernels/parts/transposed_fetch.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Bucket l of segment s is at l * stored_sets(segments.count) + s.
template <class Op, int items, int loads>
__global__ void global_transposed_kernel(const u32* labels, const typename Op::Value* values, Index n,
                                         ThreadSegments segments, typename Op::Value* buckets) {
  const Index sets = stored_sets<typename Op::Value>(segments.count);
  auto* const own = buckets + Index(blockIdx.x) * blockDim.x + threadIdx.x;
  each_of_segment<typename Op::Value, items, loads>(labels, values, n, segments.length,
                                                    dynamic_shared<unsigned char>(),
                                                    [&](u32 label, typename Op::Value value) {
                                                      auto& bucket = own[Index(label) * sets];
                                                      bucket = Op()(bucket, value);
                                                    });
}

inline constexpr Parameter transposed_items{
    "items",
    0,
    0,
    most_fetched,
    Step::one,
    "4.3.5: the largest that fits shared memory, which 0 stands for, up to 32; multiples of 8 (4.3.2)"};

/// Parameters `block`, `blocks` (at most), `items` and `loads`.
template <class Op>
void global_transposed_run(Queue& queue, const u32* labels, const typename Op::Value* values, Index n,
                           Index m, typename Op::Value* result) {
  using T = typename Op::Value;
  const Index block = queue.parameter("block");
  const auto bytes = [&](Index items) { return fetch_bytes<T>(block, items); };
  const Index items = fetched_items(queue, bytes);
  const ThreadSegments segments = thread_segments(n, block * queue.parameter("blocks"), items);
  const auto sets = BucketSets<Op>::cleared(queue, m, std::max<Index>(segments.count, 1), result);
  if (n == 0) return;
  with_fetch(queue, items, [&](auto fetched, auto loads) {
    launch(queue,
           {.blocks = ceil_div(segments.count, block),
            .threads = int(block),
            .shared_bytes = bytes(items),
            .bytes_read = double(n) * (sizeof(u32) + 2 * sizeof(T)),
            .bytes_written = double(n) * sizeof(T)},
           global_transposed_kernel<Op, fetched(), loads()>, labels, values, n, segments, sets.buckets);
  });
  sets.reduce(queue);
  queue.chain(segments.length + sets.chain());
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
