// A step in sentences, as text and as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "src/registry.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/tables.hpp"
#include "src/tables/text.hpp"
#include "src/text/printable.hpp"
#include "src/why/why.hpp"

namespace redbench {
namespace {

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

/// ", 97 % of them at kernels/reduce/harris2.cu:20"; empty where no line is known.
std::string where_of(const CountedDifference& difference, const std::string& variant, std::uint64_t all) {
  const auto line = std::ranges::find(difference.lines, variant, &CountedLine::variant);
  if (line == difference.lines.end() || line->line == 0 || all == 0) return "";
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

/// Null where it would divide by 0.
Json ratio_of(double from, double to) { return from > 0 ? Json(to / from) : Json(); }

std::string ratio_text(double from, double to) { return from > 0 ? significant(to / from, 3) : ""; }

Json time_json(const Record& record, const std::string& where) {
  return {{"device", record["device"]},
          {"hardware", record["hardware"]},
          {"variant", record["variant"]},
          {"n", record["n"]},
          {"mode", record["mode"]},
          {"time_ns", record["time_ns"]},
          {"low", record["time_low_ns"]},
          {"high", record["time_high_ns"]},
          {"record", where}};
}

Json times_json(const std::vector<TimedPair>& pairs) {
  Json times = Json::array();
  for (const TimedPair& pair : pairs) {
    times.push_back(time_json(pair.from, pair.from_record));
    times.push_back(time_json(pair.to, pair.to_record));
  }
  return times;
}

Json counters_json(const std::vector<CountedDifference>& differences) {
  Json counters = Json::array();
  for (const CountedDifference& difference : differences) {
    Json lines = Json::array();
    for (const CountedLine& line : difference.lines)
      lines.push_back({{"variant", line.variant},
                       {"file", line.file},
                       {"line", line.line},
                       {"text", line.text},
                       {"count", line.count}});
    counters.push_back({{"name", difference.name},
                        {"what", difference.what},
                        {"from", difference.from},
                        {"to", difference.to},
                        {"ratio", ratio_of(double(difference.from), double(difference.to))},
                        {"lines", lines}});
  }
  return counters;
}

Json launches_json(const std::vector<LaunchDifference>& differences) {
  Json launches = Json::array();
  for (const LaunchDifference& difference : differences)
    launches.push_back({{"name", difference.name},
                        {"what", difference.what},
                        {"unit", difference.unit},
                        {"from", difference.from},
                        {"to", difference.to}});
  return launches;
}

Table counter_table(const KernelStep& step) {
  Table table{.columns = {{"counted", false}, {step.from, true}, {step.to, true}, {"ratio", true}}};
  for (const CountedDifference& difference : step.counters)
    table.rows.push_back({difference.what, std::to_string(difference.from), std::to_string(difference.to),
                          ratio_text(double(difference.from), double(difference.to))});
  for (const LaunchDifference& difference : step.launches)
    table.rows.push_back(
        {difference.unit.empty() ? difference.what : fmt::format("{} ({})", difference.what, difference.unit),
         significant(difference.from), significant(difference.to),
         ratio_text(difference.from, difference.to)});
  return table;
}

Table line_table(const KernelStep& step) {
  Table table{.columns = {{"counted", false}, {"line", false}, {"count", true}, {"source", false}}};
  for (const CountedDifference& difference : step.counters)
    for (const CountedLine& line : difference.lines)
      table.rows.push_back({difference.name,
                            line.line ? fmt::format("{}:{}", line.file, line.line) : "an unknown line",
                            std::to_string(line.count), printable(line.text)});
  return table;
}

}  // namespace

std::string shown_case(const Json& counted_case) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : counted_case.items())
    parts.push_back(fmt::format("{} {}", name,
                                name == "n"         ? format_size(value.get<Index>())
                                : value.is_string() ? value.get<std::string>()
                                                    : value.dump()));
  return fmt::format("{}", fmt::join(parts, "  ·  "));
}

std::vector<std::string> sentences_of(const KernelStep& step) {
  std::vector<std::string> sentences;
  for (const TimedPair& pair : step.times) sentences.push_back(sentence_of(pair, step));
  for (const CountedDifference& difference : step.counters)
    sentences.push_back(sentence_of(difference, step));
  for (const LaunchDifference& difference : step.launches) sentences.push_back(sentence_of(difference, step));
  return sentences;
}

Json to_json(const KernelStep& step) {
  return {{"from", step.from},
          {"to", step.to},
          {"case", step.counted_case},
          {"times", times_json(step.times)},
          {"counters", counters_json(step.counters)},
          {"launches", launches_json(step.launches)},
          {"sentences", step.sentences}};
}

std::string text_of(const KernelStep& step, int width) {
  const std::size_t most = std::size_t(width);
  const bool differs = !step.counters.empty() || !step.launches.empty();
  std::string text =
      fmt::format("{} -> {}\n{}\n", step.from, step.to, paragraph(shown_case(step.counted_case), most));
  for (const std::string& sentence : step.sentences) text += paragraph("- " + sentence, most, "  ");
  if (!differs) text += paragraph("- No count is more than 1 % apart.", most, "  ");
  for (const Table& table : {counter_table(step), line_table(step)})
    if (!table.rows.empty()) text += '\n' + aligned(fit(table, most), false, most);
  return text;
}

}  // namespace redbench
