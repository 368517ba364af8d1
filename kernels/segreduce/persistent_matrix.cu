#include "kernels/segreduce/segmented_matrix.hpp"

namespace redbench {
namespace {

constexpr int block = 256, width = 32;

template <class Op>
__global__ void persistent_segmented_by_rows(const typename Op::Value* values, const u32* owners, Index n,
                                             Shares shares, typename Op::Value* output,
                                             Carries<typename Op::Value> carries) {
  using Matrix = SegmentedMatrix<typename Op::Value, width>;
  void* const memory = dynamic_shared<unsigned char>();
  const Matrix matrix = Matrix::at(memory, 0);
  auto& carry = RunningCarry<Op>::at(memory, 1, Matrix::bytes);
  const unsigned t = threadIdx.x;
  const u32 count = shares.count();
  Index first = shares.first() * Matrix::tile;

  for (u32 k = 0; k < count; ++k, first += Matrix::tile) {
    // The matrix holds the block's data-block k; past the end the identity and the last owner.
    matrix.template load<Op, block>(values, owners, n, first, t);
    __syncthreads();

    // The carry, of lane 31, is the last segment of the data-blocks up to k; nobody reads the matrix any
    // more.
    if (t < warp_size) append_matrix<Op>(matrix, output, t, carry, k == 0);
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
