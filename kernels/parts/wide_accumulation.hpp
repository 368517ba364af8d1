// The operator that a loop on the CPU accumulates with: in double precision where the values are of less, so
// that the rounding of a long chain can be told from a wrong answer.
#pragma once

#include <type_traits>

#include "kernels/parts/chains.hpp"
#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

template <class T>
inline constexpr bool widened = !TypeTraits<T>::integer && TypeTraits<T>::digits < TypeTraits<f64>::digits;
template <class T>
using WideValue = std::conditional_t<widened<T>, std::conditional_t<is_complex<T>, c64, f64>, T>;

template <class Op>
struct WideOperator {
  using type = Op;
};
template <class T>
struct WideOperator<Sum<T>> {
  using type = Sum<WideValue<T>>;
};
template <class T>
struct WideOperator<Product<T>> {
  using type = Product<WideValue<T>>;
};

template <class To, class From>
constexpr To convert(From value) {
  if constexpr (is_complex<From>) return {decltype(To{}.re)(value.re), decltype(To{}.im)(value.im)};
  else return To(value);
}

/// Reduction of in[0], in[stride], ... in[(count - 1) stride], one after the other; the wide type is kept, so
/// that chunks can be joined.
template <class Op>
typename WideOperator<Op>::type::Value wide_reduce(const typename Op::Value* in, Index count,
                                                   Index stride = 1) {
  using Wide = typename WideOperator<Op>::type;
  auto reduction = Wide::identity();
  for (Index i = 0; i < count; ++i)
    reduction = Wide()(reduction, convert<typename Wide::Value>(in[i * stride]));
  return reduction;
}

/// Chain of `length` operations of wide_reduce, in roundings of Op's own type.
template <class Op>
constexpr Index wide_chain(Index length) {
  using Wide = typename WideOperator<Op>::type;
  return wider_chain(length,
                     TypeTraits<typename Wide::Value>::digits - TypeTraits<typename Op::Value>::digits);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
