// The identity of `right`. kernels/operators.hpp has it, too; the copies are independent, so that tests find
// a mistake in either.
#pragma once

#include "kernels/types.hpp"

namespace redbench {

/// The value that `right` sets aside as its identity.
template <class T>
constexpr T set_aside() {
  using Traits = TypeTraits<T>;
  if constexpr (is_complex<T>) return {Traits::lowest(), Traits::lowest()};
  else if constexpr (std::is_unsigned_v<T>) return Traits::highest();
  else return Traits::lowest();
}

}  // namespace redbench
