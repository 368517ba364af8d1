// A warp's results on their way out: through shared memory, where an empty segment has the identity, so that
// they are written side by side, 16 bytes a lane.
#pragma once

#include <algorithm>

#include "kernels/parts/load_vector.hpp"
#include "kernels/segreduce/ranges.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Between two uses all slots hold the identity: who takes results away leaves it behind.
template <class Op>
struct Stage {
  using T = typename Op::Value;
  static constexpr int width = std::max(1, 16 / int(sizeof(T)));  // results of a store
  static constexpr int whole = 2048 / int(sizeof(T));
  /// Wherever in 16 bytes the first of `whole` results lies.
  static constexpr int slots = whole + width;
  static constexpr std::size_t bytes = slots * sizeof(T);
  T* memory;

  /// A slot. Vectors change places within 128 bytes, so that lanes whose slots are 32 bytes apart meet four in a
  /// bank, not eight.
  __device__ T& operator[](u32 slot) const { return memory[slot ^ (slot >> 3 & 7 * width)]; }

  __device__ void clear() const {
    for (u32 at = threadIdx.x % warp_size * width; at < slots; at += warp_size * width)
      vector(at) = identities();
    __syncwarp();
  }

  /// Writes slots `kept` to `end` to `out`, which is aligned to a vector, and clears all to `end`. The whole
  /// warp calls, between barriers.
  __device__ __forceinline__ void take(T* out, u32 kept, u32 end) const {
    const u32 lane = threadIdx.x % warp_size;
    if (end <= warp_size) {
      if (lane >= end) return;
      const T result = (*this)[lane];
      (*this)[lane] = Op::identity();
      if (lane >= kept) out[lane] = result;
      return;
    }
#pragma unroll 1
    for (u32 at = lane * width; at < end; at += warp_size * width) {
      const Vector<T, width> results = vector(at);
      vector(at) = identities();
      if (at >= kept && at + width <= end) {
        reinterpret_cast<Vector<T, width>*>(out)[at / width] = results;
      } else {
#pragma unroll
        for (int k = 0; k < width; ++k)
          if (at + k >= kept && at + k < end) out[at + k] = results.element[k];
      }
    }
  }

 private:
  __device__ Vector<T, width>& vector(u32 slot) const {
    return reinterpret_cast<Vector<T, width>&>((*this)[slot]);
  }
  static __device__ Vector<T, width> identities() {
    Vector<T, width> vector;
    for (T& element : vector.element) element = Op::identity();
    return vector;
  }
};

/// The results of segments that end in what a warp has just gone through, in its stage: the first of them is
/// segment `first` and lies in slot `shift`, so that 16 bytes of the stage are 16 bytes of the result.
template <class Op>
struct StagedResults {
  using T = typename Op::Value;
  Stage<Op> stage;
  Index first;
  u32 shift;

  __device__ StagedResults(const Stage<Op>& stage, Index first)
      : stage(stage), first(first), shift(u32(first) % Stage<Op>::width) {}

  /// Writes the results up to `end`, of which those from `begin` on, a multiple of `width`, are in the stage
  /// from its start. The first may have begun before the warp: it is the head.
  __device__ __forceinline__ void write(Range<Op>& range, T* result, u32 begin, u32 end) const {
    u32 kept = begin == 0 ? shift : 0;
    if (!range.ends()) {
      range.head = stage[kept++];
      range.ended = first < 0 ? before_all : first;
      __syncwarp();
    }
    stage.take(result + (first - shift + begin), kept, end - begin);
  }
};

}  // namespace REDBENCH_TARGET
}  // namespace redbench
