#include "kernels/histogram/byte_counters.hpp"

namespace redbench {
namespace {

/// A histogram has one thread: a bin is read, increased and written as a byte.
struct OwnBins {
  static __device__ __forceinline__ void add_one(u32* bins, int column, u32 label) {
    ++reinterpret_cast<u8*>(&bins[word_of_bin(label, column)])[label % 4];
  }
  static __device__ __forceinline__ void add(u32* bins, int column, u32 word) {
#pragma unroll
    for (int j = 0; j < labels_per_word; ++j) add_one(bins, column, label_of(word, j));
  }
};

/// The text leaves open how many words are fetched at once (7 here) and where the bins lie: as Algorithm 4.2
/// and the groups of four bins of 4.5.2 suggest, so that a thread adds the four bins of one word, 4 t to 4 t
/// + 3, where Algorithm 4.3 says t, 64 + t, 128 + t, 192 + t. Deviations: a part of rounded-up length for
/// each block, whose last words are fetched and binned one by one.
struct trish {
  static constexpr Card card{
      .title =
          "a histogram of 8-bit bins per thread, emptied into registers every 63 words, 64 threads per block",
      .source = "Eilers 2014, 4.3.1, Algorithm 4.3; Brown and Snoeyink 2012",
      .order = Order::commutative,
      .maximum_m = byte_bins,
      .parameters = {{blocks_as_printed}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return needs_bytes<Op>();
  }
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    count_by_blocks(queue, x, byte_columns, byte_counter_bytes, count_in_bytes<1, OwnBins>);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, trish)
}  // namespace redbench
