#include "src/compare/least_across.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "src/config/config.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/json/strict.hpp"
#include "src/records/provenance.hpp"

namespace redbench {
namespace {

/// A percentage above 0 as a share.
std::optional<double> share(const Json& percent) {
  if (!percent.is_number() || !(percent > 0)) return std::nullopt;
  return percent.get<double>() / 100;
}

std::optional<double> least_of(const Json& report, const char* kind) {
  return share(part_of(part_of(report, kind), "least_difference_called_percent"));
}

/// No less than what one comparison finds, nor than what any pair of times of like machines differs by.
std::optional<double> least_across(const Json& size) {
  const auto least = least_of(size, "across_machines");
  const auto greatest = share(part_of(part_of(size, "across_machines"), "greatest_difference_percent"));
  return least && greatest ? std::optional(std::max(*least, *greatest)) : std::nullopt;
}

/// Whether the folder has a self-test's report, and a run of this name is one of its own. Of a report that cannot be read
/// all are.
bool is_of_self_test(const std::filesystem::path& folder, const std::string& name) {
  const std::filesystem::path report = folder / "selftest.json";
  if (std::error_code error; !std::filesystem::is_regular_file(report, error)) return false;
  try {
    const Json runs = part_of(read_json_file(report, "a self-test"), "runs");
    return !runs.is_array() || std::ranges::find(runs, Json(name)) != runs.end();
  } catch (const UsageError&) {
    return true;
  }
}

}  // namespace

std::optional<SelfTestReport> read_self_test(const std::string& folder) {
  const Json json = read_json_file(folder + "/selftest.json", "a self-test");
  const Json runs = part_of(json, "runs");
  if (!runs.is_array() || runs.empty() || !runs[0].is_string()) return std::nullopt;
  SelfTestReport report{.run = read_stored_run(folder + "/" + runs[0].get<std::string>()),
                        .within_a_run = least_of(json, "within_a_run"),
                        .between_runs = least_of(json, "between_runs"),
                        .across_machines = {}};
  if (report.run.records.empty()) return std::nullopt;
  for (const Json& size : part_of(json, "sizes"))
    if (const auto least = least_across(size); least && part_of(size, "n").is_number_unsigned())
      report.across_machines[size["n"].get<Index>()] = *least;
  return report;
}

RunsBelow told_apart_below(const std::vector<std::string>& folders) {
  RunsBelow below;
  for (const std::string& run : runs_below(folders)) {
    std::filesystem::path at = std::filesystem::path(run).lexically_normal();
    if (!at.has_filename()) at = at.parent_path();  // it ended in a slash
    const std::filesystem::path above = at.has_parent_path() ? at.parent_path() : ".";
    if (!is_of_self_test(above, at.filename())) below.runs.push_back(run);
    else if (std::ranges::find(below.self_tests, above.string()) == below.self_tests.end())
      below.self_tests.push_back(above.string());
  }
  return below;
}

LeastAcross LeastAcross::below(const std::vector<std::string>& folders) {
  LeastAcross least;
  std::vector<std::string> self_tests;
  try {
    self_tests = told_apart_below(folders).self_tests;
  } catch (const UsageError&) {  // there are no runs
  }
  for (const std::string& folder : self_tests) try {
      const auto report = read_self_test(folder);
      if (report && std::ranges::none_of(report->run.records, is_measured_otherwise))
        least.add(report->run.records[0]["hardware"], folder, report->across_machines);
    } catch (const UsageError&) {  // it is damaged
    }
  return least;
}

void LeastAcross::add(const std::string& hardware, const std::string& folder, std::map<Index, double> by_n) {
  if (!by_n.empty()) of_hardware_.try_emplace(hardware, Tested{folder, std::move(by_n)});
}

double LeastAcross::of(const Record& first, const Record& second) const {
  double least = 0;
  for (const Record* record : {&first, &second}) {
    const auto found = of_hardware_.find((*record)["hardware"]);
    if (found == of_hardware_.end()) return INFINITY;
    const std::map<Index, double>& by_n = found->second.by_n;
    const auto above = by_n.upper_bound((*record)["n"].get<Index>());
    if (above == by_n.begin()) return INFINITY;  // the shorter a time, the more machines differ
    least = std::max(least, std::prev(above)->second);
  }
  return std::log1p(least);
}

std::string LeastAcross::sentence(const std::string& hardware) const {
  const auto& [folder, by_n] = of_hardware_.at(hardware);
  return fmt::format(
      "Times of two machines are called faster or slower beyond what {} found across machines: {:.2g} % at n = {}, "
      "below which none is, {:.2g} % at {}.",
      folder, 100 * by_n.begin()->second, format_size(by_n.begin()->first), 100 * by_n.rbegin()->second,
      format_size(by_n.rbegin()->first));
}

}  // namespace redbench
