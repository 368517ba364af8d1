#include "src/claims/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/records/columns.hpp"
#include "src/records/fields.hpp"
#include "src/registry.hpp"
#include "src/tables/record_axes.hpp"

namespace redbench {
namespace {

Json words_of(const Record& record) {
  const auto m = number_of(record, "m"), sets = number_of(record, "sets");
  return m && sets ? Json(*m * *sets) : Json();
}

Json rest_bits_of(const Record& record) {
  const Json words = words_of(record);
  const auto sorted = number_of(record, "sort_bits");
  return words.is_number() && sorted ? Json(std::log2(words.get<double>()) - *sorted) : Json();
}

Json passes_of(const Record& record) {
  const Json& launches = record["launches"];
  if (!launches.is_array() || launches.empty()) return nullptr;
  return std::ranges::count_if(launches, [](const Json& launch) { return launch["bytes_read"] > 0; });
}

/// Sum over the accesses of a trace that the config calls levels.
Json level_sum(const Record& record, const char* part) {
  const Json& trace = record["trace"];
  double sum = 0;
  if (trace.is_array())
    for (const Json& access : trace)
      if (access.is_object() && access.contains("level") && access.contains(part) && access[part].is_number())
        sum += access[part].get<double>();
  return sum > 0 ? Json(sum) : Json();
}

Json transfers_per_access_of(const Record& record) {
  const Json accesses = level_sum(record, "lanes"), transfers = level_sum(record, "cache_lines");
  return accesses.is_number() && transfers.is_number()
             ? Json(transfers.get<double>() / accesses.get<double>())
             : Json();
}

Json different_results_of(const Record& record) {
  const auto forks = record.find("result_digests");
  if (forks == record.end() || !forks->is_array()) return nullptr;
  std::set<std::string> digests;
  std::size_t count = 0;
  for (const Json& fork : *forks)
    for (const Json& digest : fork) {
      digests.insert(line_of(digest));
      ++count;
    }
  return count > 1 ? Json(digests.size()) : Json();
}

Json predicted_of(const Record& record, const char* model) {
  const auto predicted = record.find(predicted_field);
  const auto measured = number_of(record, "ns_per_input");
  if (predicted == record.end() || !predicted->is_object() || !measured) return nullptr;
  const auto of_model = predicted->find(model);
  return of_model != predicted->end() && of_model->is_number() ? Json(of_model->get<double>() / *measured)
                                                               : Json();
}

/// GB/s that the makers print, of hardware as its driver calls it.
constexpr std::pair<std::string_view, double> data_sheets[] = {
    {"NVIDIA H200", 4800}, {"NVIDIA H100 80GB HBM3", 3350}, {"NVIDIA A100-SXM4-40GB", 1555}};

Json percent_of_data_sheet_of(const Record& record) {
  const auto bandwidth = number_of(record, "bandwidth_gb_per_s");
  for (const auto& [hardware, most] : data_sheets)
    if (bandwidth && record["hardware"] == hardware) return 100 * *bandwidth / most;
  return nullptr;
}

/// Of a GPU's record, whose counters are Nsight Compute's.
Json nsight_divergent_percent_of(const Record& record) {
  const auto all = number_of(record, "branches"), divergent = number_of(record, "divergent_branches");
  const bool is_of_gpu = record["device"].get_ref<const std::string&>().starts_with("cuda");
  return is_of_gpu && all && divergent && *all > 0 ? Json(100 * *divergent / *all) : Json();
}

struct DerivedColumn {
  std::string_view name;
  const char* meaning;
  Json (*of)(const Record&);
  Follows follows = Follows::exact;
  bool counted = false;
};

constexpr DerivedColumn derived[] = {
    {"words", "m × sets: the words of all sets of buckets", words_of},
    {"rest_bits", "log2(m × sets) less the bits that the input is sorted by", rest_bits_of},
    {"passes", "launches that read something: without those that only clear", passes_of},
    {"transfers_per_access", "of the traced warp's accesses of a level: 128-byte transfers for each access",
     transfers_per_access_of, Follows::exact, true},
    {"different_results", "results that differ in a bit, of repeated runs of one case (`result_digests`)",
     different_results_of},
    {"nsight_divergent_percent", "branches at which lanes part, of 100 on a GPU by Nsight Compute",
     nsight_divergent_percent_of},
    {"percent_of_data_sheet",
     "bandwidth, as a share of what the maker prints: H200 4800 GB/s, H100 SXM 3350, A100 40 GB 1555",
     percent_of_data_sheet_of, Follows::against},
    {"serial_of_measured",
     "the time that the cache simulator's model `serial` predicts, over the measured one",
     [](const Record& record) { return predicted_of(record, "serial"); }, Follows::against},
    {"overlapped_of_measured", "the same of the model `overlapped`",
     [](const Record& record) { return predicted_of(record, "overlapped"); }, Follows::against},
};

const DerivedColumn* find_derived(std::string_view name) {
  const auto found = std::ranges::find(derived, name, &DerivedColumn::name);
  return found == std::end(derived) ? nullptr : &*found;
}

constexpr std::pair<std::string_view, Follows> following[] = {{"time_ns", Follows::time},
                                                              {"ns_per_input", Follows::time},
                                                              {"bandwidth_gb_per_s", Follows::against},
                                                              {"percent_of_ceiling", Follows::against}};

bool is_one_of(const Json& value, const std::string& column, const Json& allowed) {
  if (allowed.is_array())
    return std::ranges::any_of(
        allowed, [&](const Json& value_of_list) { return is_one_of(value, column, value_of_list); });
  if (value == allowed) return true;
  if (column != "variant" || !value.is_string()) return false;
  return allowed == short_name(value);
}

}  // namespace

Follows follows_time(const std::string& quantity) {
  if (const DerivedColumn* const column = find_derived(quantity)) return column->follows;
  for (const auto& [name, follows] : following)
    if (name == quantity) return follows;
  return Follows::exact;
}

bool is_counted(const std::string& column) {
  if (const DerivedColumn* const derived_column = find_derived(column)) return derived_column->counted;
  return std::ranges::any_of(counter_fields(), [&](const Field& field) { return field.name == column; });
}

const Columns& claim_columns() {
  static const Columns columns = [] {
    Columns with_derived = record_columns();
    for (const DerivedColumn& column : derived) with_derived.all.emplace_back(column.name);
    return with_derived;
  }();
  return columns;
}

std::string derived_columns_markdown() {
  std::string text;
  for (const DerivedColumn& column : derived)
    text += fmt::format("| `{}` | {} |\n", column.name, column.meaning);
  return text;
}

Json column_of(const Record& record, const std::string& column) {
  if (const DerivedColumn* const derived_column = find_derived(column)) return derived_column->of(record);
  if (const Json* const axis = find_axis(record, column)) return *axis;
  if (const Json& counters = record["counters"]; counters.is_object())
    if (const auto found = counters.find(column); found != counters.end()) return *found;
  return nullptr;
}

std::optional<double> number_of(const Record& record, const std::string& column) {
  const Json value = column_of(record, column);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

bool fits_where(const Record& record, const Json& where) {
  return std::ranges::all_of(where.items(), [&](const auto& item) {
    return is_one_of(column_of(record, item.key()), item.key(), item.value());
  });
}

}  // namespace redbench
