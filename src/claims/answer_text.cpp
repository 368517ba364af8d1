// Answers in a sentence, as Markdown and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "src/claims/answer.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/tables.hpp"

namespace redbench {
namespace {

Json or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json to_json(const ClaimPart& part) {
  return {{"test", part.test},
          {"what", part.what},
          {"value", or_null(part.value)},
          {"low", or_null(part.low)},
          {"high", or_null(part.high)},
          {"unit", part.unit},
          {"bound", part.bounds.text()},
          {"verdict", name_of(part.verdict)},
          {"modelled", part.is_modelled},
          {"why", part.why},
          {"decides", part.decides},
          {"records", part.records}};
}

Json to_json(const AnsweredTest& test) {
  return {
      {"name", test.name}, {"why", test.why}, {"verdict", name_of(test.verdict)}, {"decides", test.decides}};
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

constexpr std::array all_verdicts{ClaimVerdict::holds, ClaimVerdict::in_part, ClaimVerdict::fails,
                                  ClaimVerdict::undecided, ClaimVerdict::not_measured};

std::size_t count(const std::vector<ClaimAnswer>& answers, ClaimVerdict verdict, bool is_modelled) {
  return std::size_t(std::ranges::count_if(answers, [&](const ClaimAnswer& answer) {
    return answer.verdict == verdict && answer.is_modelled() == is_modelled;
  }));
}

std::string counts_text(const std::vector<ClaimAnswer>& answers, bool is_modelled) {
  constexpr std::array<std::string_view, 5> many{"hold", "hold in part", "do not hold", "undecided",
                                                 "not measured"};
  std::vector<std::string> texts;
  for (const ClaimVerdict verdict : all_verdicts)
    if (const std::size_t number = count(answers, verdict, is_modelled); number > 0 || !is_modelled)
      texts.push_back(fmt::format("{} {}", number, many[std::size_t(verdict)]));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// "; holds: one sentence, another"
std::string names_text(const std::vector<AnsweredTest>& tests, ClaimVerdict verdict) {
  std::vector<std::string> names;
  for (const AnsweredTest& test : tests)
    if (test.decides && test.verdict == verdict && std::ranges::find(names, test.name) == names.end())
      names.push_back(test.name);
  return names.empty() ? "" : fmt::format("; {}: {}", name_of(verdict), fmt::join(names, ", "));
}

}  // namespace

std::string why_of(ClaimVerdict verdict, const std::vector<ClaimPart>& parts) {
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
  const std::string text = (decisive.test.empty() ? "" : decisive.test + ": ") + part_text(decisive);
  if (deciding == 1) return text;
  const std::string_view which = verdict == ClaimVerdict::holds   ? "nearest of {} of {} that hold"
                                 : verdict == ClaimVerdict::fails ? "furthest of {} of {} that do not hold"
                                                                  : "first of {} of {} undecided";
  return text + ", " + fmt::format(fmt::runtime(which), of_verdict.size(), deciding);
}

std::string why_of(ClaimVerdict verdict, const std::vector<AnsweredTest>& tests) {
  const bool in_part = verdict == ClaimVerdict::in_part;
  const std::size_t most = in_part ? tests.size() : 3;
  std::vector<std::string> sentences;
  for (const AnsweredTest& test : tests)
    if (test.decides && test.verdict == (in_part ? ClaimVerdict::fails : verdict) && !test.why.empty() &&
        std::ranges::find(sentences, test.why) == sentences.end())
      sentences.push_back(test.why);
  const std::size_t left = sentences.size() - std::min(sentences.size(), most);
  sentences.resize(sentences.size() - left);
  std::string text = fmt::format("{}", fmt::join(sentences, "; "));
  if (left > 0) text += fmt::format("; and {} more", left);
  if (in_part || verdict == ClaimVerdict::fails)
    text += names_text(tests, ClaimVerdict::holds) + names_text(tests, ClaimVerdict::undecided);
  for (const AnsweredTest& test : tests)
    if (!test.decides) text += "; reported: " + test.why;
  return text;
}

std::string summary_of(const GpuAnswers& of) {
  const std::string modelled = counts_text(of.answers, true);
  return of.gpu + (of.gpu.empty() ? "" : ": ") + counts_text(of.answers, false) +
         (modelled.empty() ? "" : "; by a model's counts: " + modelled);
}

std::string least_difference_text(const std::vector<GpuAnswers>& gpus) {
  std::string text;
  std::map<std::string, LeastDifference> all;
  for (const GpuAnswers& of : gpus)
    all.insert(of.evidence.least_differences().begin(), of.evidence.least_differences().end());
  for (const auto& [hardware, least] : all)
    text += fmt::format("{}: a ratio counts from {} % on within a run and from {} % on between runs ({}). ",
                        hardware, significant(100 * least.within_a_run, 2),
                        significant(100 * least.between_runs, 2), least.folder);
  return fmt::format("{}Without a self-test of the hardware it is {:g} %.", text,
                     100 * usual_least_difference);
}

std::string text_of(const ClaimAnswer& answer) {
  const std::string name(name_of(answer.verdict));
  return answer.verdict == ClaimVerdict::not_measured ? name : name + ": " + answer.why;
}

std::string markdown(const std::vector<GpuAnswers>& gpus) {
  const std::vector<ClaimAnswer>& answers = gpus[0].answers;
  const bool one = gpus.size() == 1;
  std::string text = "# Claims of the papers\n\n";
  for (const GpuAnswers& of : gpus)
    text += fmt::format("{}{}.\n", one ? "" : "- ", markdown_text(summary_of(of)));
  text += fmt::format("\n{}\n", markdown_text(least_difference_text(gpus)));
  for (std::size_t i = 0; i < answers.size();) {
    const Claim& first = *answers[i].claim;
    Table table{.columns = {{"claim", false}, {"what the paper says", false}, {"where", false}}};
    for (const GpuAnswers& of : gpus) table.columns.push_back({one ? "measured" : of.gpu, false});
    if (one) table.columns.push_back({"verdict", false});
    for (; i < answers.size() && answers[i].claim->paper == first.paper; ++i) {
      const Claim& claim = *answers[i].claim;
      std::vector<std::string>& row =
          table.rows.emplace_back(std::vector{claim.id, claim.sentence, claim.source});
      for (const GpuAnswers& of : gpus) row.push_back(one ? of.answers[i].why : text_of(of.answers[i]));
      if (one) row.emplace_back(name_of(answers[i].verdict));
    }
    text += fmt::format("\n## {}\n\n{}", markdown_text(first.title), markdown(table));
  }
  return text;
}

namespace {

Json to_json(const GpuAnswers& of) {
  const std::vector<ClaimAnswer>& answers = of.answers;
  Json json{{"schema", 1},
            {"claims", Json::array()},
            {"counts", Json::object()},
            {"counts_of_a_model", Json::object()},
            {"hardware", of.evidence.hardware()},
            {"damaged", of.evidence.damaged()}};
  for (const ClaimAnswer& answer : answers) {
    Json tests = Json::array(), parts = Json::array();
    for (const AnsweredTest& test : answer.tests) tests.push_back(to_json(test));
    for (const ClaimPart& part : answer.parts) parts.push_back(to_json(part));
    json["claims"].push_back({{"id", answer.claim->id},
                              {"paper", answer.claim->paper},
                              {"paper_title", answer.claim->title},
                              {"source", answer.claim->source},
                              {"sentence", answer.claim->sentence},
                              {"kind", answer.claim->kinds()},
                              {"why", answer.why},
                              {"verdict", name_of(answer.verdict)},
                              {"modelled", answer.is_modelled()},
                              {"tests", std::move(tests)},
                              {"parts", std::move(parts)},
                              {"smallest_difference_percent", or_null(answer.smallest_difference_percent())},
                              {"missing", answer.missing}});
  }
  for (const auto& [name, is_modelled] : {std::pair("counts", false), {"counts_of_a_model", true}})
    for (const ClaimVerdict verdict : all_verdicts)
      json[name][std::string(name_of(verdict))] = count(answers, verdict, is_modelled);
  if (!of.gpu.empty()) json["gpu"] = of.gpu;
  return json;
}

}  // namespace

Json to_json(const std::vector<GpuAnswers>& gpus) {
  Json json = to_json(gpus[0]);
  for (std::size_t i = 1; i < gpus.size(); ++i) json["others"].push_back(to_json(gpus[i]));
  return json;
}

}  // namespace redbench
