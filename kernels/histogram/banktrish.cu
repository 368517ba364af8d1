#include "kernels/histogram/byte_counters.hpp"

namespace redbench {
namespace {

/// Threads t, t + 64, ... share a histogram: its words, of four bins each, are updated atomically, and once
/// for all labels of a fetched word that have their bins there.
struct SharedBins {
  static __device__ __forceinline__ u32 one_of(u32 label) { return 1u << 8 * (label % 4); }
  static __device__ __forceinline__ void add_one(u32* bins, int column, u32 label) {
    atomicAdd(&bins[word_of_bin(label, column)], one_of(label));
  }
  static __device__ __forceinline__ void add(u32* bins, int column, u32 word) {
    int address[labels_per_word];
    u32 ones[labels_per_word];
#pragma unroll
    for (int j = 0; j < labels_per_word; ++j) {
      const u32 label = label_of(word, j);
      address[j] = word_of_bin(label, column);
      ones[j] = one_of(label);
      // The first label of an address stands for all.
#pragma unroll
      for (int i = 0; i < j; ++i)
        if (ones[j] != 0 && address[i] == address[j]) {
          ones[i] += ones[j];
          ones[j] = 0;
        }
    }
#pragma unroll
    for (int j = 0; j < labels_per_word; ++j)
      if (ones[j] != 0) atomicAdd(&bins[address[j]], ones[j]);
  }
};

template <class Run>
void with_factor(Index factor, const Run& run) {
  switch (factor) {
    case 2:
      return run(std::integral_constant<int, 2>{});
    case 3:
      return run(std::integral_constant<int, 3>{});
    case 4:
      return run(std::integral_constant<int, 4>{});
    case 5:
      return run(std::integral_constant<int, 5>{});
    case 6:
      return run(std::integral_constant<int, 6>{});
    case 7:
      return run(std::integral_constant<int, 7>{});
    case 8:
      return run(std::integral_constant<int, 8>{});
  }
}

/// What the text leaves open: the bins are emptied every floor(63 / factor) words of a thread, as `factor`
/// threads fill them; then the threads of a row of bins take every factor-th histogram, and their sums meet
/// in the empty bins at the end.
struct banktrish {
  static constexpr Card card{
      .title = "TRISH with several threads for each histogram: atomics, bundled by the word of four bins",
      .source = "Eilers 2014, 4.5.2 (BankTRISH)",
      .order = Order::commutative,
      .maximum_m = byte_bins,
      .parameters = {{{"factor", 8, 2, 8, Step::one,
                       "Eilers 2014, Fig. 4.23: factor x 64 threads per block, best with 8"},
                      blocks_as_printed}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return needs_bytes<Op>();
  }
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    with_factor(queue.parameter("factor"), [&](auto factor) {
      count_by_blocks(queue, x, factor * byte_columns, byte_counter_bytes,
                      count_in_bytes<factor, SharedBins>);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, banktrish)
}  // namespace redbench
