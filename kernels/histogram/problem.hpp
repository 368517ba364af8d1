// histogram: labels[n] below m -> m counts; a label that does not occur has a count of 0.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// There are no values: the pair's type is that of a label, and its sum is of ones.
template <class Op>
struct Histogram {
  using Label = typename Op::Value;
  explicit Histogram(const Operands& operands)
      : labels(static_cast<const Label*>(operands.labels)),
        n(operands.n),
        m(operands.m),
        result(static_cast<u32*>(operands.result)) {}
  const Label* labels;  // [n]
  Index n, m;
  u32* result;  // [m]

  double input_bytes() const { return double(n) * sizeof(Label); }
  double result_bytes() const { return double(m) * sizeof(u32); }
};
using HistogramPairs = OperatorList<Sum<u32>, Sum<u8>>;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
