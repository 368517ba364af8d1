#include "src/why/sentences.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/tables/numbers.hpp"

namespace redbench {
namespace {

std::string short_name(const std::string& variant) { return variant.substr(variant.find('/') + 1); }

/// "12 345", as digits run together.
std::string grouped(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, " ");
  return digits;
}

/// A ratio of counts in words: "2.1 times as many barriers as", "27 % more barriers than".
std::string more_by(double ratio, const char* what) {
  return ratio < 2 ? fmt::format("{:.0f} % more {} than", 100 * (ratio - 1), what)
                   : fmt::format("{} times as many {} as", significant(ratio, ratio < 10 ? 2 : 3), what);
}

const CountedLine* dearest_line(const CountedDifference& difference, const std::string& variant) {
  const auto found = std::ranges::find(difference.lines, variant, &CountedLine::variant);
  return found == difference.lines.end() || found->line == 0 ? nullptr : &*found;
}

/// ", 97 % of them at kernels/reduce/harris2.cu:20"; empty where no line is known.
std::string where_of(const CountedDifference& difference, const std::string& variant, std::uint64_t all) {
  const CountedLine* const line = dearest_line(difference, variant);
  if (!line || all == 0) return "";
  return fmt::format(", {:.0f} % of them at {}:{}", 100 * double(line->count) / double(all), line->file,
                     line->line);
}

std::string sentence_of(const CountedDifference& difference, const KernelStep& step) {
  const std::string from = short_name(step.from), to = short_name(step.to);
  if (difference.to == 0)
    return fmt::format("{} has no {}; {} has {}{}.", to, difference.what, from, grouped(difference.from),
                       where_of(difference, step.from, difference.from));
  if (difference.from == 0)
    return fmt::format("{} has {} {}{}; {} has none.", to, grouped(difference.to), difference.what,
                       where_of(difference, step.to, difference.to), from);
  const bool fewer = difference.to < difference.from;
  const std::string& more_of = fewer ? step.from : step.to;
  const std::uint64_t more = std::max(difference.from, difference.to),
                      less = std::min(difference.from, difference.to);
  return fmt::format("{} has {} {}: {} against {}{}.", short_name(more_of),
                     more_by(double(more) / double(less), difference.what.c_str()), fewer ? to : from,
                     grouped(more), grouped(less), where_of(difference, more_of, more));
}

std::string amount(double value, const std::string& unit) {
  const std::string number =
      value == double(std::uint64_t(value)) ? grouped(std::uint64_t(value)) : significant(value, 3);
  return unit.empty() ? number : number + " " + unit;
}

std::string sentence_of(const LaunchDifference& difference, const KernelStep& step) {
  return fmt::format("The {}: {} for {}, {} for {}.", difference.what,
                     amount(difference.from, difference.unit), short_name(step.from),
                     amount(difference.to, difference.unit), short_name(step.to));
}

std::string microseconds(const Record& record) {
  return significant(record["time_ns"].get<double>() / 1000) + " µs";
}

std::string sentence_of(const TimedPair& pair, const KernelStep& step) {
  const std::string from = short_name(step.from), to = short_name(step.to);
  const std::string measured =
      fmt::format("{} against {} at n = {} on {}", microseconds(pair.to), microseconds(pair.from),
                  format_size(pair.from["n"].get<Index>()), pair.hardware);
  if (!pair.ratio) return fmt::format("{} and {} take {}, in different rounds.", to, from, measured);
  const std::string interval = fmt::format("{} to {}", significant(*pair.low), significant(*pair.high));
  if (*pair.low <= 1 && *pair.high >= 1)
    return fmt::format("Which of {} and {} is faster is undecided: {}, a ratio of {}.", to, from, measured,
                       interval);
  return fmt::format("{} takes {} % of the time of {}: {}, a ratio of {}.", to,
                     significant(100 * *pair.ratio, 3), from, measured, interval);
}

}  // namespace

std::vector<std::string> sentences_of(const KernelStep& step) {
  std::vector<std::string> sentences;
  for (const TimedPair& pair : step.times) sentences.push_back(sentence_of(pair, step));
  for (const CountedDifference& difference : step.counters)
    sentences.push_back(sentence_of(difference, step));
  for (const LaunchDifference& difference : step.launches) sentences.push_back(sentence_of(difference, step));
  return sentences;
}

}  // namespace redbench
