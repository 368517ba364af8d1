// Why a claim has its verdict: a sentence made from the numbers.
#pragma once

#include <string>
#include <vector>

#include "src/claims/answer.hpp"

namespace redbench {

/// "1.064 (1.061 to 1.067)"; empty where there is no number.
std::string number_text(const ClaimPart& part);

/// Of the parts of each test: where the claim fails those that do, where it is undecided what keeps it, else
/// the number of each test that is nearest to its bound.
std::string why_of(Answered verdict, const std::vector<std::vector<ClaimPart>>& by_test);

}  // namespace redbench
