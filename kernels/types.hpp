// The data types that redbench reduces, and the type x operator pairs that are built.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

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

using u8 = std::uint8_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;

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

enum class Type : std::uint8_t { i32, i64, u32, f32, f64, c32, c64, u8 };
enum class Operator : std::uint8_t { sum, min, max, product, affine, right };

inline constexpr std::array<std::string_view, 8> type_names{"i32", "i64", "u32", "f32",
                                                            "f64", "c32", "c64", "u8"};
inline constexpr std::array<std::string_view, 6> operator_names{"sum",     "min",    "max",
                                                                "product", "affine", "right"};

inline constexpr std::string_view name_of(Type type) { return type_names[std::size_t(type)]; }
inline constexpr std::string_view name_of(Operator op) { return operator_names[std::size_t(op)]; }

template <class T>
inline constexpr Type type_of = Type::u8;
template <>
inline constexpr Type type_of<i32> = Type::i32;
template <>
inline constexpr Type type_of<i64> = Type::i64;
template <>
inline constexpr Type type_of<u32> = Type::u32;
template <>
inline constexpr Type type_of<f32> = Type::f32;
template <>
inline constexpr Type type_of<f64> = Type::f64;
template <>
inline constexpr Type type_of<c32> = Type::c32;
template <>
inline constexpr Type type_of<c64> = Type::c64;

template <class T>
inline constexpr bool is_complex = false;
template <class Real>
inline constexpr bool is_complex<Complex<Real>> = true;

}  // namespace redbench
