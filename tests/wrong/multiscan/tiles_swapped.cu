// Caught by the non-commutative operators, where a label occurs in two tiles and after them.
#include "tests/wrong/multiscan/tiles.hpp"

namespace redbench {
namespace {

/// Puts each tile's bucket before those of the tiles before it.
template <class Op>
__global__ void wrong_kernel(const typename Op::Value* buckets, Index tiles, typename Op::Value* before) {
  auto carry = Op::identity();
  for (Index i = Index(blockIdx.x) * tiles; i < Index(blockIdx.x + 1) * tiles; ++i) {
    before[i] = carry;
    carry = Op()(buckets[i], carry);
  }
}

WRONG_VARIANT(Multiscan, ShortInputs, "joins the tiles from the last to the first", {
  using T = typename Op::Value;
  run_tiles(queue, x, scan_tile<Op>, [](Queue& q, Index m, Index tiles, const T* buckets, T* before) {
    launch(q, {.blocks = m, .threads = 1}, wrong_kernel<Op>, buckets, tiles, before);
  });
})

}  // namespace
}  // namespace redbench
