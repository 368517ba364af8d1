// CUDA's kernel language for g++, on the modelled device: what a kernel file sees instead of cuda_runtime.h.
//
// Everything with a body lives in src/simt/*.cpp, which is compiled without instrumentation: a kernel's trace
// then holds the kernel's own accesses and nothing of the model's. What is inline here passes values in
// registers only.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/types.hpp"

// All that a kernel calls becomes part of it, as under nvcc; and -fsanitize=thread does not see the memory
// that a call returns an object to.
#define __global__ __attribute__((flatten))
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(bytes) alignas(bytes)
// A block runs on one OS thread from start to end, so its static shared memory is that thread's.
#define __shared__ static thread_local

// In a program other kernels' arrays lie around a kernel's. Of a file that is compiled alone (--kernels) the heap would:
// an access past its first or last array would be nobody's. The linker puts .tdata first and .tcommon last.
#ifdef REDBENCH_ALONE
asm(".pushsection .tdata,\"awT\",@progbits; .zero 4096; .popsection;"
    ".pushsection .tcommon,\"awT\",@nobits; .zero 65536; .popsection");
#endif

namespace redbench::simt {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};

// Constant within a kernel's frame, so the compiler may call once: each lane has a stack of its own. Grids
// and blocks have one dimension.
[[gnu::const]] unsigned thread_number();
[[gnu::const]] unsigned block_number();
[[gnu::const]] unsigned block_threads();
[[gnu::const]] unsigned grid_blocks();

/// Base of the running block's dynamic shared memory.
[[gnu::const]] void* dynamic_shared_base();

enum class BlockVote : std::uint8_t { none, count, all, any };
enum class WarpOp : std::uint8_t {
  sync,
  ballot,
  all,
  any,
  match_any,
  match_all,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_min_signed,
  reduce_max_signed,
  reduce_and,
  reduce_or,
  reduce_xor
};
enum class AtomicOp : std::uint8_t {
  add,
  sub,
  min,
  max,
  exchange,
  bit_and,
  bit_or,
  bit_xor,
  increment,
  decrement
};

int block_barrier(BlockVote vote, int predicate);
/// Waits for all lanes of `mask` to call the same operation, then gives each its result. `argument` is a
/// shuffle's lane or delta, with the width in the upper half.
std::uint64_t warp_collective(WarpOp op, unsigned mask, std::uint64_t value, std::uint64_t argument = 0);
unsigned active_mask();
void barrier_sync(int id, int threads);
void barrier_arrive(int id, int threads);
void grid_barrier();
/// A memory fence changes nothing of what a thread sees here (the model is sequentially consistent between
/// switches), but the race checks follow it. The call is a point where another block may run, so that a loop
/// that waits for one ends.
void fence();

/// Instances: the element types that are numbers, and CUDA's integer types (src/simt/atomics.cpp).
template <class T>
T atomic(AtomicOp op, T* address, T value);
template <class T>
T atomic_cas(T* address, T expected, T desired);
template <class T>
void relaxed_store(T* address, T value);

}  // namespace redbench::simt

#define threadIdx (::redbench::simt::Dim3{::redbench::simt::thread_number(), 0, 0})
#define blockIdx (::redbench::simt::Dim3{::redbench::simt::block_number(), 0, 0})
#define blockDim (::redbench::simt::Dim3{::redbench::simt::block_threads(), 1, 1})
#define gridDim (::redbench::simt::Dim3{::redbench::simt::grid_blocks(), 1, 1})

namespace redbench {
inline namespace on_simt {

using dim3 = simt::Dim3;

inline constexpr int warpSize = 32;
inline constexpr int warp_size = 32;
inline constexpr unsigned full_mask = 0xffffffffu;

inline void __syncthreads() { simt::block_barrier(simt::BlockVote::none, 0); }
inline int __syncthreads_count(int predicate) {
  return simt::block_barrier(simt::BlockVote::count, predicate);
}
inline int __syncthreads_and(int predicate) { return simt::block_barrier(simt::BlockVote::all, predicate); }
inline int __syncthreads_or(int predicate) { return simt::block_barrier(simt::BlockVote::any, predicate); }
inline void __syncwarp(unsigned mask = full_mask) { simt::warp_collective(simt::WarpOp::sync, mask, 0); }
inline unsigned __activemask() { return simt::active_mask(); }
inline void __threadfence() { simt::fence(); }
inline void __threadfence_block() { simt::fence(); }
inline void __threadfence_system() { simt::fence(); }
inline void __nanosleep(unsigned) { simt::fence(); }

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return unsigned(simt::warp_collective(simt::WarpOp::ballot, mask, predicate != 0));
}
inline int __all_sync(unsigned mask, int predicate) {
  return int(simt::warp_collective(simt::WarpOp::all, mask, predicate != 0));
}
inline int __any_sync(unsigned mask, int predicate) {
  return int(simt::warp_collective(simt::WarpOp::any, mask, predicate != 0));
}

namespace detail {
/// A value of up to 8 bytes as bits and back, without touching memory that a trace would see.
template <class T>
inline std::uint64_t to_bits(T value) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8));
  if constexpr (sizeof(T) == 2) return __builtin_bit_cast(std::uint16_t, value);
  else if constexpr (sizeof(T) == 4) return __builtin_bit_cast(std::uint32_t, value);
  else return __builtin_bit_cast(std::uint64_t, value);
}
template <class T>
inline T from_bits(std::uint64_t bits) {
  if constexpr (sizeof(T) == 2) return __builtin_bit_cast(T, std::uint16_t(bits));
  else if constexpr (sizeof(T) == 4) return __builtin_bit_cast(T, std::uint32_t(bits));
  else return __builtin_bit_cast(T, bits);
}

template <class T>
inline T exchange(simt::WarpOp op, unsigned mask, T value, int argument, int width) {
  const std::uint64_t packed = std::uint32_t(argument) | std::uint64_t(width) << 32;
  if constexpr (sizeof(T) <= 8) {
    return from_bits<T>(simt::warp_collective(op, mask, to_bits(value), packed));
  } else {
    static_assert(sizeof(T) == 16, "a plain type of 2, 4, 8 or 16 bytes");
    struct Halves {
      std::uint64_t low, high;
    };
    Halves halves = __builtin_bit_cast(Halves, value);
    halves.low = simt::warp_collective(op, mask, halves.low, packed);
    halves.high = simt::warp_collective(op, mask, halves.high, packed);
    return __builtin_bit_cast(T, halves);
  }
}
}  // namespace detail

template <class T>
inline unsigned __match_any_sync(unsigned mask, T value) {
  static_assert(sizeof(T) >= 4, "CUDA's takes 4 or 8 bytes");
  return unsigned(simt::warp_collective(simt::WarpOp::match_any, mask, detail::to_bits(value)));
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* all_equal) {
  const unsigned lanes =
      unsigned(simt::warp_collective(simt::WarpOp::match_all, mask, detail::to_bits(value)));
  *all_equal = lanes != 0;
  return lanes;
}

template <class T>
inline T __shfl_sync(unsigned mask, T value, int lane, int width = warpSize) {
  return detail::exchange(simt::WarpOp::shuffle, mask, value, lane, width);
}
template <class T>
inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  return detail::exchange(simt::WarpOp::shuffle_up, mask, value, int(delta), width);
}
template <class T>
inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = warpSize) {
  return detail::exchange(simt::WarpOp::shuffle_down, mask, value, int(delta), width);
}
template <class T>
inline T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = warpSize) {
  return detail::exchange(simt::WarpOp::shuffle_xor, mask, value, lane_mask, width);
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned value) {
  return unsigned(simt::warp_collective(simt::WarpOp::reduce_add, mask, value));
}
inline int __reduce_add_sync(unsigned mask, int value) {
  return int(__reduce_add_sync(mask, unsigned(value)));
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value) {
  return unsigned(simt::warp_collective(simt::WarpOp::reduce_min, mask, value));
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value) {
  return unsigned(simt::warp_collective(simt::WarpOp::reduce_max, mask, value));
}
inline int __reduce_min_sync(unsigned mask, int value) {
  return int(simt::warp_collective(simt::WarpOp::reduce_min_signed, mask, std::uint32_t(value)));
}
inline int __reduce_max_sync(unsigned mask, int value) {
  return int(simt::warp_collective(simt::WarpOp::reduce_max_signed, mask, std::uint32_t(value)));
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value) {
  return unsigned(simt::warp_collective(simt::WarpOp::reduce_and, mask, value));
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value) {
  return unsigned(simt::warp_collective(simt::WarpOp::reduce_or, mask, value));
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value) {
  return unsigned(simt::warp_collective(simt::WarpOp::reduce_xor, mask, value));
}

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __clz(int x) { return x ? __builtin_clz(unsigned(x)) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)(x)) : 64; }
/// The dot product of four bytes with four others, added to `sum`.
template <class Byte, class T>
inline T dot_of_bytes(T x, T y, T sum) {
  for (int k = 0; k < 4; ++k) sum += T(Byte(x >> 8 * k)) * T(Byte(y >> 8 * k));
  return sum;
}
inline unsigned __dp4a(unsigned x, unsigned y, unsigned sum) { return dot_of_bytes<std::uint8_t>(x, y, sum); }
inline int __dp4a(int x, int y, int sum) { return dot_of_bytes<std::int8_t>(x, y, sum); }
template <class T>
inline T __ldg(const T* address) {
  return *address;
}
template <class T>
inline T min(T x, T y) {
  return y < x ? y : x;
}
template <class T>
inline T max(T x, T y) {
  return x < y ? y : x;
}

// The address alone says the type; the value is converted to it, as by CUDA's overloads.
template <class T>
using Same = std::type_identity_t<T>;
template <class T>
inline T atomicAdd(T* address, Same<T> value) {
  return simt::atomic(simt::AtomicOp::add, address, value);
}
template <class T>
inline T atomicSub(T* address, Same<T> value) {
  return simt::atomic(simt::AtomicOp::sub, address, value);
}
template <class T>
inline T atomicMin(T* address, Same<T> value) {
  return simt::atomic(simt::AtomicOp::min, address, value);
}
template <class T>
inline T atomicMax(T* address, Same<T> value) {
  return simt::atomic(simt::AtomicOp::max, address, value);
}
template <class T>
inline T atomicExch(T* address, Same<T> value) {
  return simt::atomic(simt::AtomicOp::exchange, address, value);
}
template <class T>
inline T atomicAnd(T* address, Same<T> value) {
  return simt::atomic(simt::AtomicOp::bit_and, address, value);
}
template <class T>
inline T atomicOr(T* address, Same<T> value) {
  return simt::atomic(simt::AtomicOp::bit_or, address, value);
}
template <class T>
inline T atomicXor(T* address, Same<T> value) {
  return simt::atomic(simt::AtomicOp::bit_xor, address, value);
}
template <class T>
inline T atomicInc(T* address, Same<T> limit) {
  return simt::atomic(simt::AtomicOp::increment, address, limit);
}
template <class T>
inline T atomicDec(T* address, Same<T> limit) {
  return simt::atomic(simt::AtomicOp::decrement, address, limit);
}
template <class T>
inline T atomicCAS(T* address, Same<T> expected, Same<T> desired) {
  return simt::atomic_cas(address, expected, desired);
}

// The names of variant.hpp that are not CUDA's own; cuda_language.hpp says what each means.
template <class T>
inline T* dynamic_shared() {
  return static_cast<T*>(simt::dynamic_shared_base());
}
template <class T>
inline T shuffle_down(unsigned mask, T value, int delta, int width = warp_size) {
  return __shfl_down_sync(mask, value, unsigned(delta), width);
}
template <class T>
inline T shuffle_up(unsigned mask, T value, int delta, int width = warp_size) {
  return __shfl_up_sync(mask, value, unsigned(delta), width);
}
template <class T>
inline T shuffle_xor(unsigned mask, T value, int lane_mask, int width = warp_size) {
  return __shfl_xor_sync(mask, value, lane_mask, width);
}
template <class T>
inline T shuffle(unsigned mask, T value, int lane, int width = warp_size) {
  return __shfl_sync(mask, value, lane, width);
}
template <class T>
inline void relaxed_store(T* address, Same<T> value) {
  simt::relaxed_store(address, value);
}
inline void named_barrier_sync(int id, int threads) { simt::barrier_sync(id, threads); }
inline void named_barrier_arrive(int id, int threads) { simt::barrier_arrive(id, threads); }
inline void grid_sync() { simt::grid_barrier(); }

}  // namespace on_simt
}  // namespace redbench
