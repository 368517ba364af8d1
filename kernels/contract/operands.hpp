// What a problem hands to its variants, before it has types.
#pragma once

#include "kernels/types.hpp"

namespace redbench {

/// The buffers of a cell, untyped: which are set is the problem's matter. Problem structs (kernels/<problem>/
/// problem.hpp) give them types.
struct Operands {
  const void* values = nullptr;
  const void* labels = nullptr;    // owners of segreduce, labels of the multi-problems
  const Index* offsets = nullptr;  // m + 1
  void* result = nullptr;
  Index n = 0;
  Index m = 0;   // segments, bins or labels
  int form = 0;  // the problem's own axis: arrays or structs, exclusive or inclusive, accumulating_form
};
/// Of reduce: the sum is one of SumIn.
inline constexpr int accumulating_form = 1;

}  // namespace redbench
