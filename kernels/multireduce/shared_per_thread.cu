#include "kernels/multireduce/bucket_sets.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/contiguous_parts.hpp"
#include "kernels/parts/thread_buckets.hpp"

namespace redbench {
namespace {

/// A thread goes through its block's part of the input a block apart, `batch` inputs in its registers at a
/// time.
template <class Op, int batch>
__global__ void thread_buckets(const u32* labels, const typename Op::Value* values, Index n, int m,
                               Index length, typename Op::Value* sets) {
  using T = typename Op::Value;
  const ThreadBuckets<Op> own(dynamic_shared<T>());
  const u32* const block_labels = labels + Index(blockIdx.x) * length;
  const T* const block_values = values + Index(blockIdx.x) * length;
  const int inputs = part_inputs(n, length), block = blockDim.x;
  const int whole = inputs / (batch * block) * (batch * block);
  own.clear(m);

  for (int i = threadIdx.x; i < whole; i += batch * block) {
    u32 label[batch];
    T value[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) label[k] = block_labels[i + k * block];
#pragma unroll
    for (int k = 0; k < batch; ++k) value[k] = block_values[i + k * block];
#pragma unroll
    for (int k = 0; k < batch; ++k) own.combine(label[k], value[k]);
  }
  for (int i = whole + threadIdx.x; i < inputs; i += block) own.combine(block_labels[i], block_values[i]);
  own.store(m, Index(blockIdx.x) * block + threadIdx.x, Index(gridDim.x) * block, sets);
}

struct shared_per_thread {
  static constexpr Card card{
      .title = "a set of buckets in shared memory for each thread, strided batches of inputs",
      .source = "Eilers 2014, 4.3.6; that the sets are joined by a launch of their own is from 4.2",
      .order = Order::commutative,
      .maximum_m = 4096,
      .parameters = {{thread_buckets_block,
                      resident_per_sm,
                      {"batch", 4, 1, 16, Step::power_of_two,
                       "inputs that a thread fetches before it uses them; not printed"}}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    if (x.n == 0) return fill(queue, x.result, x.m, Op::identity());
    switch (queue.parameter("batch")) {
      case 1:
        return run_kernel<Op>(queue, x, thread_buckets<Op, 1>);
      case 2:
        return run_kernel<Op>(queue, x, thread_buckets<Op, 2>);
      case 4:
        return run_kernel<Op>(queue, x, thread_buckets<Op, 4>);
      case 8:
        return run_kernel<Op>(queue, x, thread_buckets<Op, 8>);
      default:
        return run_kernel<Op>(queue, x, thread_buckets<Op, 16>);
    }
  }

  template <class Op, class Kernel>
  static void run_kernel(Queue& queue, const Multireduce<Op>& x, Kernel* kernel) {
    using T = typename Op::Value;
    const Index block = queue.parameter("block"), step = block * queue.parameter("batch");
    const std::size_t shared_bytes = std::size_t(x.m * block) * sizeof(T);
    const Parts parts =
        contiguous_parts(queue, x.n, resident_or_asked(queue, kernel, block, shared_bytes), step);
    const Index count = parts.blocks * block;
    T* const sets = queue.scratch<T>(x.m * count);
    launch(queue,
           {.blocks = parts.blocks,
            .threads = int(block),
            .shared_bytes = shared_bytes,
            .bytes_read = x.input_bytes(),
            .bytes_written = double(x.m) * double(count) * sizeof(T)},
           kernel, x.labels, x.values, x.n, int(x.m), parts.length, sets);
    reduce_sets<Op>(queue, x.m, count, sets, x.result);
    queue.chain(ceil_div(parts.length, block) + reduce_sets_chain(count, run_sets<T>));
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, shared_per_thread)
}  // namespace redbench
