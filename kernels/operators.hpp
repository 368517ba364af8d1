// The associative operators: each a monoid over its Value, with an identity that leaves any other value as
// it is. An operator type is what a variant is templated on: it says the element type, too.
#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "kernels/types.hpp"

namespace redbench {

enum class Operator : std::uint8_t { sum, min, max, product, affine, right };

/// The floating-point arithmetic that an operator consists of, which says how it rounds. A rounded addition
/// changes the result by one operation's share at most; every rounding of a product reaches the result.
enum class Arithmetic : std::uint8_t { none, addition, multiplication };

/// Whether the result is one of the values, and which: the smallest or largest, or the one at a place.
enum class Selects : std::uint8_t { nothing, by_size, by_place };

/// The hardware's atomic update of an integer; `swap`: there is none, so a loop of compare and swap.
enum class Atomic : std::uint8_t { swap, add, min, max };

/// What the program knows of an operator, a row each. Its function and its identity are the types below.
struct OperatorTraits {
  std::string_view name;
  bool commutative = true;
  Arithmetic arithmetic = Arithmetic::none;
  Selects selects = Selects::nothing;
  bool low_wins = false;  // the lowest value decides the result, not the highest
  Atomic atomic = Atomic::swap;
};

/// In the order of Operator.
inline constexpr std::array operator_traits{
    OperatorTraits{.name = "sum", .arithmetic = Arithmetic::addition, .atomic = Atomic::add},
    OperatorTraits{.name = "min", .selects = Selects::by_size, .low_wins = true, .atomic = Atomic::min},
    OperatorTraits{.name = "max", .selects = Selects::by_size, .atomic = Atomic::max},
    OperatorTraits{.name = "product", .arithmetic = Arithmetic::multiplication},
    OperatorTraits{.name = "affine", .commutative = false},
    OperatorTraits{.name = "right", .commutative = false, .selects = Selects::by_place}};

constexpr const OperatorTraits& traits_of(Operator op) { return operator_traits[std::size_t(op)]; }
inline constexpr std::string_view name_of(Operator op) { return traits_of(op).name; }

inline constexpr auto operator_names = [] {
  std::array<std::string_view, operator_traits.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = operator_traits[i].name;
  return names;
}();

inline namespace REDBENCH_TARGET {

/// What every operator has: Value, Result, which is another in SumIn alone, and the type axis and the operator
/// axis that it stands for. `exact`: no rounding, so that every order gives the same bits.
template <class T, Operator op, Type scalar = type_of<T>>
struct OperatorBase {
  using Value = T;
  using Result = T;
  static constexpr Type type = scalar;
  static constexpr Operator name = op;
  static constexpr bool commutative = traits_of(op).commutative;
  static constexpr bool exact = traits_of(op).arithmetic == Arithmetic::none || std::is_integral_v<T>;
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
struct Sum : OperatorBase<T, Operator::sum> {
  static REDBENCH_HOST_DEVICE constexpr T identity() { return T{}; }
  REDBENCH_HOST_DEVICE constexpr T operator()(T x, T y) const { return wrapping_sum(x, y); }
};

/// The sum of values of T in type A, which is its result's: the axis `accumulator`.
template <class T, class A>
struct SumIn : Sum<T> {
  using Result = A;
  static constexpr bool exact = Sum<A>::exact;
};

/// The operator on results: of SumIn<T, A> Sum<A>.
template <class Op>
struct OnResultsOf {
  using type = Op;
};
template <class T, class A>
struct OnResultsOf<SumIn<T, A>> {
  using type = Sum<A>;
};
template <class Op>
using OnResults = typename OnResultsOf<Op>::type;

/// The sum of a type's values in 32 bits where they have fewer, else Op.
template <class Op>
struct AccumulatingOf {
  using type = Op;
};
template <>
struct AccumulatingOf<Sum<u8>> {
  using type = SumIn<u8, u32>;
};
template <>
struct AccumulatingOf<Sum<i8>> {
  using type = SumIn<i8, i32>;
};
template <>
struct AccumulatingOf<Sum<f16>> {
  using type = SumIn<f16, f32>;
};
template <>
struct AccumulatingOf<Sum<bf16>> {
  using type = SumIn<bf16, f32>;
};

template <class T>
struct Product : OperatorBase<T, Operator::product> {
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
  else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) return __hmin(x, y);
  else
#endif
    return y < x ? y : x;
}

template <class T>
REDBENCH_HOST_DEVICE constexpr T larger(T x, T y) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, f32>) return fmaxf(x, y);
  else if constexpr (std::is_same_v<T, f64>) return fmax(x, y);
  else if constexpr (std::is_same_v<T, f16> || std::is_same_v<T, bf16>) return __hmax(x, y);
  else
#endif
    return x < y ? y : x;
}

template <class T>
struct Min : OperatorBase<T, Operator::min> {
  static REDBENCH_HOST_DEVICE constexpr T identity() { return highest_value<T>(); }
  REDBENCH_HOST_DEVICE constexpr T operator()(T x, T y) const { return smaller(x, y); }
};

template <class T>
struct Max : OperatorBase<T, Operator::max> {
  static REDBENCH_HOST_DEVICE constexpr T identity() { return lowest_value<T>(); }
  REDBENCH_HOST_DEVICE constexpr T operator()(T x, T y) const { return larger(x, y); }
};

/// Composition of maps in input order: first x, then y. Associative, not commutative, exact: a wrong order
/// shows in the result.
struct Affine : OperatorBase<AffineMap, Operator::affine, Type::u32> {
  static REDBENCH_HOST_DEVICE constexpr AffineMap identity() { return {1, 0}; }
  REDBENCH_HOST_DEVICE constexpr AffineMap operator()(AffineMap x, AffineMap y) const {
    return {y.a * x.a, y.a * x.b + y.b};
  }
};

/// The later value wins. x right y = y has only left identities, so one value is set aside as the identity
/// (the lowest of the type): it stands for "no value here", and inputs must not contain it.
template <class T>
struct Right : OperatorBase<T, Operator::right> {
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

/// Those that variants take whose card says `narrow`.
using NarrowPairs = Joined<ForType<Sum, Min, Max>::list<u8>, ForType<Sum, Min, Max>::list<i8>,
                           ForType<Sum, Min, Max>::list<bf16>>::list;
using AccumulatingPairs = OperatorList<SumIn<u8, u32>, SumIn<i8, i32>, SumIn<f16, f32>, SumIn<bf16, f32>>;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
