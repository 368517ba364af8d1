#include "kernels/parts/persistent.hpp"

namespace redbench {
namespace {

constexpr int block = 256;

template <class Op>
__global__ void persistent_by_rows(const typename Op::Value* in, Index n, Shares shares,
                                   typename Op::Value* out) {
  auto* const s = dynamic_shared<typename Op::Value>();
  auto& reduction = s[matrix_words];
  const unsigned t = threadIdx.x;
  const u32 count = shares.count();
  Index first = shares.first() * matrix_tile;
  if (t == 0) reduction = Op::identity();

  for (u32 k = 0; k < count; ++k, first += matrix_tile) {
    // The matrix holds the block's data-block k, the identity past the end.
    load_matrix<Op, block>(in, n, first, t, s);
    __syncthreads();

    // `reduction`, of thread 0, is that of the block's data-blocks up to k; nobody reads the matrix any more.
    if (t < warp_size) {
      auto of_data_block = Op::identity();
      reduce_matrix<Op>(s, t, of_data_block);
      if (t == 0) reduction = Op()(reduction, of_data_block);
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
