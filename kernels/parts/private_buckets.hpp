// Buckets in a block's shared memory, updated by atomics or each by the one thread that owns it.
#pragma once

#include "kernels/parts/atomic_combine.hpp"
#include "kernels/parts/block_shuffle.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// How a bucket in shared memory takes a value in: by the one thread that owns it, by an atomic, or by two
/// atomics, one for each word of an 8-byte integer, as the hardware's are of 32 bits there.
/// No enumerators: where the name of one stands in a kernel's, tables end it at the parenthesis.
struct Update {
  static constexpr int owned = 0, atomic = 1, by_words = 2;
};

template <class Op>
inline constexpr bool sums_integers =
    traits_of(Op::name).atomic == Atomic::add && std::is_integral_v<typename Op::Value>;
/// Whether shared memory has an atomic of the hardware for it.
template <class Op>
inline constexpr bool native_in_shared =
    std::is_integral_v<typename Op::Value> && sizeof(typename Op::Value) == 4 &&
    traits_of(Op::name).atomic != Atomic::swap;
template <class Op>
inline constexpr int shared_atomic =
    sums_integers<Op> && sizeof(typename Op::Value) == 8 ? Update::by_words : Update::atomic;

/// m rows of `columns` buckets in shared memory, one for each thread or a power of two of them; a thread combines
/// into column threadIdx.x % columns.
template <class Op, int update>
struct Buckets {
  using T = typename Op::Value;
  T* memory;
  int columns, count, column;

  __device__ Buckets(T* shared, Index m, int columns)
      : memory(shared),
        columns(columns),
        count(int(m) * columns),
        column(int(threadIdx.x) & (update == Update::owned ? ~0 : columns - 1)) {}

  /// The caller's barrier follows.
  __device__ void clear() const {
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
      if constexpr (update == Update::by_words) low()[i] = high()[i] = 0;
      else memory[i] = Op::identity();
    }
  }

  __device__ __forceinline__ void combine(u32 label, T value) const {
    const u32 place = label * u32(columns) + u32(column);
    if constexpr (update == Update::owned) {
      memory[place] = Op()(memory[place], value);
    } else if constexpr (update == Update::atomic) {
      atomic_combine<Op>(&memory[place], value);
    } else {
      const u32 low_word = u32(value), before = atomicAdd(&low()[place], low_word);
      const u32 high_word = u32(std::uint64_t(value) >> 32) + (before + low_word < before);
      if (high_word != 0) atomicAdd(&high()[place], high_word);
    }
  }

  /// Of all columns. Neighbouring threads begin at different ones, so at different banks.
  __device__ T reduced(Index label) const {
    T reduction = Op::identity();
    int k = int(label) % columns;
    for (int left = columns; left > 0; --left, k = k + 1 < columns ? k + 1 : 0)
      reduction = Op()(reduction, at(int(label) * columns + k));
    return reduction;
  }

 private:
  // Words of a kind side by side, so that 32 neighbouring buckets have a bank each.
  __device__ u32* low() const { return reinterpret_cast<u32*>(memory); }
  __device__ u32* high() const { return low() + count; }
  __device__ T at(int place) const {
    if constexpr (update == Update::by_words) return T(std::uint64_t(high()[place]) << 32 | low()[place]);
    else return memory[place];
  }
};

/// 128 inputs of a warp: where their labels are all equal, one update.
template <class Op, int update>
__device__ __forceinline__ void combine_row(const Buckets<Op, update>& buckets, const u32 (&label)[4],
                                            const typename Op::Value (&value)[4]) {
  if constexpr (update != Update::owned) {
    const Op op;
    const u32 first = shuffle(full_mask, label[0], 0);
    const bool same = label[0] == first && label[1] == first && label[2] == first && label[3] == first;
    if (__all_sync(full_mask, same)) {
      const auto all = warp_reduce<Op>(op(op(value[0], value[1]), op(value[2], value[3])));
      if (threadIdx.x % warp_size == 0) buckets.combine(first, all);
      return;
    }
  }
#pragma unroll
  for (int j = 0; j < 4; ++j) buckets.combine(label[j], value[j]);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
