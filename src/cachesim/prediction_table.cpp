#include "src/cachesim/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/tables/numbers.hpp"

namespace redbench {
namespace {

std::string_view name_of(CacheModel model) { return cache_model_names[std::size_t(model)]; }

std::string optional_number(const std::optional<double>& value, int digits) {
  return value ? significant(*value, digits) : "";
}

/// The number of cache levels of the machine with the most.
std::size_t most_levels(const Predictions& predictions) {
  std::size_t levels = 0;
  for (const PredictedCase& predicted : predictions.cases)
    levels = std::max(levels, predicted.simulated.counts().misses.size());
  return levels;
}

double per_input(double count, const PredictedCase& predicted) {
  return count / double(predicted.simulated.n);
}

std::optional<double> tlb_load_miss_percent(const PredictedCase& predicted) {
  const cachesim::Counts counts = predicted.simulated.counts();
  if (predicted.loop.page_bytes == 0 || counts.loads == 0) return {};
  return 100 * counts.tlb_load_misses / counts.loads;
}

Json case_json(const PredictedCase& predicted) {
  const cachesim::Counts counts = predicted.simulated.counts();
  const auto by_input = [&](const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) list.push_back(per_input(value, predicted));
    return list;
  };
  Json phases = Json::object();
  for (const cachesim::Phase& phase : predicted.simulated.phases)
    phases[phase.name] = phases.value(phase.name, 0.0) + per_input(phase.ns, predicted);
  const auto or_null = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  return {{"key", predicted.key},
          {"variant", predicted.case_->variant->name},
          {"n", predicted.loop.n},
          {"m", predicted.loop.m},
          {"labels", cachesim::label_distribution_names[std::size_t(predicted.loop.labels)]},
          {"machine", predicted.machine},
          {"model", name_of(predicted.model)},
          {"ns_per_input", predicted.simulated.ns_per_input()},
          {"phases", phases},
          {"measured_ns_per_input", or_null(predicted.measured_ns)},
          {"error_percent", or_null(predicted.error_percent())},
          {"loads_per_input", per_input(counts.loads, predicted)},
          {"stores_per_input", per_input(counts.stores, predicted)},
          {"misses_per_input", by_input(counts.misses)},
          {"write_backs_per_input", by_input(counts.write_backs)},
          {"prefetches_per_input", per_input(counts.prefetches, predicted)},
          {"memory_lines_per_input", per_input(counts.memory_lines, predicted)},
          {"walks_per_input", per_input(counts.walks, predicted)},
          {"tlb_load_miss_percent", or_null(tlb_load_miss_percent(predicted))}};
}

std::string text_of(const MeanError& error) {
  return fmt::format("{}, {}: mean absolute error {} %", error.machine, name_of(error.model),
                     significant(error.percent, 2));
}

}  // namespace

Table prediction_table(const Predictions& predictions) {
  Table table;
  table.columns = {{"variant", false},
                   {"n", true},
                   {"m", true},
                   {"labels", false},
                   {"machine", false},
                   {"model", false},
                   {"predicted (ns)", true},
                   {"measured (ns)", true},
                   {"error (%)", true}};
  const std::size_t levels = most_levels(predictions);
  for (std::size_t i = 0; i < levels; ++i)
    table.columns.push_back({fmt::format("misses of level {}", i + 1), true, int(levels - i)});
  table.columns.push_back({"TLB misses (% of loads)", true, int(levels) + 1});
  for (const PredictedCase& predicted : predictions.cases) {
    const cachesim::Counts counts = predicted.simulated.counts();
    std::vector<std::string> row{
        predicted.case_->variant->name,
        format_size(Index(predicted.loop.n)),
        format_size(Index(predicted.loop.m)),
        std::string(cachesim::label_distribution_names[std::size_t(predicted.loop.labels)]),
        predicted.machine,
        std::string(name_of(predicted.model)),
        significant(predicted.simulated.ns_per_input(), 3),
        optional_number(predicted.measured_ns, 3),
        optional_number(predicted.error_percent(), 2)};
    for (std::size_t i = 0; i < levels; ++i)
      row.push_back(i < counts.misses.size() ? fmt::format("{:.4f}", per_input(counts.misses[i], predicted))
                                             : "");
    row.push_back(optional_number(tlb_load_miss_percent(predicted), 3));
    table.rows.push_back(std::move(row));
  }
  for (const MeanError& error : mean_errors(predictions)) table.remarks.push_back(text_of(error));
  table.remarks.emplace_back("misses: per input, all phases together");
  for (const std::string& sentence : predictions.left_out) table.remarks.push_back("left out: " + sentence);
  return table;
}

std::string prediction_csv(const Predictions& predictions) {
  const std::size_t levels = most_levels(predictions);
  std::string header, rows;
  for (const PredictedCase& predicted : predictions.cases) {
    std::vector<std::string> columns, fields;
    const auto put = [&](const std::string& column, const Json& value) {
      columns.push_back(column);
      fields.push_back(value.is_null()     ? ""
                       : value.is_string() ? quoted_field(value.get<std::string>())
                                           : value.dump());
    };
    const Json json = case_json(predicted);
    for (const auto& [key, value] : json.items()) {
      if (value.is_object()) continue;  // times of phases
      if (!value.is_array()) put(key, value);
      else
        for (std::size_t i = 0; i < levels; ++i)
          put(fmt::format("{}_l{}", key, i + 1), i < value.size() ? value[i] : Json());
    }
    header = fmt::format("{}\n", fmt::join(columns, ","));
    rows += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return header + rows;
}

Json prediction_json(const Config& config, const std::vector<cachesim::Machine>& machines,
                     const Predictions& predictions) {
  Json machine_list = Json::array(), errors = Json::array(), cases = Json::array();
  for (const cachesim::Machine& machine : machines)
    machine_list.push_back({{"name", machine.name},
                            {"published_as", machine.published_as},
                            {"machine", serialize_machine(machine)}});
  for (const MeanError& error : mean_errors(predictions))
    errors.push_back({{"machine", error.machine},
                      {"model", name_of(error.model)},
                      {"mean_absolute_percent", error.percent}});
  for (const PredictedCase& predicted : predictions.cases) cases.push_back(case_json(predicted));
  return {{"schema", 1},
          {"name", config.name},
          {"title", config.title},
          {"steps", config.caches->steps},
          {"machines", machine_list},
          {"errors", errors},
          {"cases", cases},
          {"left_out", predictions.left_out}};
}

}  // namespace redbench
