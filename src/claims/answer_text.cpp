#include "src/claims/answer_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/claims/why.hpp"
#include "src/printable.hpp"
#include "src/tables/numbers.hpp"

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

std::size_t count(const std::vector<ClaimAnswer>& answers, Answered verdict) {
  return std::size_t(std::ranges::count(answers, verdict, &ClaimAnswer::verdict));
}

}  // namespace

std::string summary_of(const std::vector<ClaimAnswer>& answers) {
  return fmt::format("{} hold, {} do not hold, {} undecided", count(answers, Answered::holds),
                     count(answers, Answered::fails), count(answers, Answered::undecided));
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
                                 printable(least_difference_text(evidence)));
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
    text += fmt::format("\n## {}\n\n{}", printable(first.title), markdown(table));
  }
  return text;
}

Json to_json(const std::vector<ClaimAnswer>& answers, const Evidence& evidence) {
  Json json{{"schema", 1},
            {"claims", Json::array()},
            {"counts", Json::object()},
            {"hardware", evidence.hardware()},
            {"damaged", evidence.damaged()}};
  for (const ClaimAnswer& one : answers) {
    Json parts = Json::array();
    for (const ClaimPart& part : one.parts) parts.push_back(to_json(part));
    json["claims"].push_back({{"id", one.claim->id},
                              {"paper", one.claim->paper},
                              {"paper_title", one.claim->title},
                              {"source", one.claim->source},
                              {"sentence", one.claim->sentence},
                              {"kind", one.claim->kinds()},
                              {"verdict", name_of(one.verdict)},
                              {"why", one.why},
                              {"parts", std::move(parts)},
                              {"smallest_difference_percent", or_null(one.smallest_difference_percent())},
                              {"missing", one.missing}});
  }
  for (const Answered verdict : {Answered::holds, Answered::fails, Answered::undecided})
    json["counts"][std::string(name_of(verdict))] = count(answers, verdict);
  return json;
}

}  // namespace redbench
