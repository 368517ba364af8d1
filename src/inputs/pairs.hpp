// From a type and an operator, known at run time, to the operator's type.
#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/operators.hpp"

namespace redbench {

/// The pairs of a list, as the axes name them.
template <class... Ops>
std::vector<std::pair<Type, Operator>> pairs_of(OperatorList<Ops...>) {
  return {{Ops::type, Ops::name}...};
}

/// Calls f with a value of the operator's type. Throws std::logic_error for a pair that is not in AllPairs.
template <class F, class... Ops>
void with_operator(Type type, Operator op, F&& f, OperatorList<Ops...>) {
  const bool found = ((Ops::type == type && Ops::name == op && (f(Ops{}), true)) || ...);
  if (!found) throw std::logic_error("a type and operator that no reduction is built for");
}
template <class F>
void with_operator(Type type, Operator op, F&& f) {
  with_operator(type, op, std::forward<F>(f), AllPairs{});
}

/// Bytes of an element that the operator takes.
inline std::size_t element_bytes(Type type, Operator op) {
  std::size_t bytes = 0;
  with_operator(type, op, [&](auto o) { bytes = sizeof(typename decltype(o)::Value); });
  return bytes;
}

}  // namespace redbench
