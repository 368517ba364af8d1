// Right or wrong: a result against the exact answer.
#pragma once

#include <string>

#include "src/inputs/problem.hpp"

namespace redbench {

struct Check {
  bool right = false;
  double error = 0;  // largest |got - expected| over the result, 0 for exact operators that agree
  double bound = 0;  // what it may be at that element
  std::string what;  // where wrong: the first wrong element, got and expected
};

/// `result` in host memory. `chain` is the longest chain of operations that the variant states (0: none, n is
/// assumed). A bound so wide that a zero result could pass is no check: that is reported as not right.
Check check_result(const InputSpec& input, const Expected& expected, const void* result, Index chain);

}  // namespace redbench
