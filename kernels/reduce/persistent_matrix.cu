#include "kernels/parts/persistent.hpp"

namespace redbench {
namespace {

constexpr int block = 256;

template <class Op>
__global__ void persistent_by_rows(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const int t = threadIdx.x;
  const Share share = share_of(ceil_div(n, matrix_tile), blockIdx.x, gridDim.x);
  auto reduction = Op::identity();

  for (Index k = share.first; k < share.first + share.count; ++k) {
    // The matrix holds data-block k, the identity past the end.
    load_matrix<Op, block>(in, n, k * matrix_tile, t, s);
    __syncthreads();

    // Thread 0 holds the reduction of the block's data-blocks up to k; nobody reads the matrix any more.
    if (t < warp_size) {
      auto of_data_block = Op::identity();
      reduce_matrix<Op>(s, t, of_data_block);
      reduction = Op()(reduction, of_data_block);
    }
    __syncthreads();
  }

  if (t == 0) out[blockIdx.x] = reduction;
}

struct persistent_matrix {
  static constexpr Card card{.title = "matrix, by as many blocks as the device holds at once",
                             .source = "Martin 2012, III.B.1",
                             .order = Order::any,
                             .registers = 15};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    launch_persistent(queue, x, block, 1, persistent_by_rows<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, persistent_matrix)
}  // namespace redbench
