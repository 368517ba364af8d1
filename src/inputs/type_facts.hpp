// What the harness knows of a data type at run time: kernels/types.hpp's traits as data.
#pragma once

#include <span>
#include <string>

#include "kernels/types.hpp"

namespace redbench {

/// A type of elements in memory. `index` is that of an element in an array; for `component`, that of a
/// component.
struct TypeFacts {
  Type type;              // its value of the type axis
  std::string_view name;  // "c32"; of the elements of `affine` "pairs of u32"
  std::string_view npy;
  std::size_t bytes, component_bytes;
  int components, columns;
  bool integer;
  int digits;
  double unit;     // unit roundoff, the relative error of one operation; 0 for integers
  double largest;  // finite value of a component
  unsigned char low_poison, high_poison;
  std::string (*text)(const void* value);
  double (*component)(const void* values, std::size_t index);
  Index (*whole)(const void* values, std::size_t index);  // null for floats
  /// Number of the first element that has a NaN or an infinity; `count` where there is none.
  Index (*first_not_finite)(const void* values, Index count);
};

/// All types, in the order of Type.
std::span<const TypeFacts> all_types();
const TypeFacts& facts_of(Type type);

/// The elements that `affine` takes.
const TypeFacts& facts_of_maps();

template <class T>
const TypeFacts& facts_of() {
  if constexpr (std::is_same_v<T, AffineMap>) return facts_of_maps();
  else return facts_of(TypeTraits<T>::type);
}

/// The value that `right` sets aside as its identity. kernels/operators.hpp has it, too; the copies are
/// independent, so that tests find a mistake in either.
template <class T>
constexpr T set_aside() {
  using Traits = TypeTraits<T>;
  if constexpr (is_complex<T>) return {Traits::lowest(), Traits::lowest()};
  else if constexpr (std::is_unsigned_v<T>) return Traits::highest();
  else return Traits::lowest();
}

}  // namespace redbench
