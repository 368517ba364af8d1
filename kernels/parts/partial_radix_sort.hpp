// The stable radix sort by the top bits of the labels that comes before a loop over buckets (Eilers
// 2014, 2.4, Alg. 2.4), on one core: stretches of inputs whose buckets fit a cache. Least significant digit
// first; each pass counts, scans, and moves the inputs to other memory, from where the next one takes them.
//
// As printed the first digit divides by zero, and what a pass left is never the input of the next: digits are
// key / (base^run * 2^offset) mod base, with base^runs = 2^bits.
#pragma once

#include <algorithm>

#include "kernels/parts/label_loops.hpp"
#include "kernels/parts/labelled_values.hpp"
#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// For Card::parameters.
inline constexpr Parameter presort_bits{
    "sort_bits", 0,
    0,           32,
    Step::one,   "2.4: 0 is log2 m - 18 from 2^threshold_log2 on, best on its Core2; else so many at any m"};
inline constexpr Parameter presort_threshold{
    "threshold_log2",
    21,
    19,
    33,
    Step::one,
    "2.4: 2^21 is the lowest m that is sorted, best on its Core2 (printed: sort if m < 2^21)"};
inline constexpr Parameter presort_digit{
    "digit_bits", 9, 1, 16, Step::one, "Alg. 2.4, not printed; one pass for all m to 2^27 of Fig. 2.7"};

/// A digit of a label: `bits` bits from bit `shift` on.
struct Digit {
  int shift, bits;
  Index values() const { return Index(1) << bits; }
  Index operator()(u32 label) const { return Index(label >> shift) & (values() - 1); }
};

/// A sort by the top bits of labels: `bits` of them from bit `offset` on, `digit_bits` in a pass.
struct PartialSort {
  int offset, bits, digit_bits;

  /// Labels below m have ceil(log2 m) bits, and the sort goes by no more than these.
  PartialSort(const Queue& queue, Index m, int most_digit_bits) : digit_bits(most_digit_bits) {
    const int all = bits_of(m);
    const bool sorts = m >= Index(1) << queue.parameter("threshold_log2");
    const int asked = int(queue.parameter("sort_bits"));
    bits = std::min(all, asked > 0 ? asked : sorts ? all - 18 : 0);
    offset = all - bits;
  }
  int passes() const { return int(ceil_div(bits, digit_bits)); }
  /// The last pass has the bits that are left, which may be fewer.
  Digit digit(int pass) const {
    const int first = pass * digit_bits;
    return {offset + first, std::min(digit_bits, bits - first)};
  }
};

/// places[d]: where the first input with digit d comes to lie (getOffsets of Alg. 2.4).
[[REDBENCH_AS_WRITTEN]] inline void find_places(const u32* labels, Index n, Digit digit, Index* places) {
  std::fill(places, places + digit.values(), Index(0));
  for (Index i = 0; i < n; ++i) ++places[digit(labels[i])];
  Index sum = 0;
  for (Index d = 0; d < digit.values(); ++d) {
    const Index count = places[d];
    places[d] = sum;
    sum += count;
  }
}

/// Calls move(i, label, place) for each input in order (radix of Alg. 2.4). Advances the places.
template <class Move>
[[REDBENCH_AS_WRITTEN]] void place_by_digit(const u32* labels, Index n, Digit digit, Index* places,
                                            const Move move) {
  for (Index i = 0; i < n; ++i) {
    const u32 label = labels[i];
    move(i, label, places[digit(label)]++);
  }
}

/// The memory that passes write by turns: none for no pass, one set for one, two for more.
template <class T>
struct SortScratch {
  SortScratch(Queue& queue, const PartialSort& sort, Index n) {
    for (int turn = 0; turn < std::min(sort.passes(), 2); ++turn) {
      labels[turn] = queue.scratch<u32>(n);
      values[turn] = queue.scratch<T>(n);
    }
    if (sort.passes() > 0) places = queue.scratch<Index>(Index(1) << sort.digit_bits);
  }
  u32* labels[2] = {};
  T* values[2] = {};
  Index* places = nullptr;
};

/// Returns the sorted inputs, which are in scratch memory, or the inputs themselves where there is no pass.
template <class T>
LabelledValues<T> partial_radix_sort(const PartialSort& sort, LabelledValues<T> inputs, Index n,
                                     const SortScratch<T>& scratch) {
  for (int pass = 0; pass < sort.passes(); ++pass) {
    u32* const labels = scratch.labels[pass % 2];
    T* const values = scratch.values[pass % 2];
    const Digit digit = sort.digit(pass);
    find_places(inputs.labels, n, digit, scratch.places);
    place_by_digit(inputs.labels, n, digit, scratch.places,
                   [labels, values, from = inputs.values](Index i, u32 label, Index place) {
                     labels[place] = label;
                     values[place] = from[i];
                   });
    inputs = {labels, values};
  }
  return inputs;
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
