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

enum class ClaimVerdict : std::uint8_t { holds, in_part, fails, undecided, not_measured };
inline constexpr std::array<std::string_view, 5> answer_names{"holds", "holds in part", "does not hold",
                                                              "undecided", "not measured"};
inline constexpr std::string_view name_of(ClaimVerdict verdict) { return answer_names[std::size_t(verdict)]; }

/// A number that a test compares with its bounds. It never holds in part.
struct ClaimPart {
  std::string test;                        // its test's name
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
  bool is_modelled = false;          // a count of the modelled device
};

/// A sentence of the claim.
struct AnsweredTest {
  std::string name;
  ClaimVerdict verdict = ClaimVerdict::undecided;
  std::string why;  // its decisive number
  bool decides = true;
};

struct ClaimAnswer {
  const Claim* claim = nullptr;
  ClaimVerdict verdict = ClaimVerdict::undecided;
  std::string why;  // one sentence, with the decisive number
  std::vector<AnsweredTest> tests;
  std::vector<ClaimPart> parts;      // of all tests
  std::vector<std::string> missing;  // configs that no usable record is of, as paths

  /// Largest least difference of its parts, in percent; none without a self-test.
  std::optional<double> smallest_difference_percent() const;
  /// Whether a count of the modelled device decides.
  bool is_modelled() const;
};

/// A test holds where every deciding part does, fails where one fails, else is undecided; undecided, too: a
/// test without parts, and a part whose records are missing, stale or have not passed. A claim likewise, by
/// its tests, but that it holds in part where one fails and another holds, and is not measured where there is no
/// run of any config that a deciding test reads.
ClaimAnswer answer(const Claim& claim, const Evidence& evidence);
std::vector<ClaimAnswer> answer_all(const std::vector<Claim>& claims, const Evidence& evidence);

/// Why a test has its verdict: of parts that fail the one furthest from its bound, of parts that are undecided
/// the first with its reason, of parts that hold the nearest to its bound.
std::string why_of(ClaimVerdict verdict, const std::vector<ClaimPart>& parts);
/// Why a claim has its verdict, by the tests that have it. One that holds in part names all of its tests.
std::string why_of(ClaimVerdict verdict, const std::vector<AnsweredTest>& tests);

/// The answers that the runs of one GPU give.
struct GpuAnswers {
  std::string gpu;  // empty where no other is asked
  Evidence evidence;
  std::vector<ClaimAnswer> answers;
};

/// "9 hold, 1 hold in part, 3 do not hold, 2 undecided, 1 not measured; by a model's counts: 2 hold"
/// After the GPU's name where several are asked.
std::string summary_of(const GpuAnswers& of);
/// "holds: why", or "not measured".
std::string text_of(const ClaimAnswer& answer);
/// The least difference that counts on each hardware, as a sentence.
std::string least_difference_text(const std::vector<GpuAnswers>& gpus);

/// A section for each paper: the table with sentences and sources, and the summary. Of several GPUs a column each.
std::string markdown(const std::vector<GpuAnswers>& gpus);

/// The first GPU's answers; those of more GPUs in `others`, each with its name in `gpu`.
Json to_json(const std::vector<GpuAnswers>& gpus);

}  // namespace redbench
