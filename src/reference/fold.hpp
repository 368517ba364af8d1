// Exact reductions of lists: the reference of problems whose results are reductions of neighbours.
#pragma once

#include <functional>

#include "src/inputs/problem.hpp"

namespace redbench {

/// The n elements first[0], first[stride], ...
struct List {
  const void* first;
  Index n;
  Index stride = 1;  // in elements
};

/// Result i, below `results`, is the reduction of list(i). `exact`: over these values no order of operations
/// rounds.
std::unique_ptr<Reference> fold(const Pair& pair, bool exact, Index results, std::function<List(Index)> list);

/// One result: the reduction of all values of inputs that come in parts.
std::unique_ptr<GrowingReference> fold_in_parts(const Pair& pair, bool exact);

}  // namespace redbench
