// The associative operators: each a monoid over its Value, with an identity that leaves any other value as
// it is. An operator type is what a variant is templated on: it says the element type, too.
#pragma once

#include <type_traits>

#include "kernels/types.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// What every operator has: Value, the type axis and the operator axis it stands for, and whether its
/// operands may be swapped. `exact`: no rounding, so that every order gives the same bits.
template <class T, Operator op, bool is_commutative, bool is_exact, Type scalar = type_of<T>>
struct OperatorBase {
  using Value = T;
  static constexpr Type type = scalar;
  static constexpr Operator name = op;
  static constexpr bool commutative = is_commutative;
  static constexpr bool exact = is_exact;
};

/// Arithmetic modulo 2^bits for integers (a signed overflow would be undefined), IEEE for the others.
template <class T>
REDBENCH_HOST_DEVICE constexpr T wrapping_sum(T x, T y) {
  if constexpr (is_complex<T>) return {x.re + y.re, x.im + y.im};
  else if constexpr (std::is_integral_v<T>) return T(std::make_unsigned_t<T>(x) + std::make_unsigned_t<T>(y));
  else return T(x + y);  // the conversion rounds where the compiler calculates in a wider type
}

template <class T>
REDBENCH_HOST_DEVICE constexpr T wrapping_product(T x, T y) {
  if constexpr (is_complex<T>) return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  else if constexpr (std::is_integral_v<T>) return T(std::make_unsigned_t<T>(x) * std::make_unsigned_t<T>(y));
  else return x * y;
}

/// Smallest and largest value of T in its order: the infinities where T has them. The constants are evaluated
/// by the compiler, as the traits have no device functions.
template <class T>
REDBENCH_HOST_DEVICE constexpr T lowest_value() {
  constexpr auto value = TypeTraits<T>::lowest();
  if constexpr (is_complex<T>) return {value, value};
  else return value;
}
template <class T>
REDBENCH_HOST_DEVICE constexpr T highest_value() {
  constexpr T value = TypeTraits<T>::highest();
  return value;
}

template <class T>
struct Sum : OperatorBase<T, Operator::sum, true, std::is_integral_v<T>> {
  static REDBENCH_HOST_DEVICE constexpr T identity() { return T{}; }
  REDBENCH_HOST_DEVICE constexpr T operator()(T x, T y) const { return wrapping_sum(x, y); }
};

template <class T>
struct Product : OperatorBase<T, Operator::product, true, std::is_integral_v<T>> {
  static REDBENCH_HOST_DEVICE constexpr T identity() {
    if constexpr (is_complex<T>) return {1, 0};
    else return T(1);
  }
  REDBENCH_HOST_DEVICE constexpr T operator()(T x, T y) const { return wrapping_product(x, y); }
};

/// The smaller and the larger of two. Of floats on a GPU CUDA's own functions, an instruction each: of a NaN
/// and a number they take the number. Elsewhere the comparison, which takes x where either is a NaN. No input
/// holds one (src/inputs/npy.hpp), and the identities are infinities.
template <class T>
REDBENCH_HOST_DEVICE constexpr T smaller(T x, T y) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, f32>) return fminf(x, y);
  else if constexpr (std::is_same_v<T, f64>) return fmin(x, y);
  else if constexpr (std::is_same_v<T, f16>) return __hmin(x, y);
  else
#endif
    return y < x ? y : x;
}

template <class T>
REDBENCH_HOST_DEVICE constexpr T larger(T x, T y) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, f32>) return fmaxf(x, y);
  else if constexpr (std::is_same_v<T, f64>) return fmax(x, y);
  else if constexpr (std::is_same_v<T, f16>) return __hmax(x, y);
  else
#endif
    return x < y ? y : x;
}

template <class T>
struct Min : OperatorBase<T, Operator::min, true, true> {
  static REDBENCH_HOST_DEVICE constexpr T identity() { return highest_value<T>(); }
  REDBENCH_HOST_DEVICE constexpr T operator()(T x, T y) const { return smaller(x, y); }
};

template <class T>
struct Max : OperatorBase<T, Operator::max, true, true> {
  static REDBENCH_HOST_DEVICE constexpr T identity() { return lowest_value<T>(); }
  REDBENCH_HOST_DEVICE constexpr T operator()(T x, T y) const { return larger(x, y); }
};

/// Composition of maps in input order: first x, then y. Associative, not commutative, exact: a wrong order
/// shows in the result.
struct Affine : OperatorBase<AffineMap, Operator::affine, false, true, Type::u32> {
  static REDBENCH_HOST_DEVICE constexpr AffineMap identity() { return {1, 0}; }
  REDBENCH_HOST_DEVICE constexpr AffineMap operator()(AffineMap x, AffineMap y) const {
    return {y.a * x.a, y.a * x.b + y.b};
  }
};

/// The later value wins. x right y = y has only left identities, so one value is set aside as the identity
/// (the lowest of the type): it stands for "no value here", and inputs must not contain it.
template <class T>
struct Right : OperatorBase<T, Operator::right, false, true> {
  static REDBENCH_HOST_DEVICE constexpr T identity() {
    if constexpr (std::is_unsigned_v<T>) return highest_value<T>();
    else return lowest_value<T>();
  }
  REDBENCH_HOST_DEVICE constexpr T operator()(T x, T y) const { return y == identity() ? x : y; }
};

template <class... Ops>
struct OperatorList {};

template <template <class> class... Op>
struct ForType {
  template <class T>
  using list = OperatorList<Op<T>...>;
};

template <class... Lists>
struct Joined;
template <class... Ops>
struct Joined<OperatorList<Ops...>> {
  using list = OperatorList<Ops...>;
};
template <class... A, class... B, class... Rest>
struct Joined<OperatorList<A...>, OperatorList<B...>, Rest...> : Joined<OperatorList<A..., B...>, Rest...> {};

/// The pairs that a reduction is built for: complex numbers have no order, so neither min nor max; a product
/// in f16 would leave its range.
using Ordered = ForType<Sum, Min, Max, Product, Right>;
using Unordered = ForType<Sum, Product, Right>;
using AllPairs = Joined<Ordered::list<i32>, Ordered::list<i64>, Ordered::list<u32>, Ordered::list<f32>,
                        Ordered::list<f64>, Unordered::list<c32>, Unordered::list<c64>, OperatorList<Affine>,
                        ForType<Sum, Min, Max>::list<f16>>::list;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
