#include "kernels/histogram/warp_counters.hpp"

namespace redbench {
namespace {

/// Counts the labels first to first + range - 1, and ignores the others.
template <class Label, class Update>
__global__ void count_range(const Label* labels, Index n, u32 first, u32 range, Index m, u32* result) {
  auto* const bins = dynamic_shared<u32>();
  const int warps = blockDim.x / warp_size;
  u32* const own = bins + threadIdx.x / warp_size * range;
  clear_bins(bins, warps * range);
  __syncthreads();

  const Index threads = Index(gridDim.x) * blockDim.x, full = n / threads, turns = ceil_div(n, threads);
  Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  for (Index turn = 0; turn < full; ++turn, i += threads) {
    const u32 bin = u32(labels[i]) - first;
    Update::add(own, bin, bin < range);
  }
  if (full < turns) {
    const u32 bin = i < n ? u32(labels[i]) - first : range;
    Update::add(own, bin, bin < range);
  }
  __syncthreads();
  add_warps<Update>(bins, range, min(Index(range), m - first), result + first);
}

/// The formula by which the original weighs warps against bins is not in the thesis: both are axes.
struct shams_kennedy_shared {
  static constexpr Card card{
      .title = "passes over the input, a range of bins each, of which every warp has a histogram",
      .source = "Eilers 2014, 4.3.1; Shams and Kennedy 2007",
      .order = Order::commutative,
      .parameters = {
          {{"bins", 1024, 32, 1 << 16, Step::power_of_two,
            "bins of a pass; reasoned: two blocks in 48 kB of shared memory with 6 warps"},
           {"block", 192, 32, 1024, Step::multiple_of_warp, "a histogram for each warp; as Podlozhnyuk 2007"},
           update_parameter(0, "0: in software, as in the original; 1: atomics of the hardware"),
           warp_blocks}}};

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    with_update(queue.parameter("update"), [&]<class Update>(Update) { passes<Update>(queue, x); });
  }

 private:
  template <class Update, class Op>
  static void passes(Queue& queue, const Histogram<Op>& x) {
    using Label = typename Op::Value;
    const auto kernel = count_range<Label, Update>;
    const Index range = queue.parameter("bins"), asked = queue.parameter("blocks");
    const int threads = int(queue.parameter("block"));
    const std::size_t shared_bytes = std::size_t(range) * threads / warp_size * sizeof(u32);
    const Index most = asked ? asked : persistent_blocks(queue, kernel, threads, shared_bytes);
    const Index blocks = std::max<Index>(1, std::min(most, ceil_div(x.n, threads)));
    check_labels_per_warp<Update>(queue, ceil_div(x.n, blocks * threads) * warp_size);
    fill(queue, x.result, x.m, 0u);
    for (Index first = 0; first < x.m; first += range) {
      const double counts_bytes = double(blocks) * double(std::min(range, x.m - first)) * sizeof(u32);
      launch(queue,
             {.blocks = blocks,
              .threads = threads,
              .shared_bytes = shared_bytes,
              .bytes_read = x.input_bytes() + counts_bytes,
              .bytes_written = counts_bytes},
             kernel, x.labels, x.n, first, range, x.m, x.result);
    }
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, shams_kennedy_shared)
}  // namespace redbench
