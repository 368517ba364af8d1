// Answers to claims for readers and for programs.
#pragma once

#include <string>
#include <vector>

#include "src/claims/answer.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// "9 hold, 3 do not hold, 2 undecided"
std::string summary_of(const std::vector<ClaimAnswer>& answers);
/// What the least difference that counts is, of each hardware, in a sentence.
std::string least_difference_text(const Evidence& evidence);

/// A section for each paper: the table with sentences and sources, and the summary.
std::string markdown(const std::vector<ClaimAnswer>& answers, const Evidence& evidence);

/// All of it, with every part and its records.
Json to_json(const std::vector<ClaimAnswer>& answers, const Evidence& evidence);

}  // namespace redbench
