#include "src/claims/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/tables/numbers.hpp"

namespace redbench {
namespace {

/// How far a number is from its nearest bound; parts of one test have the same.
double distance(const ClaimPart& part) {
  double nearest = INFINITY;
  for (const std::optional<double>& bound : {part.bounds.above, part.bounds.below, part.bounds.equals})
    if (bound && part.value) nearest = std::min(nearest, std::abs(*part.value - *bound));
  return nearest;
}

/// The nearest to its bound, or the furthest.
const ClaimPart& extreme(const std::vector<const ClaimPart*>& parts, bool nearest) {
  return nearest ? **std::ranges::min_element(parts, {}, [](const ClaimPart* one) { return distance(*one); })
                 : **std::ranges::max_element(parts, {}, [](const ClaimPart* one) { return distance(*one); });
}

std::string part_text(const ClaimPart& part) {
  std::string text = part.what;
  if (part.value) text += fmt::format("{}{}", text.empty() ? "" : ": ", number_text(part));
  if (part.value) text += fmt::format(", asked {}", part.bounds.text());
  if (part.verdict == Answered::undecided) text += (text.empty() ? "" : ": ") + part.why;
  return text;
}

std::string sentence_of(const std::vector<ClaimPart>& parts, Answered verdict) {
  std::vector<const ClaimPart*> of_verdict;
  std::size_t deciding = 0;
  for (const ClaimPart& part : parts) {
    deciding += part.decides;
    if (part.decides && part.verdict == verdict) of_verdict.push_back(&part);
  }
  if (of_verdict.empty()) return "";
  const ClaimPart& told =
      verdict == Answered::undecided ? *of_verdict[0] : extreme(of_verdict, verdict == Answered::holds);
  if (deciding == 1) return part_text(told);
  constexpr std::array<std::string_view, 3> words{"hold, nearest", "do not hold, furthest",
                                                  "undecided, first"};
  return fmt::format("{} of {} {} {}", of_verdict.size(), deciding, words[std::size_t(verdict)],
                     part_text(told));
}

}  // namespace

std::string number_text(const ClaimPart& part) {
  if (!part.value) return "";
  if (!part.low || !part.high) return as_printed(*part.value);
  return fmt::format("{} ({} to {})", significant(*part.value), significant(*part.low),
                     significant(*part.high));
}

std::string why_of(Answered verdict, const std::vector<std::vector<ClaimPart>>& by_test) {
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

}  // namespace redbench
