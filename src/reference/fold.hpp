// The exact reduction of lists, slow and wide: what the references of the problems are made from.
#pragma once

#include <vector>

#include "src/inputs/problem.hpp"

namespace redbench {

/// Elements first[0], first[stride], ..., n of them.
struct List {
  const void* first;
  Index n;
  Index stride = 1;  // in elements
};

/// One result per list, each in list order. `exact`: no order of the operations rounds over these values, so
/// that the operator itself gives the answer.
Expected fold(const InputSpec& input, const std::vector<List>& lists, bool exact);

}  // namespace redbench
