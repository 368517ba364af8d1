// What two kernels do on a modelled device, counted, and by how much it differs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "src/own_files.hpp"
#include "src/why/why.hpp"

namespace redbench {
namespace {

using Count = std::uint64_t;

/// Events that cost alike, as sums of counters.
struct Kind {
  const char* name;
  const char* what;
  std::vector<const char*> counters;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"shared_conflicts",
       "turns of the shared memory's banks lost to conflicts",
       {"shared_load_conflicts", "shared_store_conflicts", "shared_atomic_conflicts"}},
      {"shared_requests",
       "accesses of shared memory by warps",
       {"shared_load_requests", "shared_store_requests", "shared_atomic_requests"}},
      {"global_requests",
       "accesses of global memory by warps",
       {"global_load_requests", "global_store_requests", "global_atomic_requests"}},
      {"global_sectors",
       "sectors of global memory",
       {"global_load_sectors", "global_store_sectors", "global_atomic_sectors"}},
      {"atomic_degree",
       "updates of an address one after the other",
       {"global_atomic_degree", "shared_atomic_degree"}},
      {"warp_basic_blocks", "basic blocks executed by warps", {"warp_basic_blocks"}},
      {"divergent_branches", "branches at which a warp's lanes part", {"divergent_branches"}},
      {"block_barriers", "calls of a block's barrier by warps", {"block_barriers"}},
      {"named_barriers", "calls of a named barrier by warps", {"named_barriers"}},
      {"warp_barriers", "barriers within warps", {"warp_barriers"}},
      {"warp_exchanges", "exchanges within warps", {"warp_exchanges"}}};
  return all;
}

constexpr double same = 0.01;  // of the larger
constexpr std::size_t most_lines = 3;

/// Counters that are 0 may be missing, and what a device does not count is null.
Count sum_of(const Json& counters, const Kind& kind) {
  Count sum = 0;
  for (const char* name : kind.counters)
    if (const auto found = counters.find(name); found != counters.end() && found->is_number())
      sum += found->get<Count>();
  return sum;
}

std::vector<CountedLine> lines_of(const Record& record, const Kind& kind) {
  std::vector<CountedLine> lines;
  for (const Json& launch : record["launches"])
    for (const Json& line : launch["lines"]) {
      const Count count = sum_of(line, kind);
      if (count == 0) continue;
      const std::string file = line["file"];
      const int number = line["line"];
      const auto known = std::ranges::find_if(
          lines, [&](const CountedLine& other) { return other.file == file && other.line == number; });
      if (known != lines.end()) known->count += count;
      else lines.push_back({record["variant"], file, number, "", count});
    }
  std::ranges::stable_sort(lines, std::greater(), &CountedLine::count);
  if (lines.size() > most_lines) lines.resize(most_lines);
  for (CountedLine& line : lines) line.text = source_line(line.file, line.line);
  return lines;
}

bool differ(double a, double b) { return std::abs(a - b) > same * std::max(std::abs(a), std::abs(b)); }

// Facts of a record's launches; those of a library's launches are not known, and count as 0.

double number_of_launches(const Record& record, const char*) { return double(record["launches"].size()); }

double of_case(const Record& record, const char* field) { return record[field].get<double>(); }

double sum_of_launches(const Record& record, const char* field) {
  double sum = 0;
  for (const Json& launch : record["launches"])
    if (launch[field].is_number()) sum += launch[field].get<double>();
  return sum;
}

/// Of the launch with most threads in all.
double of_largest_launch(const Record& record, const char* field) {
  const auto threads = [](const Json& launch) {
    return launch["blocks"].get<double>() * launch["threads"].get<double>();
  };
  const Json& launches = record["launches"];
  const auto largest = std::ranges::max_element(launches, {}, threads);
  return largest != launches.end() && (*largest)[field].is_number() ? (*largest)[field].get<double>() : 0;
}

struct LaunchFact {
  const char *name, *what, *unit;
  double (*value)(const Record&, const char* name);
};

constexpr LaunchFact launch_facts[] = {
    {"launches", "number of launches", "", number_of_launches},
    {"blocks", "blocks of all launches", "", sum_of_launches},
    {"threads", "threads of a block of the largest launch", "", of_largest_launch},
    {"shared_bytes", "shared memory of a block", "bytes", of_largest_launch},
    {"registers", "registers of a thread", "", of_largest_launch},
    {"occupancy", "occupancy of the largest launch", "%", of_largest_launch},
    {"bytes_read", "bytes read, as the kernels state", "bytes", sum_of_launches},
    {"bytes_written", "bytes written, as the kernels state", "bytes", sum_of_launches},
    {"scratch_bytes", "scratch memory", "bytes", of_case}};

}  // namespace

std::string source_line(const std::string& file, int number) {
  std::ifstream stream(own_files() / file);
  std::string text;
  for (int at = 0; at < number; ++at)
    if (!std::getline(stream, text)) return "";
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

std::vector<CountedDifference> counted_differences(const Record& from, const Record& to) {
  std::vector<CountedDifference> differences;
  for (const Kind& kind : kinds()) {
    CountedDifference difference{kind.name, kind.what, sum_of(from["counters"], kind),
                                 sum_of(to["counters"], kind)};
    if (!differ(double(difference.from), double(difference.to))) continue;
    for (const Record* record : {&from, &to})
      std::ranges::move(lines_of(*record, kind), std::back_inserter(difference.lines));
    differences.push_back(std::move(difference));
  }
  std::ranges::stable_sort(differences, std::greater(), [](const CountedDifference& difference) {
    return std::max(difference.from, difference.to) - std::min(difference.from, difference.to);
  });
  return differences;
}

std::vector<LaunchDifference> launch_differences(const Record& from, const Record& to) {
  std::vector<LaunchDifference> differences;
  for (const LaunchFact& fact : launch_facts) {
    const double scale = fact.unit == std::string("%") ? 100 : 1;
    const double before = scale * fact.value(from, fact.name), after = scale * fact.value(to, fact.name);
    const bool is_unknown = fact.name == std::string_view("registers") && (before == 0 || after == 0);
    if (!is_unknown && differ(before, after))
      differences.push_back({fact.name, fact.what, fact.unit, before, after});
  }
  return differences;
}

}  // namespace redbench
