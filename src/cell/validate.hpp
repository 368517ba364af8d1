// Right or wrong: a result against the exact answer.
#pragma once

#include <string>

#include "src/reference/exact_answer.hpp"

namespace redbench {

struct Check {
  bool right = false;
  double error = 0;  // largest |got - expected| over the results, 0 for exact operators that agree
  double bound = 0;  // largest that rounding explains of one of them
  std::string what;  // where wrong: the first wrong result, got and expected
};

/// The results at `results`, in host memory, against a block of the answer that begins with result `first`.
/// `chain` is the longest chain of operations that the variant states (0: none, the number of each result's
/// values is assumed). A bound so wide that a zero result could pass is no check: that is reported as not
/// right.
Check check_block(const Pair& pair, const Expected& expected, const void* results, Index chain,
                  Index first = 0);

/// All results of a case, up to the first block with a wrong one.
Check check_result(const Pair& pair, ExactAnswer& answer, const void* results, Index chain);

}  // namespace redbench
