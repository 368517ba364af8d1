// Answers in a sentence, as Markdown and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/claims/answer.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/tables.hpp"

namespace redbench {
namespace {

Json or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json to_json(const ClaimPart& part) {
  return {{"what", part.what},
          {"value", or_null(part.value)},
          {"low", or_null(part.low)},
          {"high", or_null(part.high)},
          {"unit", part.unit},
          {"bound", part.bounds.text()},
          {"verdict", name_of(part.verdict)},
          {"why", part.why},
          {"decides", part.decides},
          {"records", part.records}};
}

/// Distance of a number from its nearest bound.
double distance(const ClaimPart& part) {
  double nearest = INFINITY;
  for (const std::optional<double>& bound : {part.bounds.above, part.bounds.below, part.bounds.equals})
    if (bound && part.value) nearest = std::min(nearest, std::abs(*part.value - *bound));
  return nearest;
}

/// The nearest to its bound, or the furthest.
const ClaimPart& extreme(const std::vector<const ClaimPart*>& parts, bool nearest) {
  return nearest
             ? **std::ranges::min_element(parts, {}, [](const ClaimPart* part) { return distance(*part); })
             : **std::ranges::max_element(parts, {}, [](const ClaimPart* part) { return distance(*part); });
}

/// "1.064 (1.061 to 1.067)"
std::string number_text(const ClaimPart& part) {
  if (!part.low || !part.high) return as_printed(*part.value);
  return fmt::format("{} ({} to {})", significant(*part.value), significant(*part.low),
                     significant(*part.high));
}

std::string part_text(const ClaimPart& part) {
  std::string text = part.what;
  if (part.value) text += fmt::format("{}{}", text.empty() ? "" : ": ", number_text(part));
  if (part.value) text += fmt::format(", asked {}", part.bounds.text());
  if (part.verdict == ClaimVerdict::undecided) text += (text.empty() ? "" : ": ") + part.why;
  return text;
}

std::string sentence_of(const std::vector<ClaimPart>& parts, ClaimVerdict verdict) {
  std::vector<const ClaimPart*> of_verdict;
  std::size_t deciding = 0;
  for (const ClaimPart& part : parts) {
    deciding += part.decides;
    if (part.decides && part.verdict == verdict) of_verdict.push_back(&part);
  }
  if (of_verdict.empty()) return "";
  const ClaimPart& decisive = verdict == ClaimVerdict::undecided
                                  ? *of_verdict[0]
                                  : extreme(of_verdict, verdict == ClaimVerdict::holds);
  if (deciding == 1) return part_text(decisive);
  constexpr std::array<std::string_view, 3> words{"hold, nearest", "do not hold, furthest",
                                                  "undecided, first"};
  return fmt::format("{} of {} {} {}", of_verdict.size(), deciding, words[std::size_t(verdict)],
                     part_text(decisive));
}

std::size_t count(const std::vector<ClaimAnswer>& answers, ClaimVerdict verdict) {
  return std::size_t(std::ranges::count(answers, verdict, &ClaimAnswer::verdict));
}

}  // namespace

std::string why_of(ClaimVerdict verdict, const std::vector<std::vector<ClaimPart>>& by_test) {
  constexpr std::size_t most = 3;
  std::vector<std::string> sentences;
  for (const std::vector<ClaimPart>& parts : by_test)
    if (const std::string sentence = sentence_of(parts, verdict);
        !sentence.empty() && std::ranges::find(sentences, sentence) == sentences.end())
      sentences.push_back(sentence);
  const std::size_t left = sentences.size() - std::min(sentences.size(), most);
  sentences.resize(sentences.size() - left);
  std::string text = fmt::format("{}", fmt::join(sentences, "; "));
  return left > 0 ? fmt::format("{}; and {} more", text, left) : text;
}

std::string summary_of(const std::vector<ClaimAnswer>& answers) {
  return fmt::format("{} hold, {} do not hold, {} undecided", count(answers, ClaimVerdict::holds),
                     count(answers, ClaimVerdict::fails), count(answers, ClaimVerdict::undecided));
}

std::string least_difference_text(const Evidence& evidence) {
  std::string text;
  for (const auto& [hardware, least] : evidence.least_differences())
    text += fmt::format("{}: a ratio counts from {} % on within a run and from {} % on between runs ({}). ",
                        hardware, significant(100 * least.within_a_run, 2),
                        significant(100 * least.between_runs, 2), least.folder);
  return fmt::format("{}Without a self-test of the hardware it is {:g} %.", text,
                     100 * usual_least_difference);
}

std::string markdown(const std::vector<ClaimAnswer>& answers, const Evidence& evidence) {
  std::string text = fmt::format("# Claims of the papers\n\n{}.\n\n{}\n", summary_of(answers),
                                 markdown_text(least_difference_text(evidence)));
  for (std::size_t i = 0; i < answers.size();) {
    const Claim& first = *answers[i].claim;
    Table table{.columns = {{"claim", false},
                            {"what the paper says", false},
                            {"where", false},
                            {"verdict", false},
                            {"why", false}}};
    for (; i < answers.size() && answers[i].claim->paper == first.paper; ++i) {
      const Claim& claim = *answers[i].claim;
      table.rows.push_back(
          {claim.id, claim.sentence, claim.source, std::string(name_of(answers[i].verdict)), answers[i].why});
    }
    text += fmt::format("\n## {}\n\n{}", markdown_text(first.title), markdown(table));
  }
  return text;
}

Json to_json(const std::vector<ClaimAnswer>& answers, const Evidence& evidence) {
  Json json{{"schema", 1},
            {"claims", Json::array()},
            {"counts", Json::object()},
            {"hardware", evidence.hardware()},
            {"damaged", evidence.damaged()}};
  for (const ClaimAnswer& answer : answers) {
    Json parts = Json::array();
    for (const ClaimPart& part : answer.parts) parts.push_back(to_json(part));
    json["claims"].push_back({{"id", answer.claim->id},
                              {"paper", answer.claim->paper},
                              {"paper_title", answer.claim->title},
                              {"source", answer.claim->source},
                              {"sentence", answer.claim->sentence},
                              {"kind", answer.claim->kinds()},
                              {"verdict", name_of(answer.verdict)},
                              {"why", answer.why},
                              {"parts", std::move(parts)},
                              {"smallest_difference_percent", or_null(answer.smallest_difference_percent())},
                              {"missing", answer.missing}});
  }
  for (const ClaimVerdict verdict : {ClaimVerdict::holds, ClaimVerdict::fails, ClaimVerdict::undecided})
    json["counts"][std::string(name_of(verdict))] = count(answers, verdict);
  return json;
}

}  // namespace redbench
