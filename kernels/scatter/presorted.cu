#include "kernels/parts/device_sort.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/scatter/problem.hpp"
#include "kernels/scatter/scatter_parts.hpp"

namespace redbench {
namespace {

/// All threads of all blocks over the whole input, a grid apart.
template <class T>
__global__ void scatter_strided(const u32* labels, const T* values, Index n, T* result) {
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += Index(gridDim.x) * blockDim.x)
    relaxed_store(&result[labels[i]], values[i]);
}

/// Values of the parameter `sort_bits` that are not a number of bits.
constexpr Index as_the_thesis = 0, not_at_all = 33;

/// Bits to sort by: so many are left unsorted that the scatter is fast in the thesis (4.5.1), 8 with a part for
/// each block, 9 where all threads stride over the input.
inline Index bits_sorted_by(Index asked, Index m, bool strided) {
  if (asked == not_at_all) return 0;
  if (asked != as_the_thesis) return asked;
  return std::max<Index>(0, bits_of(m) - (strided ? 9 : 8));
}

struct presorted {
  static constexpr Card card{
      .title = "the input sorted by the top bits of its labels, then a naive scatter",
      .source = "Eilers 2014, 4.5.1; SRTS sort there, CUB's here; clears as scatter/naive",
      .order = Order::any,
      .reproducible = Reproducible::never,
      .parameters = {
          {{"sort_bits", as_the_thesis, as_the_thesis, not_at_all, Step::one,
            "4.5.1: 0 is log2 m - 8, with fetch=1 log2 m - 9; 33: no sort; else so many, at most all"},
           {"fetch", 0, 0, 1, Step::one,
            "4.5.1: 0: a contiguous part for each block; 1: all threads over the whole input"},
           parts_block,
           parts_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Scatter<Op>& x) {
    using T = typename Op::Value;
    x.needs_any(queue);
    const bool strided = queue.parameter("fetch") == 1;
    const auto sorted = sort_by_top_bits<T>(queue, {x.labels, x.values}, x.n, x.m,
                                            bits_sorted_by(queue.parameter("sort_bits"), x.m, strided));
    fill(queue, x.result, x.m, Op::identity());
    if (x.n == 0) return;
    if (!strided) return scatter_parts(queue, sorted.labels, sorted.values, x.n, x.result);
    const Index block = queue.parameter("block");
    launch(queue,
           {.blocks = std::min(ceil_div(x.n, block), parts_wanted(queue)),
            .threads = int(block),
            .bytes_read = x.input_bytes(),
            .bytes_written = double(x.n) * sizeof(T)},
           scatter_strided<T>, sorted.labels, sorted.values, x.n, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Scatter, presorted)
}  // namespace redbench
