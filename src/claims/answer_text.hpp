// Answers to claims as Markdown and JSON.
#pragma once

#include <string>
#include <vector>

#include "src/claims/answer.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// "1.064 (1.061 to 1.067)"; empty without a number.
std::string number_text(const ClaimPart& part);

/// Why a claim has its verdict. For each test: of parts that fail the one furthest from its bound, of parts
/// that are undecided the first with its reason, of parts that hold the nearest to its bound.
std::string why_of(ClaimVerdict verdict, const std::vector<std::vector<ClaimPart>>& by_test);

/// "9 hold, 3 do not hold, 2 undecided"
std::string summary_of(const std::vector<ClaimAnswer>& answers);
/// The least difference that counts on each hardware, as a sentence.
std::string least_difference_text(const Evidence& evidence);

/// A section for each paper: the table with sentences and sources, and the summary.
std::string markdown(const std::vector<ClaimAnswer>& answers, const Evidence& evidence);

Json to_json(const std::vector<ClaimAnswer>& answers, const Evidence& evidence);

}  // namespace redbench
