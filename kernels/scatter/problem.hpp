// scatter: values[n] with labels[n] below m -> m values: result[label] = value, the identity of `right` for a
// label that does not occur. Of the values of one label the last in the input wins, or any may.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// The operator is `right`, which says what wins: x right y = y.
template <class Op>
struct Scatter {
  using Value = typename Op::Value;
  explicit Scatter(const Operands& operands)
      : values(static_cast<const Value*>(operands.values)),
        labels(static_cast<const u32*>(operands.labels)),
        n(operands.n),
        m(operands.m),
        last_wins(operands.form == 1),
        result(static_cast<Value*>(operands.result)) {}
  const Value* values;  // [n]
  const u32* labels;    // [n]
  Index n, m;
  bool last_wins;  // else any value of a label may be its result
  Value* result;   // [m]

  /// Bytes of the values and their labels.
  double input_bytes() const { return double(n) * (sizeof(u32) + sizeof(Value)); }
  double result_bytes() const { return double(m) * sizeof(Value); }

  /// For variants whose threads write in no order (Eilers 2014, 3.2.2).
  void needs_any(const Queue& queue) const {
    if (last_wins) queue.refuse("any value of a label may win here, the case asks for the last");
  }
};
using ScatterPairs = OperatorList<Right<i32>, Right<i64>>;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
