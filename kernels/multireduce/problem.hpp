// multireduce: values[n] with labels[n] below m -> m values: the reduction, in input order, of the values of
// each label; the identity for a label that does not occur.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

template <class Op>
struct Multireduce {
  using Value = typename Op::Value;
  explicit Multireduce(const Operands& operands)
      : values(static_cast<const Value*>(operands.values)),
        labels(static_cast<const u32*>(operands.labels)),
        n(operands.n),
        m(operands.m),
        result(static_cast<Value*>(operands.result)) {}
  const Value* values;  // [n]
  const u32* labels;    // [n]
  Index n, m;
  Value* result;  // [m]

  /// Bytes of the values and their labels.
  double input_bytes() const { return double(n) * (sizeof(u32) + sizeof(Value)); }
  double result_bytes() const { return double(m) * sizeof(Value); }
};
using MultireducePairs =
    OperatorList<Sum<i32>, Sum<u32>, Sum<i64>, Sum<f32>, Sum<f64>, Min<i32>, Affine, Right<i32>>;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
