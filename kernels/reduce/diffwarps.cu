#include "kernels/parts/persistent.hpp"

namespace redbench {
namespace {

constexpr int consumers = 1, producers = 8;  // warps
constexpr int block = (consumers + producers) * warp_size;
static_assert(consumers == 1, "a warp has a lane for each of the 32 rows");

template <class Op>
__global__ void __launch_bounds__(block)
    producers_and_consumer(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* loading = dynamic_shared<typename Op::Value>();
  auto* reducing = loading + matrix_words;
  const int t = threadIdx.x;
  const bool consumer = t < consumers * warp_size;
  const Share share = share_of(ceil_div(n, matrix_tile), blockIdx.x, gridDim.x);
  auto reduction = Op::identity();

  // Round k: the producers bring data-block k into one matrix while the consumer reduces data-block k - 1 in
  // the other; the barrier makes each matrix free for its next use. Thread 0 then holds the reduction up to k
  // - 1.
  for (Index k = 0; k <= share.count; ++k) {
    if (consumer && k > 0) {
      auto of_data_block = Op::identity();
      reduce_matrix<Op>(reducing, t, of_data_block);
      reduction = Op()(reduction, of_data_block);
    }
    if (!consumer && k < share.count)
      load_matrix<Op, producers * warp_size>(in, n, (share.first + k) * matrix_tile,
                                             t - consumers * warp_size, loading);
    __syncthreads();
    auto* const filled = loading;
    loading = reducing;
    reducing = filled;
  }

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
