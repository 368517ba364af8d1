// reduce: values[n] -> one value, the reduction of all in input order; n = 0 gives the identity. A sum may be
// of another type than the values (SumIn), whose values are then of Op::Value, and the result of Op::Result.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

template <class Op>
struct Reduce {
  using Value = typename Op::Value;
  explicit Reduce(const Operands& operands)
      : values(static_cast<const Value*>(operands.values)),
        n(operands.n),
        result(static_cast<typename Op::Result*>(operands.result)) {}
  const Value* values;
  Index n;
  typename Op::Result* result;

  double input_bytes() const { return double(n) * sizeof(Value); }
};
using ReducePairs = AllPairs;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
