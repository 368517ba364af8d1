// Meant to be caught by the operators that are not commutative, where a label occurs in two tiles and after
// them.
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

struct tiles_swapped : FewPairs {
  static constexpr Card card{.title = "wrong: joins the tiles from the last to the first",
                             .source = "tests/wrong",
                             .maximum_n = most_in_wrong_tiles};
  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    using T = typename Op::Value;
    run_tiles(queue, x, scan_tile<Op>, [](Queue& q, Index m, Index tiles, const T* buckets, T* before) {
      launch(q, {.blocks = m, .threads = 1}, wrong_kernel<Op>, buckets, tiles, before);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, tiles_swapped)
}  // namespace redbench
