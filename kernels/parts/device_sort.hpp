// Device-wide primitives that the thesis takes from libraries: on a GPU a call of CUB, on the modelled device
// a plain loop on the CPU, so that the kernels of a variant can run there.
#pragma once

#if defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#endif

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/parts/labelled_values.hpp"
#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

namespace detail {

/// The word that a sort moves for a value: CUB's sort is built for two sizes, not for each type.
template <class T>
using Moved = std::conditional_t<sizeof(T) == 4, u32, u64>;

#if defined(__CUDACC__)
template <class T>
void sort_pairs(Queue& queue, LabelledValues<T> in, u32* labels, T* values, Index n, int first_bit,
                int end_bit) {
  queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
    return int(::cub::DeviceRadixSort::SortPairs(
        temporary, bytes, in.labels, labels, reinterpret_cast<const Moved<T>*>(in.values),
        reinterpret_cast<Moved<T>*>(values), n, first_bit, end_bit, static_cast<cudaStream_t>(stream)));
  });
}
#else
template <class T>
void sort_pairs(Queue& queue, LabelledValues<T> in, u32* labels, T* values, Index n, int first_bit,
                int end_bit) {
  const auto sort = [=] {
    const std::uint64_t mask = (std::uint64_t(1) << end_bit) - 1;
    const auto digits = [&](Index i) { return (in.labels[i] & mask) >> first_bit; };
    std::vector<Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index(0));
    std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return digits(i) < digits(j); });
    for (Index i = 0; i < n; ++i) {
      labels[i] = in.labels[order[std::size_t(i)]];
      values[i] = in.values[order[std::size_t(i)]];
    }
  };
  queue.on_host(sort);
}
#endif

}  // namespace detail

/// The pairs in the order of bits first_bit, ..., end_bit - 1 of their labels, stable: the input itself where
/// there are no such bits, or nothing to sort. The thesis sorts with SRTS sort, five bits a pass; CUB has
/// other digits, so its time has its steps at other numbers of bits.
template <class T>
LabelledValues<T> stable_sort(Queue& queue, LabelledValues<T> in, Index n, int first_bit, int end_bit) {
  if (n == 0 || first_bit >= end_bit) return in;
  u32* const labels = queue.scratch<u32>(n);
  T* const values = queue.scratch<T>(n);
  detail::sort_pairs(queue, in, labels, values, n, first_bit, end_bit);
  return {labels, values};
}

/// stable_sort by the top `sort_bits` bits of labels below m, or by all bits where they have no more.
template <class T>
LabelledValues<T> sort_by_top_bits(Queue& queue, LabelledValues<T> in, Index n, Index m, Index sort_bits) {
  const int bits = bits_of(m);
  return stable_sort(queue, in, n, std::max(0, bits - int(sort_bits)), bits);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
