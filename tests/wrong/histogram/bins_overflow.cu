// Caught by labels that are equal more than 255 times in a row of one thread: its bins have 8 bits, and are
// never emptied before the end.
#include "tests/wrong/histogram/counts.hpp"

namespace redbench {
namespace {

constexpr int bins = 256;

template <class Label>
__global__ void wrong_kernel(const Label* labels, Index n, Index m, u32* counts) {
  auto* const own = dynamic_shared<u8>() + threadIdx.x * bins;
  for (int bin = 0; bin < bins; ++bin) own[bin] = 0;
  for (Index i = threadIdx.x; i < n; i += blockDim.x) ++own[labels[i]];
  for (Index bin = 0; bin < m; ++bin) atomicAdd(&counts[bin], u32(own[bin]));
}

struct bins_overflow {
  static constexpr Card card{
      .title = "wrong: a thread's bins of 8 bits overflow", .source = "tests/wrong", .maximum_m = bins};
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    fill(queue, x.result, x.m, 0u);
    launch(queue, {.threads = warp_size, .shared_bytes = warp_size * bins}, wrong_kernel<typename Op::Value>,
           x.labels, x.n, x.m, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, bins_overflow)
}  // namespace redbench
