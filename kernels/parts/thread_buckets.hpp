// A set of buckets in shared memory for each thread of a block (Eilers 2014, 4.3.6, Fig. 4.12): bucket l of
// thread t is at l * block + t, so that each lane has a bank of its own and nothing has to be atomic.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// This thread's set.
template <class Op>
class ThreadBuckets {
 public:
  using T = typename Op::Value;

  __device__ explicit ThreadBuckets(T* memory) : own_(memory + threadIdx.x) {}

  __device__ void clear(int m) const {
    for (int l = 0; l < m; ++l) own_[l * int(blockDim.x)] = Op::identity();
  }
  __device__ void combine(u32 label, T value) const {
    T& bucket = own_[int(label) * int(blockDim.x)];
    bucket = Op()(bucket, value);
  }
  /// As set `set` of `sets` (kernels/multireduce/bucket_sets.hpp).
  __device__ void store(int m, Index set, Index sets, T* buckets) const {
    for (int l = 0; l < m; ++l) buckets[l * sets + set] = own_[l * int(blockDim.x)];
  }

 private:
  T* own_;
};

inline constexpr Parameter thread_buckets_block{
    "block", 32, 32, 1024, Step::multiple_of_warp, "4.3.6: one warp where m is 256; no other is printed"};

/// Blocks for each multiprocessor: as the parameter says, or, where it is 0, as many as it holds at once.
inline constexpr Parameter resident_per_sm{
    "per_sm", 0, 0, 64, Step::one, "blocks for each multiprocessor, not printed; 0: all that fit"};

template <class... P>
Index resident_or_asked(const Queue& queue, void (*kernel)(P...), Index block, std::size_t shared_bytes) {
  const Index asked = queue.parameter("per_sm");
  if (asked > 0) return asked * queue.device().multiprocessors;
  return persistent_blocks(queue, kernel, int(block), shared_bytes);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
