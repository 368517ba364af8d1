// segscan: values[n], cut into segments of neighbours by the owner of each value -> n values. Result i
// is the reduction, in input order, of the values before i in its segment; the identity for a segment's
// first.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

template <class Op>
struct SegScan {
  using Value = typename Op::Value;
  explicit SegScan(const Operands& operands)
      : values(static_cast<const Value*>(operands.values)),
        owners(static_cast<const u32*>(operands.labels)),
        n(operands.n),
        result(static_cast<Value*>(operands.result)) {}
  const Value* values;  // [n]
  const u32* owners;    // [n], never decreasing
  Index n;
  Value* result;  // [n]

  /// Bytes of the values and their owners.
  double input_bytes() const { return double(n) * (sizeof(u32) + sizeof(Value)); }
  double result_bytes() const { return double(n) * sizeof(Value); }
};
using SegScanPairs = OperatorList<Sum<i32>, Sum<f32>, Min<i32>, Affine>;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
