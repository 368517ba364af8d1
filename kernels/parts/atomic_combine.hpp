// *address = op(*address, value) in one indivisible step, for a commutative operator.
#pragma once

#include <bit>

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

namespace detail {

/// An unsigned integer of as many bytes.
template <class T>
using AtomicBits = std::conditional_t<sizeof(T) == 2, unsigned short,
                                      std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>>;

/// Compare and swap until nobody came between. It starts from the guess that *address is still the identity,
/// so there is no plain read beside other blocks' atomics.
template <class Op>
__device__ void atomic_by_swap(typename Op::Value* address, typename Op::Value value) {
  using T = typename Op::Value;
  using Bits = AtomicBits<T>;
  Bits expected = std::bit_cast<Bits>(Op::identity());
  while (true) {
    const Bits desired = std::bit_cast<Bits>(Op()(std::bit_cast<T>(expected), value));
    const Bits found = atomicCAS(reinterpret_cast<Bits*>(address), expected, desired);
    if (found == expected) return;
    expected = found;
  }
}

/// The type in which CUDA's integer atomics take T: 64-bit integers are `long long` there.
template <class T>
using AtomicInteger =
    std::conditional_t<sizeof(T) == 4, T,
                       std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>;

template <class T>
__device__ void atomic_sum(T* address, T value) {
  if constexpr (is_complex<T>) {
    atomic_sum(&address->re, value.re);
    atomic_sum(&address->im, value.im);
  } else if constexpr (std::is_integral_v<T>) {
    using Unsigned = AtomicInteger<std::make_unsigned_t<T>>;
    atomicAdd(reinterpret_cast<Unsigned*>(address), Unsigned(value));
  } else {
    atomicAdd(address, value);
  }
}

}  // namespace detail

/// Empty where atomic_combine<Op> can be had.
template <class Op>
constexpr std::string_view no_atomic_combine() {
  if (traits_of(Op::name).atomic != Atomic::add && sizeof(typename Op::Value) > 8)
    return "needs an atomic update of a 16-byte value, which the device does not have";
  return {};
}

/// Native where the hardware has the operation: sums (a complex sum is two), min and max of integers. By
/// compare and swap for the others, 2, 4 or 8 bytes.
template <class Op>
__device__ void atomic_combine(typename Op::Value* address, typename Op::Value value) {
  using T = typename Op::Value;
  static_assert(Op::commutative && no_atomic_combine<Op>().empty());
  constexpr Atomic native = traits_of(Op::name).atomic;
  if constexpr (native == Atomic::add) {
    detail::atomic_sum(address, value);
  } else if constexpr (std::is_integral_v<T> && (native == Atomic::min || native == Atomic::max)) {
    using Integer = detail::AtomicInteger<T>;
    auto* const target = reinterpret_cast<Integer*>(address);
    if constexpr (native == Atomic::min) atomicMin(target, Integer(value));
    else atomicMax(target, Integer(value));
  } else {
    detail::atomic_by_swap<Op>(address, value);
  }
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
