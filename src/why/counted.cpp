#include "src/why/counted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

std::vector<CountedLine> lines_of(const Record& record, const Kind& kind, SourceLines& sources) {
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
      else lines.push_back({record["variant"], file, number, sources.line(file, number), count});
    }
  std::ranges::stable_sort(lines, std::greater(), &CountedLine::count);
  if (lines.size() > most_lines) lines.resize(most_lines);
  return lines;
}

Count distance(Count a, Count b) { return a > b ? a - b : b - a; }

bool differ(double a, double b) { return std::abs(a - b) > same * std::max(std::abs(a), std::abs(b)); }

double launch_sum(const Record& record, const char* field) {
  double sum = 0;
  for (const Json& launch : record["launches"])
    if (launch[field].is_number()) sum += launch[field].get<double>();
  return sum;
}

const Json* largest_launch(const Record& record) {
  const Json* largest = nullptr;
  const auto threads = [](const Json& launch) {
    return launch["blocks"].get<double>() * launch["threads"].get<double>();
  };
  for (const Json& launch : record["launches"])
    if (!largest || threads(launch) > threads(*largest)) largest = &launch;
  return largest;
}

double of_largest(const Record& record, const char* field) {
  const Json* const launch = largest_launch(record);
  return launch && (*launch)[field].is_number() ? (*launch)[field].get<double>() : 0;
}

}  // namespace

std::vector<CountedDifference> counted_differences(const Record& from, const Record& to,
                                                   SourceLines& sources) {
  std::vector<CountedDifference> differences;
  for (const Kind& kind : kinds()) {
    CountedDifference difference{kind.name, kind.what, sum_of(from["counters"], kind),
                                 sum_of(to["counters"], kind)};
    if (!differ(double(difference.from), double(difference.to))) continue;
    for (const Record* record : {&from, &to})
      std::ranges::move(lines_of(*record, kind, sources), std::back_inserter(difference.lines));
    differences.push_back(std::move(difference));
  }
  std::ranges::stable_sort(differences, std::greater(), [](const CountedDifference& difference) {
    return distance(difference.from, difference.to);
  });
  return differences;
}

std::vector<LaunchDifference> launch_differences(const Record& from, const Record& to) {
  const auto number = [](const Record& record) { return double(record["launches"].size()); };
  std::vector<LaunchDifference> all{
      {"launches", "number of launches", "", number(from), number(to)},
      {"blocks", "blocks of all launches", "", launch_sum(from, "blocks"), launch_sum(to, "blocks")},
      {"threads", "threads of a block of the largest launch", "", of_largest(from, "threads"),
       of_largest(to, "threads")},
      {"shared_bytes", "shared memory of a block", "bytes", of_largest(from, "shared_bytes"),
       of_largest(to, "shared_bytes")},
      {"registers", "registers of a thread", "", of_largest(from, "registers"), of_largest(to, "registers")},
      {"occupancy", "occupancy of the largest launch", "%", 100 * of_largest(from, "occupancy"),
       100 * of_largest(to, "occupancy")},
      {"bytes_read", "bytes read, as the kernels state", "bytes", launch_sum(from, "bytes_read"),
       launch_sum(to, "bytes_read")},
      {"bytes_written", "bytes written, as the kernels state", "bytes", launch_sum(from, "bytes_written"),
       launch_sum(to, "bytes_written")},
      {"scratch_bytes", "scratch memory", "bytes", from["scratch_bytes"].get<double>(),
       to["scratch_bytes"].get<double>()}};
  std::erase_if(all,
                [](const LaunchDifference& difference) { return !differ(difference.from, difference.to); });
  return all;
}

}  // namespace redbench
