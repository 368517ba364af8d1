// Whether records bear a claim out.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/claims/claim.hpp"
#include "src/claims/evidence.hpp"

namespace redbench {

enum class Answered : std::uint8_t { holds, fails, undecided };
inline constexpr std::array<std::string_view, 3> answer_names{"holds", "does not hold", "undecided"};
inline constexpr std::string_view name_of(Answered verdict) { return answer_names[std::size_t(verdict)]; }

/// One number that a test holds against its bounds.
struct ClaimPart {
  std::string what;                        // "tb2 / tb4_warp at n 16Mi"
  std::optional<double> value, low, high;  // low and high: its interval, where it has one
  std::string unit;                        // of a value that is no ratio
  Bounds bounds;
  Answered verdict = Answered::undecided;
  std::string why;                   // it is undecided
  bool decides = true;               // else it is reported alone
  std::vector<std::string> records;  // "results/h200/martin2012/fig4#key"
  double least_difference = 0;       // that counted, as a share; 0 where the number is exact
  bool is_self_tested = false;       // that is of a self-test
};

struct ClaimAnswer {
  const Claim* claim = nullptr;
  Answered verdict = Answered::undecided;
  std::string why;  // a sentence from the numbers
  std::vector<ClaimPart> parts;
  std::vector<std::string> missing;  // configs that no usable record is of, as paths

  /// The largest of its parts, in percent; none where none is of a self-test.
  std::optional<double> smallest_difference_percent() const;
};

/// Holds where every part that decides does, does not where one does not, else undecided. A test without a
/// part is undecided, and so is a part whose records are missing, stale or have not passed.
ClaimAnswer answer(const Claim& claim, const Evidence& evidence);
std::vector<ClaimAnswer> answer_all(const std::vector<Claim>& claims, const Evidence& evidence);

/// Of one test, in the order of its cases.
struct TestAnswer {
  std::vector<ClaimPart> parts;
  std::vector<std::string> missing;
};
TestAnswer answer_test(const ClaimTest& test, const Evidence& evidence);

}  // namespace redbench
