// Hand-made runs to compare.
#pragma once

#include <cmath>

#include "src/compare/comparison.hpp"
#include "src/measure/stop_rule.hpp"
#include "src/records/stored_run.hpp"
#include "tests/record_support.hpp"

namespace redbench {

/// A record with so many forks of three samples, each around its time by a nanosecond, which is the tick.
inline Record measured(const std::string& variant, const std::vector<double>& forks, Index n = 1024) {
  Record record = timed(variant, n, forks[0], forks[0], forks[0]);
  record["samples_ns"] = Json::array();
  for (const double time : forks) record["samples_ns"].push_back({time, time - 1, time + 1});
  record["time_ns"] = median_of(forks).value;
  record["forks"] = forks.size();
  record["measured_by"] = "5678";
  return record;
}

inline Json session_of(const char* driver = "550", const char* toolkit = "12.4",
                       const char* compiler = "g++ 12") {
  return {{"driver", driver},
          {"build", {{"cuda_toolkit", toolkit}, {"compiler", compiler}}},
          {"board", {{"uuid_hash", "aa"}, {"power_limit_mw", 700'000}}},
          {"host", {{"machine_hash", "cc"}}}};
}

inline StoredRun run_of(const std::string& path, const std::vector<Record>& records,
                        Json session = session_of()) {
  return {path,
          {{"schema", 1},
           {"name", "test"},
           {"title", "a test"},
           {"config_path", "test.json"},
           {"config", Json::object()},
           {"device", {{"name", "cuda:0"}}},
           {"sessions", Json::array({std::move(session)})}},
          records};
}

inline const std::vector<double> around_100{100000, 100100, 100200, 99900, 99800};
/// Of another speed.
inline std::vector<double> times(double factor, std::vector<double> of = around_100) {
  for (double& one : of) one = std::round(one * factor);
  return of;
}

inline Record with(Record record, const std::string& field, const Json& value) {
  record[field] = value;
  return record;
}

inline std::vector<Verdict> verdicts(const Comparison& comparison) {
  std::vector<Verdict> all;
  for (const ComparedCase& case_ : comparison.cases) all.push_back(case_.judged.verdict);
  return all;
}

}  // namespace redbench
