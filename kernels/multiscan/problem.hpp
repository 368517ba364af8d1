// multiscan: values[n] with labels[n] below m -> n values. Result i is the reduction, in input order, of the
// values before i that have its label (exclusive: the identity where there is none), or of these and value i
// (inclusive).
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

template <class Op>
struct Multiscan {
  using Value = typename Op::Value;
  explicit Multiscan(const Operands& operands)
      : values(static_cast<const Value*>(operands.values)),
        labels(static_cast<const u32*>(operands.labels)),
        n(operands.n),
        m(operands.m),
        inclusive(operands.form == 1),
        result(static_cast<Value*>(operands.result)) {}
  const Value* values;  // [n]
  const u32* labels;    // [n]
  Index n, m;
  bool inclusive;
  Value* result;  // [n]

  /// Bytes of the values and their labels.
  double input_bytes() const { return double(n) * (sizeof(u32) + sizeof(Value)); }
  double result_bytes() const { return double(n) * sizeof(Value); }
};
using MultiscanPairs = OperatorList<Sum<i32>, Sum<u32>, Sum<f32>, Min<i32>, Right<i32>, Affine>;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
