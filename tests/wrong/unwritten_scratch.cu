// Meant to be caught by the poison that scratch memory holds before each run, and by the check for reads of
// memory that nobody wrote.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* scratch, Index count,
                             typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = Op()(reduction, scratch[count - 1]);
}

struct unwritten_scratch : FewPairs {
  static constexpr Card card{.title = "wrong: adds a word of scratch memory that nobody wrote",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>, 3);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, unwritten_scratch)
}  // namespace redbench
