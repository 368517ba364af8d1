// A set of buckets for each bank of shared memory (Eilers 2014, 4.3.6, Alg. 4.10): what multireduce/per_bank,
// per_bank_multipass and per_bank_sorted share. Bucket l of set s is at l * 32 + s, so that the lanes of a
// warp never meet, and warps that do are kept apart by atomics.
#pragma once

#include <algorithm>

#include "kernels/parts/atomic_combine.hpp"
#include "kernels/parts/chains.hpp"
#include "kernels/parts/contiguous_parts.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/thread_buckets.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int bank_sets = 32;
/// Labels that a block has buckets for, in the thesis: 32 kB of buckets of 4 bytes.
inline constexpr Index bank_labels = 256;

/// The labels first, ..., first + count - 1 of a block.
template <class Op>
struct BankBuckets {
  using T = typename Op::Value;
  T* memory;  // [count * bank_sets], shared
  u32 first;
  int count;

  /// The caller's barrier follows.
  __device__ void clear() const {
    for (int i = threadIdx.x; i < count * bank_sets; i += blockDim.x) memory[i] = Op::identity();
  }

  /// Combines `value` into this thread's set; with `checks`, where the label is one of the block's.
  template <bool checks>
  __device__ __forceinline__ void combine(u32 label, T value) const {
    const u32 bucket = label - first;
    if (!checks || bucket < u32(count))
      atomic_combine<Op>(memory + bucket * bank_sets + threadIdx.x % bank_sets, value);
  }

  /// Goes through inputs 0 to `inputs` - 1, two of them at once, a block apart; two equal labels make one
  /// update.
  template <bool checks>
  __device__ __forceinline__ void combine_all(const u32* labels, const T* values, int inputs) const {
    const Op op;
    const int block = blockDim.x, whole = inputs / (2 * block) * (2 * block);
    for (int i = threadIdx.x; i < whole; i += 2 * block) {
      const u32 label1 = labels[i];
      T value1 = values[i];
      const u32 label2 = labels[i + block];
      const T value2 = values[i + block];
      const bool equal = label1 == label2;
      if (equal) value1 = op(value1, value2);
      combine<checks>(label1, value1);
      if (!equal) combine<checks>(label2, value2);
    }
    for (int i = whole + threadIdx.x; i < inputs; i += block) combine<checks>(labels[i], values[i]);
  }

  /// Combines the 32 buckets of a label into result[label]: one thread per label, each from another bank on.
  /// The caller's barrier precedes.
  __device__ void add_to(T* result) const {
    const Op op;
    for (int bucket = threadIdx.x; bucket < count; bucket += blockDim.x) {
      const int start = threadIdx.x % bank_sets;
      auto reduction = Op::identity();
      int j = start;
      do {
        reduction = op(reduction, memory[bucket * bank_sets + j]);
        j = (j + 1) % bank_sets;
      } while (j != start);
      atomic_combine<Op>(&result[first + u32(bucket)], reduction);
    }
  }
};

template <class T>
constexpr std::size_t bank_bytes(Index labels) {
  return std::size_t(labels) * bank_sets * sizeof(T);
}

inline constexpr Parameter bank_factor{
    "factor", 4, 1, 32, Step::one, "Alg. 4.10: 4 threads for each label are fastest"};

/// Threads for `labels` buckets: `factor` for each, whole warps, at least one (so fewer than 8 labels have
/// more), at most 1024.
inline Index bank_threads(const Queue& queue, Index labels) {
  const Index wanted = warp_size * ceil_div(queue.parameter("factor") * labels, warp_size);
  return std::min<Index>(wanted, 1024);
}

/// Labels first, ..., first + count - 1 of a block's part of the input.
template <class Op, bool checks>
__global__ void bank_buckets_kernel(const u32* labels, const typename Op::Value* values, Index n,
                                    Index length, u32 first, int count, typename Op::Value* result) {
  using T = typename Op::Value;
  const BankBuckets<Op> buckets{dynamic_shared<T>(), first, count};
  const Index start = Index(blockIdx.x) * length;
  buckets.clear();
  __syncthreads();
  buckets.template combine_all<checks>(labels + start, values + start, part_inputs(n, length));
  __syncthreads();
  buckets.add_to(result);
}

/// One pass over the input for labels first, ..., first + count - 1; the result holds identities before the
/// first. Returns the longest chain of operations. Parameters `factor` and `per_sm`.
template <class Op, bool checks>
Index bank_pass(Queue& queue, const u32* labels, const typename Op::Value* values, Index n, Index first,
                Index count, typename Op::Value* result) {
  using T = typename Op::Value;
  const Index threads = bank_threads(queue, count);
  const auto kernel = bank_buckets_kernel<Op, checks>;
  const Index most = resident_or_asked(queue, kernel, threads, bank_bytes<T>(count));
  const Parts parts = contiguous_parts(queue, n, most, 2 * threads);
  launch(queue,
         {.blocks = parts.blocks,
          .threads = int(threads),
          .shared_bytes = bank_bytes<T>(count),
          .bytes_read = double(n) * (sizeof(u32) + sizeof(T)),
          .bytes_written = double(parts.blocks) * double(count) * sizeof(T)},
         kernel, labels, values, n, parts.length, u32(first), int(count), result);
  return bank_chain(parts.length, bank_sets, parts.blocks);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
