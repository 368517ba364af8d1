// Checks of the values of a user's file, by their C++ type (src/reference/pairs.hpp).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/error.hpp"
#include "src/inputs/distributions.hpp"

namespace redbench {
namespace rules {

/// Throws where some order of a product of the values could overflow or lose bits to underflow.
template <class T>
void check_product_range(const T* values, Index count, const std::string& path) {
  using Traits = TypeTraits<T>;
  double up = 0, down = 0;  // log2 of the product of all that are larger, smaller than 1
#pragma omp parallel for reduction(+ : up, down)
  for (Index i = 0; i < count; ++i) {
    double size;
    if constexpr (is_complex<T>) size = std::hypot(double(values[i].re), double(values[i].im));
    else size = std::abs(double(values[i]));
    if (size > 1) up += std::log2(size);
    if (size > 0 && size < 1) down += std::log2(size);
  }
  // One bit for a complex product's own sums; underflow must stay below the last bit of the product.
  if (up + 1 > Traits::max_exponent || down < Traits::min_exponent + Traits::digits)
    throw UsageError(
        fmt::format("{}: a product of these values may leave the range of {} on the way, so that no order "
                    "gives an answer to check against",
                    path, Traits::name));
}

template <class T>
void check_none_set_aside(const T* values, Index count, const std::string& path) {
  const T* const found = std::find(values, values + count, set_aside<T>());
  if (found != values + count)
    throw UsageError(fmt::format("{}: element {} is the value that `right` sets aside as its identity", path,
                                 found - values));
}

}  // namespace rules

/// Pair::check_file, or null.
template <Operator op, class T>
constexpr auto file_check() -> void (*)(const void*, Index, const std::string&) {
  if constexpr (rules::arithmetic<op> == Arithmetic::multiplication && !TypeTraits<T>::integer)
    return [](const void* values, Index count, const std::string& path) {
      rules::check_product_range(static_cast<const T*>(values), count, path);
    };
  else if constexpr (rules::selects<op> == Selects::by_place)
    return [](const void* values, Index count, const std::string& path) {
      rules::check_none_set_aside(static_cast<const T*>(values), count, path);
    };
  else return nullptr;
}

}  // namespace redbench
