// The exact reduction of lists, slow and wide: the reference of problems whose results are reductions of
// neighbours.
#pragma once

#include <functional>

#include "src/inputs/problem.hpp"

namespace redbench {

/// Elements first[0], first[stride], ..., n of them.
struct List {
  const void* first;
  Index n;
  Index stride = 1;  // in elements
};

/// Result i is the reduction of list(i), below `results`. `exact`: no order of the operations rounds over
/// these values.
std::unique_ptr<Reference> fold(const Pair& pair, bool exact, Index results, std::function<List(Index)> list);

}  // namespace redbench
