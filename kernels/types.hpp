// The data types that redbench reduces.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

// REDBENCH_TARGET names the device that this translation unit is compiled for: on_cuda (nvcc),
// on_simt (g++, the modelled GPU) or on_host. Everything in kernels/ that has code lives in the inline
// namespace of that name, because one program holds the same template compiled for several devices.
#if defined(__CUDACC__)
#define REDBENCH_TARGET on_cuda
#define REDBENCH_HOST_DEVICE __host__ __device__
#elif defined(REDBENCH_ON_SIMT)
#define REDBENCH_TARGET on_simt
#define REDBENCH_HOST_DEVICE
#else
#define REDBENCH_TARGET on_host
#define REDBENCH_HOST_DEVICE
#endif

namespace redbench {

using Index = std::int64_t;

using i8 = std::int8_t;
using u8 = std::uint8_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;
/// IEEE binary16, rounded to nearest even after each operation.
#if defined(__CUDACC__)
using f16 = __half;
using bf16 = __nv_bfloat16;
#else
using f16 = _Float16;

/// bfloat16, the upper half of an f32: an operation is one of f32, rounded to nearest even. CUDA's name, so
/// that a kernel's name is the same on each device.
struct __nv_bfloat16 {
  std::uint16_t bits;
  __nv_bfloat16() = default;
  constexpr __nv_bfloat16(float value) {
    const auto word = std::bit_cast<std::uint32_t>(value);
    const bool is_nan = (word & 0x7FFFFFFF) > 0x7F800000;
    bits = std::uint16_t(is_nan ? 0x7FFF : (word + 0x7FFF + (word >> 16 & 1)) >> 16);
  }
  constexpr operator float() const { return std::bit_cast<float>(std::uint32_t(bits) << 16); }
};
using bf16 = __nv_bfloat16;
#endif

/// Complex number with trivial constructors, which __shared__ arrays need and std::complex lacks.
template <class Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real re, im;
  friend REDBENCH_HOST_DEVICE constexpr bool operator==(Complex a, Complex b) {
    return a.re == b.re && a.im == b.im;
  }
};
using c32 = Complex<float>;
using c64 = Complex<double>;

/// The map x -> ax + b over u32 with wrap-around: the element that `affine` composes.
struct alignas(8) AffineMap {
  u32 a, b;
  friend REDBENCH_HOST_DEVICE constexpr bool operator==(AffineMap x, AffineMap y) {
    return x.a == y.a && x.b == y.b;
  }
};

enum class Type : std::uint8_t { i32, i64, u32, f32, f64, c32, c64, u8, f16, i8, bf16 };

/// What a data type is, written once. There is no default: a type without traits does not compile.
///   type, name     its value of the type axis
///   npy            NumPy's code for its elements, without the byte order; empty where it has none
///   Real           the type of its components, `components` of them
///   columns        columns of a NumPy array that an element takes
///   digits         of the significand in bits; of an integer its value bits
///   min_exponent, max_exponent   of floats, as std::numeric_limits has them: 2^max_exponent overflows
///   lowest(), highest()          of Real in its order: the infinities where it has them
///   largest()                    the largest finite Real
///   low_poison, high_poison      bytes that, repeated, give a Real near the ends of its order, not a NaN
template <class T>
struct TypeTraits;

namespace traits {

template <class T>
struct IntegerTraits {
  using Real = T;
  static constexpr bool integer = true;
  static constexpr int components = 1, columns = 1;
  static constexpr int digits = std::numeric_limits<T>::digits;
  static constexpr T lowest() { return std::numeric_limits<T>::min(); }
  static constexpr T highest() { return std::numeric_limits<T>::max(); }
  static constexpr T largest() { return highest(); }
  static constexpr unsigned char low_poison = std::is_signed_v<T> ? 0x80 : 0x00;
  static constexpr unsigned char high_poison = std::is_signed_v<T> ? 0x7F : 0xFE;
};

/// A binary format of IEEE 754, whose bits are a sign, an exponent and digits - 1 of the significand.
template <class T, class AsBits, int significand_digits>
struct FloatTraits {
  using Real = T;
  using Bits = AsBits;
  static_assert(sizeof(T) == sizeof(Bits));
  static constexpr bool integer = false;
  static constexpr int components = 1, columns = 1;
  static constexpr int digits = significand_digits;
  static constexpr int exponent_bits = 8 * int(sizeof(Bits)) - digits;
  static constexpr int max_exponent = 1 << (exponent_bits - 1), min_exponent = 3 - max_exponent;
  static constexpr Bits infinity_bits = Bits(((Bits(1) << exponent_bits) - 1) << (digits - 1));
  static constexpr Bits sign_bit = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  static constexpr T lowest() { return std::bit_cast<T>(Bits(infinity_bits | sign_bit)); }
  static constexpr T highest() { return std::bit_cast<T>(infinity_bits); }
  static constexpr T largest() { return std::bit_cast<T>(Bits(infinity_bits - 1)); }
  static constexpr unsigned char low_poison = 0xFE, high_poison = 0x7F;
};

}  // namespace traits

template <>
struct TypeTraits<i32> : traits::IntegerTraits<i32> {
  static constexpr Type type = Type::i32;
  static constexpr std::string_view name = "i32", npy = "i4";
};
template <>
struct TypeTraits<i64> : traits::IntegerTraits<i64> {
  static constexpr Type type = Type::i64;
  static constexpr std::string_view name = "i64", npy = "i8";
};
template <>
struct TypeTraits<u32> : traits::IntegerTraits<u32> {
  static constexpr Type type = Type::u32;
  static constexpr std::string_view name = "u32", npy = "u4";
};
template <>
struct TypeTraits<u8> : traits::IntegerTraits<u8> {
  static constexpr Type type = Type::u8;
  static constexpr std::string_view name = "u8", npy = "u1";
};
template <>
struct TypeTraits<i8> : traits::IntegerTraits<i8> {
  static constexpr Type type = Type::i8;
  static constexpr std::string_view name = "i8", npy = "i1";
};
template <>
struct TypeTraits<f16> : traits::FloatTraits<f16, std::uint16_t, 11> {
  static constexpr Type type = Type::f16;
  static constexpr std::string_view name = "f16", npy = "f2";
  static constexpr unsigned char low_poison = 0xFB, high_poison = 0x7B;
};
template <>
struct TypeTraits<bf16> : traits::FloatTraits<bf16, std::uint16_t, 8> {
  static constexpr Type type = Type::bf16;
  static constexpr std::string_view name = "bf16", npy = "";
};
template <>
struct TypeTraits<f32> : traits::FloatTraits<f32, std::uint32_t, 24> {
  static constexpr Type type = Type::f32;
  static constexpr std::string_view name = "f32", npy = "f4";
};
template <>
struct TypeTraits<f64> : traits::FloatTraits<f64, std::uint64_t, 53> {
  static constexpr Type type = Type::f64;
  static constexpr std::string_view name = "f64", npy = "f8";
};
template <>
struct TypeTraits<c32> : TypeTraits<f32> {
  static constexpr Type type = Type::c32;
  static constexpr std::string_view name = "c32", npy = "c8";
  static constexpr int components = 2;
};
template <>
struct TypeTraits<c64> : TypeTraits<f64> {
  static constexpr Type type = Type::c64;
  static constexpr std::string_view name = "c64", npy = "c16";
  static constexpr int components = 2;
};
/// Not a type of its own on the type axis: the elements that u32 has under `affine`.
template <>
struct TypeTraits<AffineMap> : TypeTraits<u32> {
  static constexpr std::string_view name = "pairs of u32";
  static constexpr int components = 2, columns = 2;
};

template <class... T>
struct TypeList {};
/// The values of the type axis, in the order of Type.
using DataTypes = TypeList<i32, i64, u32, f32, f64, c32, c64, u8, f16, i8, bf16>;

namespace traits {
template <class... T>
constexpr auto names_of(TypeList<T...>) {
  std::array<std::string_view, sizeof...(T)> names;
  (..., (names[std::size_t(TypeTraits<T>::type)] = TypeTraits<T>::name));
  return names;
}
}  // namespace traits

inline constexpr auto type_names = traits::names_of(DataTypes{});

inline constexpr std::string_view name_of(Type type) { return type_names[std::size_t(type)]; }

template <class T>
inline constexpr Type type_of = TypeTraits<T>::type;
template <class T>
inline constexpr bool is_complex = TypeTraits<T>::components > TypeTraits<T>::columns;

}  // namespace redbench
