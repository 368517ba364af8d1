// gather: values[m], labels[n] below m -> n values: result[i] = values[labels[i]].
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Nothing is combined: the operator stands for the type of the values alone.
template <class Op>
struct Gather {
  using Value = typename Op::Value;
  explicit Gather(const Operands& operands)
      : values(static_cast<const Value*>(operands.values)),
        labels(static_cast<const u32*>(operands.labels)),
        n(operands.n),
        m(operands.m),
        result(static_cast<Value*>(operands.result)) {}
  const Value* values;  // [m]
  const u32* labels;    // [n]
  Index n, m;
  Value* result;  // [n]

  /// Bytes of the labels, and of one value for each label.
  double input_bytes() const { return double(n) * (sizeof(u32) + sizeof(Value)); }
  double result_bytes() const { return double(n) * sizeof(Value); }
};
using GatherPairs = OperatorList<Right<i32>, Right<i64>>;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
