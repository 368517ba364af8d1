// A step for readers and for programs.
#include <fmt/format.h>

#include <algorithm>

#include "src/tables/fit.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/text.hpp"
#include "src/text/printable.hpp"
#include "src/why/why.hpp"

namespace redbench {
namespace {

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

std::string shown_case(const Json& counted_case) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : counted_case.items())
    parts.push_back(fmt::format("{} {}", name,
                                name == "n"         ? format_size(value.get<Index>())
                                : value.is_string() ? value.get<std::string>()
                                                    : value.dump()));
  return fmt::format("{}", fmt::join(parts, "  ·  "));
}

}  // namespace

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
