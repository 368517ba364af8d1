// Verdicts on claims, from records, and what is shown of them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/claims/claim_file.hpp"
#include "src/claims/evidence.hpp"

namespace redbench {

enum class ClaimVerdict : std::uint8_t { holds, fails, undecided };
inline constexpr std::array<std::string_view, 3> answer_names{"holds", "does not hold", "undecided"};
inline constexpr std::string_view name_of(ClaimVerdict verdict) { return answer_names[std::size_t(verdict)]; }

/// A number that a test compares with its bounds.
struct ClaimPart {
  std::string what;                        // "tb2 / tb4_warp at n 16Mi"
  std::optional<double> value, low, high;  // low and high: its interval, where it has one
  std::string unit;                        // of a value that is no ratio
  Bounds bounds;
  ClaimVerdict verdict = ClaimVerdict::undecided;
  std::string why;                   // why it is undecided
  bool decides = true;               // false: it is reported and decides nothing
  std::vector<std::string> records;  // "results/h200/martin2012/fig4#key"
  double least_difference = 0;       // a smaller share does not count; 0 where the number is exact
  bool is_self_tested = false;       // least_difference is from a self-test
};

struct ClaimAnswer {
  const Claim* claim = nullptr;
  ClaimVerdict verdict = ClaimVerdict::undecided;
  std::string why;  // one sentence, with the decisive number
  std::vector<ClaimPart> parts;
  std::vector<std::string> missing;  // configs that no usable record is of, as paths

  /// Largest least difference of its parts, in percent; none without a self-test.
  std::optional<double> smallest_difference_percent() const;
};

/// Holds where every deciding part holds, fails where one fails, else is undecided. Undecided, too: a test
/// without parts, and a part whose records are missing, stale or have not passed.
ClaimAnswer answer(const Claim& claim, const Evidence& evidence);
std::vector<ClaimAnswer> answer_all(const std::vector<Claim>& claims, const Evidence& evidence);

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
