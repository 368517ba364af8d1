#include <algorithm>
#include <bit>
#include <string>

#include "kernels/histogram/problem.hpp"
#include "kernels/parts/block_shuffle.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
namespace {

/// A thread's small bins of 2^log_bits bits in shared memory, 32 bits of them in a word; all words of a
/// thread lie in one bank.
struct SmallBins {
  u32* words;  // [ceil(m / bins per word)][blockDim]
  int log_bits;

  __device__ u32& word(Index bin, int thread) const {
    return words[(bin >> (5 - log_bits)) * blockDim.x + thread];
  }
  __device__ int shift(Index bin) const { return int(bin & ((32 >> log_bits) - 1)) << log_bits; }
  __device__ u32 most() const { return (1u << (1 << log_bits)) - 1; }
  __device__ u32 count(Index bin, int thread) const { return word(bin, thread) >> shift(bin) & most(); }
};

inline Index words_of_small_bins(Index m, int log_bits) { return ceil_div(m, 32 >> log_bits); }

/// wide[bin * threads + thread] counts what the small bins lost: they are empty again after `most` + 1
/// labels.
template <class Label>
__global__ void count_with_overflow(const Label* labels, Index n, Index m, int log_bits, u32* wide,
                                    u32* result) {
  const SmallBins small{dynamic_shared<u32>(), log_bits};
  const int t = threadIdx.x, block = blockDim.x;
  const Index threads = Index(gridDim.x) * block, first = Index(blockIdx.x) * block;
  for (Index bin = 0; bin < m; bin += 32 >> log_bits) small.word(bin, t) = 0;

  for (Index i = first + t; i < n; i += threads) {
    const Index bin = labels[i];
    const u32 most = small.most();
    u32& word = small.word(bin, t);
    const int shift = small.shift(bin);
    if ((word >> shift & most) < most) {
      word += 1u << shift;
    } else {
      word -= most << shift;
      wide[bin * threads + first + t] += most + 1;
    }
  }
  __syncthreads();

  // A warp adds up a bin of all threads of the block.
  const int lane = t % warp_size;
  for (Index bin = t / warp_size; bin < m; bin += block / warp_size) {
    u32 sum = 0;
    for (int thread = lane; thread < block; thread += warp_size)
      sum += wide[bin * threads + first + thread] + small.count(bin, thread);
    sum = warp_reduce<Sum<u32>>(sum);
    if (lane == 0) atomicAdd(&result[bin], sum);
  }
}

/// What the text leaves open: the bins of all threads lie side by side in global memory, bin by bin, as the
/// bucket sets of 4.2 do; at the end each block adds up its own, and what is left in the small bins.
struct shams_kennedy_global {
  static constexpr Card card{
      .title = "bins per thread in global memory behind bins of a few bits in shared memory",
      .source = "Eilers 2014, 4.3.1; Shams and Kennedy 2007",
      .order = Order::commutative,
      .parameters = {{{"bits", 0, 0, 8, Step::one,
                       "of a bin in shared memory: 1, 2, 4 or 8. 0: the most that fit, as each halves the "
                       "updates of global memory"},
                      {"block", 192, 32, 1024, Step::multiple_of_warp, "as Podlozhnyuk 2007"},
                      {"blocks", 0, 0, 1 << 20, Step::one,
                       "0: as many as the device holds at once, as the text gives no grid, but a label for "
                       "each bin of a thread"}}}};

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    using Label = typename Op::Value;
    const int block = int(queue.parameter("block"));
    const int log_bits = log_bits_of(queue, x.m, block);
    const std::size_t shared_bytes = shared_bytes_of(x.m, log_bits, block);
    const Index asked = queue.parameter("blocks");
    // Clearing and adding up a thread's bins costs as much as that many labels: no more threads than have
    // them.
    const Index most =
        asked ? asked
              : std::min(persistent_blocks(queue, count_with_overflow<Label>, block, shared_bytes),
                         ceil_div(x.n, block * std::min<Index>(x.m, 256)));
    const Index blocks = std::max<Index>(1, std::min(most, ceil_div(x.n, block)));
    const Index wide_bins = x.m * blocks * block;
    auto* const wide = queue.scratch<u32>(wide_bins);
    fill(queue, x.result, x.m, 0u);
    fill(queue, wide, wide_bins, 0u);
    launch(queue,
           {.blocks = blocks,
            .threads = block,
            .shared_bytes = shared_bytes,
            .bytes_read = x.input_bytes() + double(wide_bins + blocks * x.m) * sizeof(u32),
            .bytes_written = double(blocks * x.m) * sizeof(u32)},
           count_with_overflow<Label>, x.labels, x.n, x.m, log_bits, wide, x.result);
  }

 private:
  static std::size_t shared_bytes_of(Index m, int log_bits, int block) {
    return std::size_t(words_of_small_bins(m, log_bits)) * block * sizeof(u32);
  }
  /// Logarithm of the bits of a small bin: those of the parameter, or the most that fit.
  static int log_bits_of(const Queue& queue, Index m, int block) {
    const auto bits = std::uint64_t(queue.parameter("bits"));
    if (bits > 0 && !std::has_single_bit(bits))
      queue.refuse("bits is 1, 2, 4 or 8, not " + std::to_string(bits));
    int log_bits = bits > 0 ? std::countr_zero(bits) : 3;
    const std::size_t most = queue.device().shared_bytes_per_block;
    while (bits == 0 && log_bits > 0 && shared_bytes_of(m, log_bits, block) > most) --log_bits;
    const std::size_t bytes = shared_bytes_of(m, log_bits, block);
    if (bytes > most)
      queue.refuse("a block's bins take " + std::to_string(bytes) +
                   " bytes of shared memory, of which it can have " + std::to_string(most));
    return log_bits;
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, shams_kennedy_global)
}  // namespace redbench
