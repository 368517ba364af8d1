// Times of two variants that were measured in one cell.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "src/compare/difference.hpp"
#include "src/error.hpp"
#include "src/measure/stop_rule.hpp"
#include "src/records/mistakes.hpp"
#include "src/records/provenance.hpp"
#include "src/registry.hpp"
#include "src/why/why.hpp"

namespace redbench {
namespace {

/// Reads run.json alone: most runs have neither variant, and many records.
bool names_both(const std::string& folder, const std::string& from, const std::string& to) {
  const std::string facts = read_facts(folder + "/run.json").dump();
  const auto has = [&](const std::string& variant) {
    return facts.find('"' + short_name(variant) + '"') != facts.npos;
  };
  return has(from) && has(to);
}

bool has_valid_time(const Record& record, const std::string& variant, Index n) {
  return record["variant"] == variant && record["time_ns"].is_number() && (n == 0 || record["n"] == n) &&
         why_stale(record).empty();
}

/// What two comparable records have in common: the session, and all of the cell but the launch parameters.
std::string cell_of(const Record& record) {
  Json cell = Json::array();
  for (const char* field : {"n", "type", "operator", "axes", "seed", "device", "mode", "session"})
    cell.push_back(record[field]);
  return line_of(cell);
}

TimedPair pair_of(const StoredRun& run, const Record& from, const Record& to) {
  const auto name = [&](const Record& record) {
    return fmt::format("{}#{}", run.path, record["key"].get<std::string>());
  };
  const auto samples_of = [](const Record& record) {
    return record["samples_ns"].is_array() ? record["samples_ns"].get<Samples>() : Samples{};
  };
  TimedPair pair{from["hardware"], from, to, name(from), name(to)};
  for (Record* record : {&pair.from, &pair.to}) record->erase("samples_ns");
  const std::optional<Difference> difference = paired_difference(samples_of(from), samples_of(to));
  if (!difference) return pair;
  const Interval interval = difference->interval(interval_error);
  pair.ratio = std::exp(difference->log_ratio);
  pair.low = std::exp(interval.low);
  pair.high = std::exp(interval.high);
  return pair;
}

bool is_better(const TimedPair& pair, const TimedPair& than) {
  const auto rank = [](const TimedPair& of) {
    return std::pair(of.from["n"].get<Index>(),
                     of.from["forks"].is_number() ? of.from["forks"].get<int>() : 1);
  };
  return rank(pair) > rank(than);
}

}  // namespace

std::vector<TimedPair> timed_pairs(const std::vector<std::string>& folders, const std::string& from,
                                   const std::string& to, Index n) {
  std::map<std::string, TimedPair> best;
  const auto add = [&](const StoredRun& run) {
    std::map<std::string, const Record*> first;  // by cell; of several parameters the first, the default
    for (const Record& record : run.records)
      if (has_valid_time(record, from, n)) first.try_emplace(cell_of(record), &record);
    for (const Record& record : run.records) {
      const auto cell = has_valid_time(record, to, n) ? first.find(cell_of(record)) : first.end();
      if (cell == first.end()) continue;
      TimedPair pair = pair_of(run, *cell->second, record);
      const auto [place, is_new] = best.try_emplace(pair.hardware, pair);
      if (!is_new && is_better(pair, place->second)) place->second = std::move(pair);
    }
  };
  for (const std::string& path : runs_below(folders)) try {
      if (names_both(path, from, to)) add(read_stored_run(path));
    } catch (const UsageError& error) {
      report_mistake(error.what());
    }
  std::vector<TimedPair> pairs;
  for (auto& [hardware, pair] : best) pairs.push_back(std::move(pair));
  return pairs;
}

}  // namespace redbench
