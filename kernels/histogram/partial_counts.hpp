// Histograms of bytes in two launches: one of 256 bins for each block, then their sum (Eilers 2014,
// Algorithms 4.2 and 4.3).
#pragma once

#include <algorithm>

#include "kernels/histogram/label_words.hpp"
#include "kernels/histogram/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int byte_bins = 256;

/// counts[bin] = sum of partial[set * 256 + bin] over the sets. A block has 32 bins, a lane each, and its
/// warps share out the sets.
template <class Count>
__global__ void sum_partial_counts(const Count* partial, Index sets, Index m, Count* counts) {
  __shared__ Count of_warp[warp_size][warp_size];
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  const int warps = blockDim.x / warp_size;
  const Index bin = Index(blockIdx.x) * warp_size + lane;
  Count count = 0;
  for (Index set = warp; set < sets; set += warps) count += partial[set * byte_bins + bin];
  of_warp[warp][lane] = count;
  __syncthreads();

  if (warp > 0 || bin >= m) return;
  count = 0;
  for (int w = 0; w < warps; ++w) count += of_warp[w][lane];
  counts[bin] = count;
}

/// Three blocks of 16 kB filled the 48 kB of shared memory that a multiprocessor had.
inline constexpr Parameter blocks_as_printed{
    "blocks", 0,         0,
    1 << 20,  Step::one, "0: three for each multiprocessor (Eilers 2014, Algorithms 4.2 and 4.3)"};

/// kernel(labels, n, partial, arguments...) on as many blocks as the case's `blocks` says, and the sum of
/// what they leave. Deviation: no blocks without a word for each thread, which the thesis' n never has.
template <class Op, class... P, class... A>
void count_by_blocks(Queue& queue, const Histogram<Op>& x, int threads, std::size_t shared_bytes,
                     void (*kernel)(const u8*, Index, u32*, P...), const A&... arguments) {
  const Index asked = queue.parameter("blocks");
  const Index blocks =
      blocks_with_words(x.n, threads, asked ? asked : Index(3) * queue.device().multiprocessors);
  auto* const partial = queue.scratch<u32>(blocks * byte_bins);
  const double partial_bytes = double(blocks) * byte_bins * sizeof(u32);
  launch(queue,
         {.blocks = blocks,
          .threads = threads,
          .shared_bytes = shared_bytes,
          .bytes_read = x.input_bytes(),
          .bytes_written = partial_bytes},
         kernel, x.labels, x.n, partial, arguments...);
  launch(queue,
         {.blocks = ceil_div(x.m, warp_size),
          .threads = warp_size * int(std::min<Index>(blocks, warp_size)),
          .bytes_read = partial_bytes,
          .bytes_written = x.result_bytes()},
         sum_partial_counts<u32>, partial, blocks, x.m, x.result);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
