#include "src/cell/forks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "src/records/fields.hpp"

namespace redbench {
namespace {

using Samples = std::vector<std::vector<double>>;

/// The median of the forks' medians and its interval; of a single fork, that of its samples, to either side
/// wider by the error of what was taken off (several forks show theirs in their medians).
Median time_of(const Samples& forks, double error, const Json& tick, const Json& taken_off_error) {
  std::vector<double> medians, all;
  for (const std::vector<double>& samples : forks) {
    medians.push_back(median_of(samples).value);
    all.insert(all.end(), samples.begin(), samples.end());
  }
  Median time = forks.size() > 1 ? median_of_forks(medians) : median_of(forks[0], error);
  if (forks.size() == 1 && taken_off_error.is_number()) {
    time.low = std::max(0.0, time.low - taken_off_error.get<double>());
    time.high += taken_off_error.get<double>();
  }
  const double half_tick = (tick.is_number() ? tick.get<double>() : tick_of(std::move(all))) / 2;
  time.low = std::min(time.low, time.value - half_tick);
  time.high = std::max(time.high, time.value + half_tick);
  return time;
}

/// The values of a field in those forks that have it.
std::vector<double> numbers_of(const std::vector<Record>& forks, const std::string& field) {
  std::vector<double> numbers;
  for (const Record& record : forks)
    if (record[field].is_number()) numbers.push_back(record[field].get<double>());
  return numbers;
}

Json worst_stop(const std::vector<Record>& forks) {
  for (const Stop stop : {Stop::timeout, Stop::max_samples})
    for (const Record& record : forks)
      if (record["stopped"] == stop_names[std::size_t(stop)]) return record["stopped"];
  return forks[0]["stopped"];
}

/// Sets a field, in the record of the median fork, to what the field's row asks for.
void combine(Record& record, const Field& field, const std::vector<Record>& forks) {
  if (field.over_forks == OverForks::of_median_fork) return;
  Json& value = record[field.name];
  if (field.over_forks == OverForks::list) {
    if (!value.is_array()) return;
    value = Json::array();
    for (const Record& fork : forks) value.push_back(fork[field.name][0]);
    return;
  }
  const std::vector<double> numbers = numbers_of(forks, field.name);
  if (field.over_forks == OverForks::median)
    value = numbers.size() == forks.size() ? Json(median_of(numbers).value) : Json();
  else value = numbers.empty() ? Json() : Json(Index(std::accumulate(numbers.begin(), numbers.end(), 0.0)));
}

void add_throttling(Record& record, const std::vector<Record>& forks) {
  if (!record["clocks"].is_object() || !record["clocks"].contains("throttled_by")) return;
  Json& reasons = record["clocks"]["throttled_by"];
  for (const Record& fork : forks)
    for (const Json& reason : fork["clocks"].value("throttled_by", Json::array()))
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
}

}  // namespace

void set_times(Record& record, const Samples& forks, double error) {
  const Median time = time_of(forks, error, record["clock_tick_ns"], record["taken_off_error_ns"]);
  record["time_ns"] = time.value;
  record["time_low_ns"] = record["time_high_ns"] = record["noise_percent"] = nullptr;
  if (time.covered) {
    record["time_low_ns"] = time.low;
    record["time_high_ns"] = time.high;
    record["noise_percent"] = time.noise_percent();
  }
  record["forks"] = forks.size();
  record["bandwidth_gb_per_s"] =
      (record["bytes_read"].get<double>() + record["bytes_written"].get<double>()) / time.value;
  if (const double n = record["n"]; n > 0) record["ns_per_input"] = time.value / n;
  record["samples_ns"] = forks;
}

Record record_of_forks(const std::vector<Record>& forks, double max_noise) {
  for (std::size_t i = 0; i < forks.size(); ++i) {
    if (forks[i]["outcome"] == name_of(Outcome::passed)) continue;
    Record record = forks[i];
    if (record["outcome"] != name_of(Outcome::unsupported))
      record["reason"] =
          fmt::format("in fork {} of {}: {}", i + 1, forks.size(), record["reason"].get<std::string>());
    return record;
  }
  if (!forks[0]["time_ns"].is_number()) return forks[0];  // a device without time
  std::vector<const Record*> by_time;
  for (const Record& record : forks) by_time.push_back(&record);
  std::ranges::sort(by_time, {}, [](const Record* record) { return (*record)["time_ns"].get<double>(); });
  Record record = *by_time[(by_time.size() - 1) / 2];

  Samples samples;
  double error = 0;
  for (const Record& fork : forks) {
    samples.push_back(fork["samples_ns"][0].get<std::vector<double>>());
    error = std::max(error, fork["error"].get<double>());
  }
  // All forks use the same clock, so the finest tick is its.
  const std::vector<double> ticks = numbers_of(forks, "clock_tick_ns");
  record["clock_tick_ns"] = ticks.empty() ? Json() : Json(std::ranges::min(ticks));
  set_times(record, samples, interval_error);
  record["error"] = error;
  record["stopped"] = worst_stop(forks);
  if (record["stopped"] == stop_names[std::size_t(Stop::precise)] && record["noise_percent"].is_number() &&
      record["noise_percent"] > max_noise)
    record["stopped"] = "forks_differ";
  for (const Field& field : case_fields()) combine(record, field, forks);
  if (record["percent_of_ceiling"].is_number()) record["above_ceiling"] = record["percent_of_ceiling"] > 100;
  add_throttling(record, forks);
  return record;
}

}  // namespace redbench
