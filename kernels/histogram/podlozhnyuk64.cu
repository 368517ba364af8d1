#include "kernels/histogram/label_words.hpp"
#include "kernels/histogram/problem.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
namespace {

constexpr int block = 192, bins = 64;
/// Words that a thread may bin before 8 bits could be full: 252 labels, and three past the last whole word.
constexpr Index most_words = 255 / labels_per_word;

/// Where thread t counts a label: four neighbouring bins lie in one word, and all words of a thread in one
/// bank.
__device__ __forceinline__ int address_of(u32 label, int t) {
  return 4 * (t + block * int(label / 4)) + int(label % 4);
}

__device__ __forceinline__ void bin_word(u8* counts, u32 word, int t) {
#pragma unroll
  for (int j = 0; j < labels_per_word; ++j) ++counts[address_of(label_of(word, j), t)];
}

__global__ void __launch_bounds__(block) count_by_threads(const u8* labels, Index n, Index m, u32* result) {
  auto* const counts = dynamic_shared<u8>();
  const int t = threadIdx.x;
  for (int word = 0; word < bins / 4; ++word) reinterpret_cast<u32*>(counts)[t + block * word] = 0;
  bin_last_labels(labels, n, [=](u32 label) { ++counts[address_of(label, t)]; });

  // Thread t adds up bin t over what all threads have counted so far.
  u32 sum = 0;
  const BlockWords words = words_of_block(labels, n);
  Index first = 0;
  do {
    bin_rounds(words, first, most_words, [=](u32 word) { bin_word(counts, word, t); });
    first += most_words;
    __syncthreads();

    // Four neighbouring threads read the same words; each four begin on another bank.
    if (t < bins)
      for (int j = 0; j < block; ++j) sum += counts[address_of(t, (t / 4 + j) % block)];
    __syncthreads();
    if (first < words.rounds)
      for (int word = 0; word < bins / 4; ++word) reinterpret_cast<u32*>(counts)[t + block * word] = 0;
  } while (first < words.rounds);
  if (t < m) atomicAdd(&result[t], sum);
}

/// Deviations: a block may empty its bins and go on (`fills` above 1), which the text does not have: a block
/// ends with its threads' 63 words. The bins lie so that no two of 32 banks meet, for 16 in the text.
struct podlozhnyuk64 {
  static constexpr Card card{
      .title = "a histogram of 64 8-bit bins per thread, 192 threads per block, at most 255 labels each",
      .source = "Eilers 2014, 4.3.1; Podlozhnyuk 2007",
      .order = Order::commutative,
      .maximum_m = bins,
      .parameters = {
          {{"fills", 1, 1, 1 << 16, Step::one,
            "Eilers 2014, 4.3.1: a thread has at most 255 labels. Above 1: how often a block fills its "
            "bins, and empties them"}}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return needs_bytes<Op>();
  }
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    const Index per_block = queue.parameter("fills") * most_words * block;
    const Index blocks = std::max<Index>(1, ceil_div(x.n / labels_per_word, per_block));
    fill(queue, x.result, x.m, 0u);
    launch(queue,
           {.blocks = blocks,
            .threads = block,
            .shared_bytes = bins * block,
            .bytes_read = x.input_bytes() + double(blocks * x.m) * sizeof(u32),
            .bytes_written = double(blocks * x.m) * sizeof(u32)},
           count_by_threads, x.labels, x.n, x.m, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, podlozhnyuk64)
}  // namespace redbench
