// What `right` takes for "no value here": said once more than in kernels/operators.hpp, so that the two can
// disagree.
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
