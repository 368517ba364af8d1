#include "kernels/multireduce/bucket_sets.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/contiguous_parts.hpp"

namespace redbench {
namespace {

/// Bucket l of block b is at l * stored_sets(gridDim.x) + b.
template <class Op>
__global__ void one_working_thread(const u32* labels, const typename Op::Value* values, Index n, Index length,
                                   typename Op::Value* buckets) {
  using T = typename Op::Value;
  const Op op;
  auto* const s_values = dynamic_shared<T>();
  auto* const s_labels = reinterpret_cast<u32*>(s_values + blockDim.x);
  const u32* const block_labels = labels + Index(blockIdx.x) * length;
  const T* const block_values = values + Index(blockIdx.x) * length;
  const int inputs = part_inputs(n, length), block = blockDim.x, t = threadIdx.x;

  for (int i = 0; i < inputs; i += block) {
    const int count = inputs - i < block ? inputs - i : block;
    if (t < count) {
      s_labels[t] = block_labels[i + t];
      s_values[t] = block_values[i + t];
    }
    __syncthreads();
    if (t == 0)
      for (int j = 0; j < count; ++j) {
        T& bucket = buckets[Index(s_labels[j]) * stored_sets<T>(gridDim.x) + blockIdx.x];
        bucket = op(bucket, s_values[j]);
      }
    __syncthreads();
  }
}

struct minimal {
  static constexpr Card card{
      .title = "one thread of each block works, in order; the others fetch",
      .source = "Eilers 2014, Alg. 4.4, with its misprints mended; the end of a block's part is guarded",
      .order = Order::any,
      .parameters = {{parts_block, parts_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const Index block = queue.parameter("block");
    const Parts parts = contiguous_parts(queue, x.n, parts_wanted(queue), block);
    const auto sets = BucketSets<Op>::cleared(queue, x.m, std::max<Index>(parts.blocks, 1), x.result);
    if (x.n == 0) return;
    launch(queue,
           {.blocks = parts.blocks,
            .threads = int(block),
            .shared_bytes = std::size_t(block) * (sizeof(u32) + sizeof(T)),
            .bytes_read = double(x.n) * (sizeof(u32) + 2 * sizeof(T)),
            .bytes_written = double(x.n) * sizeof(T)},
           one_working_thread<Op>, x.labels, x.values, x.n, parts.length, sets.buckets);
    sets.reduce(queue);
    queue.chain(parts.length + sets.chain());
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, minimal)
}  // namespace redbench
