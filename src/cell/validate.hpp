// Right or wrong: a result against the exact answer.
#pragma once

#include <string>

#include "src/reference/exact_answer.hpp"

namespace redbench {

struct Check {
  bool right = false;
  double error = 0;  // largest |got - expected| of all results; 0 where exact ones agree
  double bound = 0;  // largest error that rounding explains of a result
  std::string what;  // where wrong: the first wrong result, got and expected
};

/// Compares the results at `results`, in host memory, with a block of the answer that begins with result
/// `first`. `chain` is the longest chain of operations that the variant states (0: none; then the number of
/// each result's values is assumed). A bound so wide that a zero result could pass is no check, and reported
/// as not right.
Check check_block(const Pair& pair, const Expected& expected, const void* results, Index chain,
                  Index first = 0);

/// Compares all results of a case, up to the first block with a wrong one.
Check check_result(const Pair& pair, ExactAnswer& answer, const void* results, Index chain);

}  // namespace redbench
