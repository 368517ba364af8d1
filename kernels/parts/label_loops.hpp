// The loops of Eilers' sequential algorithms (2014, chapter 2): one core, one input after the other.
//
// What is compared is how long a bucket is waited for, so per input there is one load of the label, one of
// the value, one of the bucket, and one store, as printed. Not inlined, so that each is one loop in a
// listing.
#pragma once

#include <cstring>

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// g++ 12 leaves these loops as they are at -O3; a newer one may not widen or unroll them either.
#define REDBENCH_AS_WRITTEN gnu::noinline, gnu::optimize("no-tree-vectorize", "no-unroll-loops")

/// The second loop of Alg. 2.2.
template <class Op, class T = typename Op::Value>
[[REDBENCH_AS_WRITTEN]] void reduce_by_label(const u32* labels, const T* values, Index n, T* buckets) {
  const Op op;
  for (Index i = 0; i < n; ++i) {
    T& bucket = buckets[labels[i]];
    bucket = op(bucket, values[i]);
  }
}

/// Zero, without the compiler's knowledge.
inline volatile u32 run_time_zero = 0;

/// The second loop of Alg. 2.2 with dependent reads: an address depends on what the bucket before held, so no
/// read begins before the last has ended (2.4, Fig. 2.8; how is not printed). The offset is always 0.
template <class Op, class T = typename Op::Value>
[[REDBENCH_AS_WRITTEN]] void reduce_by_label_dependent(const u32* labels, const T* values, Index n,
                                                       T* buckets) {
  static_assert(sizeof(T) >= sizeof(u32));
  const Op op;
  const u32 zero = run_time_zero;
  u32 offset = 0;
  for (Index i = 0; i < n; ++i) {
    T& bucket = buckets[labels[i] + offset];
    const T before = bucket;
    std::memcpy(&offset, &before, sizeof offset);
    offset &= zero;
    bucket = op(before, values[i]);
  }
}

/// Alg. 2.1.
template <class T>
[[REDBENCH_AS_WRITTEN]] void scatter_by_label(const u32* labels, const T* values, Index n, T* result) {
  for (Index i = 0; i < n; ++i) result[labels[i]] = values[i];
}

/// The gather of 2.4, which has no listing.
template <class T>
[[REDBENCH_AS_WRITTEN]] void gather_by_label(const u32* labels, const T* values, Index n, T* result) {
  for (Index i = 0; i < n; ++i) result[i] = values[labels[i]];
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
