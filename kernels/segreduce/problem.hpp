// segreduce: values[n], cut into m segments of neighbours -> m values, the reduction of each segment in input
// order; an empty segment gives the identity.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Segments are given by offsets or by owners: the form of the case says which of the pointers is set.
template <class Op>
struct SegReduce {
  using Value = typename Op::Value;
  explicit SegReduce(const Operands& operands)
      : values(static_cast<const Value*>(operands.values)),
        owners(static_cast<const u32*>(operands.labels)),
        offsets(operands.offsets),
        n(operands.n),
        m(operands.m),
        by_owners(operands.form == 0),
        result(static_cast<Value*>(operands.result)) {}
  const Value* values;
  const u32* owners;     // [n]: the segment of each value, never decreasing, below m
  const Index* offsets;  // [m + 1]: where each segment starts, from 0 to n, never decreasing
  Index n, m;
  bool by_owners;
  Value* result;  // [m]

  /// For variants that take only one of the two.
  void needs_owners(const Queue& queue) const {
    if (!by_owners) queue.refuse("needs the owner of each value, the case gives offsets");
  }
  void needs_offsets(const Queue& queue) const {
    if (by_owners) queue.refuse("needs the offsets of the segments, the case gives owners");
  }
};
using SegReducePairs = AllPairs;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
