// Labels by ranges of neighbours: what a partition by the high bits of labels goes by.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Labels below m in ranges of 2^shift, a bucket each.
struct LabelRanges {
  Index m;
  int shift, count;

  __device__ u32 of(u32 label) const { return label >> shift; }
  /// What the places of a tile past n hold: a label of the bucket after the last one.
  __device__ u32 past() const { return u32(count) << shift; }
  __device__ Index first(int bucket) const { return Index(bucket) << shift; }
  __device__ Index end(int bucket) const { return min(Index(bucket + 1) << shift, m); }
};

}  // namespace REDBENCH_TARGET
}  // namespace redbench
