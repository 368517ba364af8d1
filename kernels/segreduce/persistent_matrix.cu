#include "kernels/parts/segmented_matrix.hpp"

namespace redbench {
namespace {

constexpr int block = 256, width = 32;

template <class Op>
__global__ void persistent_segmented_by_rows(const typename Op::Value* values, const u32* owners, Index n,
                                             typename Op::Value* output,
                                             Carries<typename Op::Value> carries) {
  using Matrix = SegmentedMatrix<typename Op::Value, width>;
  const int t = threadIdx.x;
  const Matrix matrix = Matrix::at(dynamic_shared<unsigned char>(), 0);
  const Share share = share_of(ceil_div(n, Matrix::tile), blockIdx.x, gridDim.x);
  RunningCarry<Op> carry{};

  for (Index k = 0; k < share.count; ++k) {
    // The matrix holds the block's data-block k; past the end the identity and the last owner.
    matrix.template load<Op, block>(values, owners, n, (share.first + k) * Matrix::tile, t);
    __syncthreads();

    // Lane 31 of the first warp holds the last segment of the data-blocks up to k; nobody reads the matrix
    // any more.
    if (t < warp_size) {
      matrix.template reduce<Op>(output, t);
      if (t == warp_size - 1) {
        if (k == 0) carry = {matrix.values[t], matrix.owners[t]};
        else carry.append(output, matrix.values[t], matrix.owners[t]);
      }
    }
    __syncthreads();
  }

  if (t == warp_size - 1) hand_on(carries, output, carry.value, carry.owner);
}

struct persistent_matrix {
  static constexpr Card card{.title = "matrix of pairs, by as many blocks as the device holds at once",
                             .source = "Martin 2012, IV.B",
                             .order = Order::any,
                             .registers = 20};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    launch_persistent_segmented<width>(queue, x, block, 1, persistent_segmented_by_rows<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, persistent_matrix)
}  // namespace redbench
