#include "kernels/histogram/join_tables.hpp"
#include "kernels/histogram/label_vectors.hpp"
#include "kernels/histogram/partial_counts.hpp"

namespace redbench {
namespace {

/// Counters of the pairs {low, high} of labels below m, in whatever order the two came.
constexpr Index pairs_below(Index m) { return m * (m + 1) / 2; }
__device__ __forceinline__ u32 pair_number(u32 one, u32 other) {
  const u32 low = min(one, other), high = max(one, other);
  return (high * high + high) / 2 + low;
}

/// bins[label] += how often it is part of a pair: a warp takes every warps-th row of pairs with the same high
/// label, and keeps the sums of the low ones, which its lanes share out, until its last row.
__device__ inline void add_pairs(const u32* pairs, u32 m, u32* bins) {
  constexpr int labels_per_lane = byte_bins / warp_size;
  const u32 lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  u32 of_low[labels_per_lane] = {};
  for (u32 high = warp; high < m; high += warps) {
    u32 of_high = 0;
#pragma unroll
    for (int k = 0; k < labels_per_lane; ++k) {
      const u32 low = k * warp_size + lane;
      const u32 count = low <= high ? pairs[pair_number(low, high)] : 0;
      of_low[k] += count;
      of_high += count;
    }
    of_high = __reduce_add_sync(full_mask, of_high);
    if (lane == 0) atomicAdd(&bins[high], of_high);
  }
#pragma unroll
  for (int k = 0; k < labels_per_lane; ++k) {
    const u32 low = k * warp_size + lane;
    if (low < m) atomicAdd(&bins[low], of_low[k]);
  }
}

template <int loads>
__global__ void __launch_bounds__(1024, 1) count_pairs(const u8* labels, Index n, Index m, u32* result) {
  auto* const bins = dynamic_shared<u32>();
  u32* const pairs = bins + byte_bins;
  clear_table(bins, int(byte_bins + pairs_below(m)));
  clear_result(result, m);
  __syncthreads();

  for_each_word<loads>(reinterpret_cast<const u32*>(labels), n / labels_per_vector<u8>, [=](u32 word) {
    atomicAdd(&pairs[pair_number(label_of(word, 0), label_of(word, 1))], 1u);
    atomicAdd(&pairs[pair_number(label_of(word, 2), label_of(word, 3))], 1u);
  });
  for_last_labels(labels, n, [=](u32 label) { atomicAdd(&bins[label], 1u); });
  __syncthreads();

  add_pairs(pairs, u32(m), bins);
  __syncthreads();
  grid_sync();
  add_counts(m, [=](Index bin) { return bins[bin]; }, result);
}

struct label_pairs {
  static constexpr Card card{
      .title = "a counter for each pair of labels in shared memory, half as many updates as labels",
      .source =
          "a symmetric co-occurrence matrix (Haralick, Shanmugam and Dinstein 1973) whose margins are summed",
      .order = Order::commutative,
      .maximum_m = byte_bins,
      .parameters = {{{"loads", 4, 1, 8, Step::power_of_two,
                       "loads of 16 bytes in flight; reasoned: 64 kB by 1024 threads"},
                      {"block", 1024, 32, 1024, Step::multiple_of_warp,
                       "reasoned: 132 kB of pairs leave room for one block"}}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return needs_bytes<Op>();
  }
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    with_power_of_two<1, 8>(queue.parameter("loads"), [&](auto loads) { count<loads>(queue, x); });
  }

 private:
  template <int loads, class Op>
  static void count(Queue& queue, const Histogram<Op>& x) {
    const auto kernel = count_pairs<loads>;
    const int threads = int(queue.parameter("block"));
    const std::size_t bytes = table_bytes(byte_bins + pairs_below(x.m));
    const Index blocks = blocks_with_tiles<u8, loads>(queue, x.n, kernel, threads, bytes);
    const double table_traffic = double(blocks) * x.result_bytes();
    launch(queue,
           {.blocks = blocks,
            .threads = threads,
            .shared_bytes = bytes,
            .cooperative = true,
            .bytes_read = x.input_bytes() + table_traffic,
            .bytes_written = x.result_bytes() + table_traffic},
           kernel, x.labels, x.n, x.m, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, label_pairs)
}  // namespace redbench
