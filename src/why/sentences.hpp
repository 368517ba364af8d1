// The differences of a step in words: each sentence from the numbers of one of them.
#pragma once

#include <string>
#include <vector>

#include "src/why/why.hpp"

namespace redbench {

/// Of the times, the counters, then the launches of a step, in its order.
std::vector<std::string> sentences_of(const KernelStep& step);

}  // namespace redbench
