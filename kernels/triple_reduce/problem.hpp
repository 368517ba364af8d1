// triple_reduce: n triples (x, y, z) -> three values, the reduction of all x, of all y and of all z; n = 0
// gives the identity three times.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

template <class Op>
struct TripleReduce {
  using Value = typename Op::Value;
  /// Form 0: three arrays, x[n] y[n] z[n] one after the other. Form 1: n structs {x, y, z}.
  explicit TripleReduce(const Operands& operands)
      : n(operands.n), stride(operands.form == 0 ? 1 : 3), result(static_cast<Value*>(operands.result)) {
    const auto* const values = static_cast<const Value*>(operands.values);
    for (int k = 0; k < 3; ++k) component[k] = values + k * (operands.form == 0 ? n : 1);
  }
  std::array<const Value*, 3> component;  // first x, first y, first z
  Index n;
  Index stride;  // values from one x to the next
  Value* result;
};
using TripleReducePairs = AllPairs;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
