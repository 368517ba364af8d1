#include "kernels/parts/persistent.hpp"

namespace redbench {
namespace {

constexpr int consumers = 1, producers = 8;  // warps
constexpr int block = (consumers + producers) * warp_size;
static_assert(consumers == 1, "a warp has a lane for each of the 32 rows");

/// Reduces the matrix s behind `reduction`, which lane 0 alone writes. One warp calls.
template <class Op>
__device__ void append_matrix(typename Op::Value* s, unsigned lane, typename Op::Value& reduction) {
  auto of_data_block = Op::identity();
  reduce_matrix<Op>(s, lane, of_data_block);
  if (lane == 0) reduction = Op()(reduction, of_data_block);
}

template <class Op>
__global__ void __launch_bounds__(block)
    producers_and_consumer(const typename Op::Value* in, Index n, Shares shares, typename Op::Value* out) {
  auto* loading = dynamic_shared<typename Op::Value>();
  auto* reducing = loading + matrix_words;
  auto& reduction = reducing[matrix_words];
  const unsigned t = threadIdx.x, producer = t - consumers * warp_size;
  const bool consumer = t < consumers * warp_size;
  const u32 count = shares.count();
  Index first = shares.first() * matrix_tile;

  if (!consumer) load_matrix<Op, producers * warp_size>(in, n, first, producer, loading);
  if (t == 0) reduction = Op::identity();
  __syncthreads();

  // Round k: the producers bring data-block k into one matrix while the consumer reduces data-block k - 1 in
  // the other; the barrier makes each matrix free for its next use.
  for (u32 k = 1; k < count; ++k) {
    first += matrix_tile;
    auto* const filled = loading;
    loading = reducing;
    reducing = filled;
    if (consumer) append_matrix<Op>(reducing, t, reduction);
    else load_matrix<Op, producers * warp_size>(in, n, first, producer, loading);
    __syncthreads();
  }

  if (consumer) append_matrix<Op>(loading, t, reduction);
  if (t == 0) out[blockIdx.x] = reduction;
}

struct diffwarps {
  static constexpr Card card{.title = "persistent matrix, warps that load beside a warp that reduces",
                             .source = "Martin 2012, III.B.2, Algorithm 4",
                             .order = Order::any,
                             .registers = 15};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    launch_persistent(queue, x, block, 2, producers_and_consumer<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, diffwarps)
}  // namespace redbench
