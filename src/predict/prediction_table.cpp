#include "src/predict/prediction_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/tables/numbers.hpp"

namespace redbench {
namespace {

std::string_view name_of(CacheModel model) { return cache_model_names[std::size_t(model)]; }

std::string optional_number(const std::optional<double>& value, int digits) {
  return value ? significant(*value, digits) : "";
}

/// How many levels the machine with the most has.
std::size_t levels_of(const Predictions& predictions) {
  std::size_t levels = 0;
  for (const PredictedCase& one : predictions.cases)
    levels = std::max(levels, one.prediction.counts().misses.size());
  return levels;
}

double per_input(double count, const PredictedCase& one) { return count / double(one.prediction.n); }

std::optional<double> tlb_load_miss_percent(const PredictedCase& one) {
  const caches::Counts counts = one.prediction.counts();
  if (one.loop.page_bytes == 0 || counts.loads == 0) return {};
  return 100 * counts.tlb_load_misses / counts.loads;
}

Json case_json(const PredictedCase& one) {
  const caches::Counts counts = one.prediction.counts();
  const auto by_input = [&](const std::vector<double>& values) {
    Json list = Json::array();
    for (const double value : values) list.push_back(per_input(value, one));
    return list;
  };
  Json phases = Json::object();
  for (const caches::Phase& phase : one.prediction.phases)
    phases[phase.name] = phases.value(phase.name, 0.0) + per_input(phase.ns, one);
  const auto or_null = [](const std::optional<double>& value) { return value ? Json(*value) : Json(); };
  return {{"key", one.key},
          {"variant", one.one->variant->name},
          {"n", one.loop.n},
          {"m", one.loop.m},
          {"labels", caches::labels_names[std::size_t(one.loop.labels)]},
          {"machine", one.machine},
          {"model", name_of(one.model)},
          {"ns_per_input", one.prediction.ns_per_input()},
          {"phases", phases},
          {"measured_ns_per_input", or_null(one.measured_ns)},
          {"error_percent", or_null(one.error_percent())},
          {"loads_per_input", per_input(counts.loads, one)},
          {"stores_per_input", per_input(counts.stores, one)},
          {"misses_per_input", by_input(counts.misses)},
          {"write_backs_per_input", by_input(counts.write_backs)},
          {"prefetches_per_input", per_input(counts.prefetches, one)},
          {"memory_lines_per_input", per_input(counts.memory_lines, one)},
          {"walks_per_input", per_input(counts.walks, one)},
          {"tlb_load_miss_percent", or_null(tlb_load_miss_percent(one))}};
}

/// A column for each number of a list.
std::vector<std::pair<std::string, std::string>> flat(const Json& json) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) continue;
    if (!value.is_array()) {
      fields.emplace_back(key, value.is_null()     ? ""
                               : value.is_string() ? value.get<std::string>()
                                                   : value.dump());
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i)
      fields.emplace_back(fmt::format("{}_l{}", key, i + 1), value[i].dump());
  }
  return fields;
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
  const std::size_t levels = levels_of(predictions);
  for (std::size_t i = 0; i < levels; ++i)
    table.columns.push_back({fmt::format("misses of level {}", i + 1), true, int(levels - i)});
  table.columns.push_back({"TLB misses (% of loads)", true, int(levels) + 1});
  for (const PredictedCase& one : predictions.cases) {
    const caches::Counts counts = one.prediction.counts();
    std::vector<std::string> row{one.one->variant->name,
                                 format_size(Index(one.loop.n)),
                                 format_size(Index(one.loop.m)),
                                 std::string(caches::labels_names[std::size_t(one.loop.labels)]),
                                 one.machine,
                                 std::string(name_of(one.model)),
                                 significant(one.prediction.ns_per_input(), 3),
                                 optional_number(one.measured_ns, 3),
                                 optional_number(one.error_percent(), 2)};
    for (std::size_t i = 0; i < levels; ++i)
      row.push_back(i < counts.misses.size() ? fmt::format("{:.4f}", per_input(counts.misses[i], one)) : "");
    row.push_back(optional_number(tlb_load_miss_percent(one), 3));
    table.rows.push_back(std::move(row));
  }
  table.remarks = error_lines(predictions);
  table.remarks.emplace_back("misses: per input, all phases together");
  for (const std::string& sentence : predictions.left_out) table.remarks.push_back("left out: " + sentence);
  return table;
}

std::string prediction_csv(const Predictions& predictions) {
  // A machine with fewer levels leaves the last ones empty.
  std::vector<std::string> columns;
  std::vector<std::vector<std::pair<std::string, std::string>>> rows;
  for (const PredictedCase& one : predictions.cases) {
    rows.push_back(flat(case_json(one)));
    if (rows.back().size() > columns.size()) {
      columns.clear();
      for (const auto& [name, value] : rows.back()) columns.push_back(name);
    }
  }
  std::string text = fmt::format("{}\n", fmt::join(columns, ","));
  for (const auto& row : rows) {
    std::vector<std::string> fields;
    for (const std::string& column : columns) {
      const auto found = std::ranges::find(row, column, [](const auto& field) { return field.first; });
      fields.push_back(found == row.end() ? "" : quoted_field(found->second));
    }
    text += fmt::format("{}\n", fmt::join(fields, ","));
  }
  return text;
}

std::vector<std::string> error_lines(const Predictions& predictions) {
  std::vector<std::string> lines;
  for (const PredictedCase& one : predictions.cases) {
    const auto error = mean_absolute_error(predictions, one.machine, one.model);
    if (!error) continue;
    const std::string line = fmt::format("{}, {}: mean absolute error {} %", one.machine, name_of(one.model),
                                         significant(*error, 2));
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

Json prediction_json(const Config& config, const std::vector<MachineFile>& machines,
                     const Predictions& predictions) {
  Json told = Json::array(), errors = Json::array(), cases = Json::array();
  for (const MachineFile& file : machines) {
    told.push_back({{"name", file.machine.name},
                    {"published_as", file.published_as},
                    {"machine", written_machine(file.machine)}});
    for (const CacheModel model : config.caches->models)
      if (const auto error = mean_absolute_error(predictions, file.machine.name, model))
        errors.push_back(
            {{"machine", file.machine.name}, {"model", name_of(model)}, {"mean_absolute_percent", *error}});
  }
  for (const PredictedCase& one : predictions.cases) cases.push_back(case_json(one));
  return {
      {"schema", 1},      {"name", config.name}, {"title", config.title}, {"steps", config.caches->steps},
      {"machines", told}, {"errors", errors},    {"cases", cases},        {"left_out", predictions.left_out}};
}

}  // namespace redbench
