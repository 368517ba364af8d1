#include "kernels/parts/matrix.hpp"
#include "kernels/reduce/multi_pass.hpp"

namespace redbench {
namespace {

constexpr int block = 256;

template <class Op>
__global__ void matrix_by_rows(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();

  // The matrix holds the data-block, the identity past the end.
  load_matrix<Op, block>(in, n, Index(blockIdx.x) * matrix_tile, threadIdx.x, s);
  __syncthreads();

  // The first warp reduces it, a row to a lane; the others are done.
  if (threadIdx.x < warp_size) reduce_matrix<Op>(s, threadIdx.x, out[blockIdx.x]);
}

struct matrix {
  static constexpr Card card{.title = "matrix in shared memory, a thread sums a row",
                             .source = "Martin 2012, III.A.3, Algorithm 3",
                             .order = Order::any,
                             .registers = 10};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    multi_pass(queue, x,
               {.tile = matrix_tile,
                .threads = block,
                .shared_bytes = matrix_words * sizeof(typename Op::Value),
                .chain = matrix_chain(matrix_width)},
               matrix_by_rows<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, matrix)
}  // namespace redbench
