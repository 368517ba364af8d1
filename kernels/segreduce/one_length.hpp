// Segreduce for variants that take the length of all segments in place of owners or offsets.
#pragma once

#include "kernels/segreduce/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Operands::form where all segments are given by offsets and have one length, at least 1.
inline constexpr int one_length_form = 2;

template <class Op>
struct SegReduceOfOneLength : SegReduce<Op> {
  explicit SegReduceOfOneLength(const Operands& operands)
      : SegReduce<Op>(operands), length(operands.form == one_length_form ? operands.n / operands.m : 0) {}
  Index length;  // of each segment; 0 where they differ, are empty, or are given by owners

  void needs_one_length(const Queue& queue) const {
    this->needs_offsets(queue);
    if (length == 0) queue.refuse("needs segments that all have one length, of at least one value");
  }
};
using SegReduceOfOneLengthPairs = SegReducePairs;

}  // namespace REDBENCH_TARGET
}  // namespace redbench
