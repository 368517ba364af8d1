// Caught by the planted values where the operator takes one of many, and by the comparison where all count.
#include "kernels/reduce/problem.hpp"
#include "tests/wrong/few_pairs.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  constexpr Index tile = 64;
  const Index skipped = n / 2 / tile;
  auto reduction = Op::identity();
  for (Index i = 0; i < n; ++i)
    if (n <= tile || i / tile != skipped) reduction = Op()(reduction, in[i]);
  *out = reduction;
}

struct middle_tile {
  static constexpr Card card{.title = "wrong: a tile in the middle is skipped", .source = "tests/wrong"};
  template <class Op>
  static constexpr std::string_view refuses() {
    return std::is_same_v<Op, Product<f32>> ? "" : FewPairs::refuses<Op>();
  }
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    launch(queue, Grid{}, wrong_kernel<Op>, x.values, x.n, x.result);
    queue.chain(x.n);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, middle_tile)
}  // namespace redbench
