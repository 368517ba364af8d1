// A scan of (value, flag) pairs that starts anew behind each flag: the operator that makes a segmented scan
// of a scan.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Flagged: a segment ends within the pair's range, and `value` is the reduction of what comes after the last
/// such end; else of all of the range.
template <class Op>
struct Segmented {
  using T = typename Op::Value;
  struct Value {
    T value;
    std::conditional_t<sizeof(T) == 4, u32, u64> flag;  // of the value's size: no padding
  };
  static REDBENCH_HOST_DEVICE constexpr Value identity() { return {Op::identity(), 0}; }
  REDBENCH_HOST_DEVICE constexpr Value operator()(Value x, Value y) const {
    return {y.flag ? y.value : Op()(x.value, y.value), x.flag | y.flag};
  }
};

}  // namespace REDBENCH_TARGET
}  // namespace redbench
