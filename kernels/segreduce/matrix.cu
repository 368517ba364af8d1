#include "kernels/segreduce/segmented_matrix.hpp"

namespace redbench {
namespace {

constexpr int block = 256;
template <class Op>
using Matrix = SegmentedMatrix<typename Op::Value, 32>;

template <class Op>
__global__ void segmented_by_rows(const typename Op::Value* values, const u32* owners, Index n,
                                  typename Op::Value* output, Carries<typename Op::Value> carries) {
  const unsigned t = threadIdx.x;
  const auto matrix = Matrix<Op>::at(dynamic_shared<unsigned char>(), 0);

  // The matrix holds the data-block; past the end the identity and the last owner.
  matrix.template load<Op, block>(values, owners, n, Index(blockIdx.x) * matrix.tile, t);
  __syncthreads();

  // The first warp reduces it, a row to a lane; the others are done. The last segment is the carry.
  if (t >= warp_size) return;
  matrix.template reduce<Op>(output, t);
  if (t == warp_size - 1) hand_on(carries, output, matrix.values[t], matrix.owners[t]);
}

struct matrix {
  static constexpr Card card{.title = "matrix of pairs in shared memory, row-wise, right-storing",
                             .source = "Martin 2012, IV.A",
                             .order = Order::any,
                             .registers = 11};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    segmented_multi_pass(queue, x,
                         {.tile = Matrix<Op>::tile,
                          .threads = block,
                          .shared_bytes = Matrix<Op>::bytes,
                          .chain = segmented_matrix_chain(32)},
                         segmented_by_rows<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, matrix)
}  // namespace redbench
