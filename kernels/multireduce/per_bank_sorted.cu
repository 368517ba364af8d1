#include "kernels/multireduce/bank_buckets.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/device_sort.hpp"

namespace redbench {
namespace {

constexpr int range_bits = 8;
constexpr Index range_labels = Index(1) << range_bits;

/// offsets[r] = the first input whose label is in range r or above, by bisection, so that ranges without an
/// input have one, too: r = 0, ..., ranges.
__global__ void range_offsets(const u32* labels, Index n, Index ranges, Index* offsets) {
  const Index range = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (range > ranges) return;
  Index first = 0, end = n;
  while (first < end) {
    const Index middle = (first + end) / 2;
    if (Index(labels[middle] >> range_bits) < range) first = middle + 1;
    else end = middle;
  }
  offsets[range] = first;
}

/// A block goes through its part of the sorted input a range of labels at a time: as many inputs as the
/// offsets say, without a check of each. Ranges that have none are passed over.
template <class Op>
__global__ void bank_ranges(const u32* labels, const typename Op::Value* values, Index n, Index m,
                            Index length, const Index* offsets, typename Op::Value* result) {
  using T = typename Op::Value;
  const Index start = Index(blockIdx.x) * length, end = start + part_inputs(n, length);
  u32 range = labels[start] >> range_bits;
  for (Index offset = start; offset < end; ++range) {
    const Index next = offsets[range + 1], range_end = next < end ? next : end;
    if (range_end == offset) continue;
    const Index first = Index(range) * range_labels, left = m - first;
    const BankBuckets<Op> buckets{dynamic_shared<T>(), u32(first),
                                  int(left < range_labels ? left : range_labels)};
    buckets.clear();
    __syncthreads();
    buckets.template combine_all<false>(labels + offset, values + offset, int(range_end - offset));
    __syncthreads();
    buckets.add_to(result);
    __syncthreads();
    offset = range_end;
  }
}

struct per_bank_sorted {
  static constexpr Card card{
      .title = "per_bank of the input sorted but for its labels' low 8 bits, a range of 256 labels at a time",
      .source =
          "Eilers 2014, 4.3.6, Alg. 4.11, with its misprints mended; SRTS sort there, CUB's here; how "
          "the offsets are found is not said, here by bisection",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .parameters = {{bank_factor, resident_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    fill(queue, x.result, x.m, Op::identity());
    if (x.n == 0) return;
    const auto sorted = stable_sort<T>(queue, {x.labels, x.values}, x.n, range_bits, bits_of(x.m));

    const Index ranges = ceil_div(x.m, range_labels);
    Index* const offsets = queue.scratch<Index>(ranges + 1);
    launch(queue,
           {.blocks = ceil_div(ranges + 1, 256), .threads = 256, .bytes_written = 8.0 * double(ranges + 1)},
           range_offsets, sorted.labels, x.n, ranges, offsets);

    const Index labels = std::min(x.m, range_labels), threads = bank_threads(queue, labels);
    const std::size_t shared_bytes = bank_bytes<T>(labels);
    const Index most = resident_or_asked(queue, bank_ranges<Op>, threads, shared_bytes);
    const Parts parts = contiguous_parts(queue, x.n, most, 2 * threads);
    launch(queue,
           {.blocks = parts.blocks,
            .threads = int(threads),
            .shared_bytes = shared_bytes,
            .bytes_read = x.input_bytes(),
            .bytes_written = x.result_bytes()},
           bank_ranges<Op>, sorted.labels, sorted.values, x.n, x.m, parts.length, offsets, x.result);
    queue.chain(bank_chain(parts.length, bank_sets, parts.blocks));
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, per_bank_sorted)
}  // namespace redbench
