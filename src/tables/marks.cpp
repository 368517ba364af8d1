#include "src/tables/marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "src/records/fields.hpp"
#include "src/records/provenance.hpp"

namespace redbench {
namespace {

bool is_timed(const Record& record) { return record["time_ns"].is_number(); }

std::string throttled(const Record& record) {
  const Json& clocks = record["clocks"];
  const auto reasons = clocks.is_object() ? clocks.find("throttled_by") : clocks.end();
  if (reasons == clocks.end() || !reasons->is_array() || reasons->empty()) return {};
  std::vector<std::string> names;
  for (const Json& reason : *reasons)
    if (reason.is_string()) names.push_back(reason);
  return fmt::format("the GPU was throttled: {}", fmt::join(names, ", "));
}

struct Mark {
  const char* field;  // that it stands beside; null: the row's name
  std::string (*why)(const Record&);
};

const Mark marks[] = {
    {nullptr,
     [](const Record& record) {
       const std::string reason = stale_because(record);
       return reason.empty() ? reason : "stale: " + reason;
     }},
    {"time_ns", throttled},
    {"time_ns",
     [](const Record& record) -> std::string {
       return record["samples_slow"] > 0 ? "some samples at less than 97 % of the cell's clock" : "";
     }},
    {"time_ns",
     [](const Record& record) -> std::string {
       return record["launch_gap_hidden"] == false ? "with the host's launches: they could not be hidden"
                                                   : "";
     }},
    {"time_ns",
     [](const Record& record) -> std::string {
       // A GPU's rows alone say whether the gap was hidden.
       return record["launch_gap_hidden"].is_boolean() && record["mode"] != "graph" &&
                      record["queue_slot_ns"].is_null()
                  ? "no costly place in the GPU's queue was found, so launches may be at it: up to 1 µs each"
                  : "";
     }},
    {"time_ns",
     [](const Record& record) -> std::string {
       return record["stopped"] == "timeout" ? "out of time before it was precise" : "";
     }},
    {"time_ns",
     [](const Record& record) -> std::string {
       return record["stopped"] == "forks_differ"
                  ? "each fork is as precise as asked, and they differ by more than that"
                  : "";
     }},
    {"time_ns",
     [](const Record& record) -> std::string {
       return record["graph_beyond_l2"] == false
                  ? "the copies of the inputs are not more than five times the L2, which may hold some"
                  : "";
     }},
    {"energy_nj_per_input",
     [](const Record& record) -> std::string {
       const Json& missing = record["energy_missing"];
       return missing.is_string() ? "no energy: " + missing.get<std::string>() : "";
     }},
    // The ceiling is not one: said, so that it is not taken for a success.
    {"percent_of_ceiling",
     [](const Record& record) -> std::string {
       return record["percent_of_ceiling"] > 100 ? "above the measured ceiling: one of the two numbers is off"
                                                 : "";
     }},
};

/// The place of a field's column; none where the table has no such.
std::optional<std::size_t> column_of(const Table& table, const char* name) {
  if (!name) return 0;
  const std::vector<Field>& fields = case_fields();
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const Field& one) { return one.name == name; });
  const auto column = std::find_if(table.columns.begin(), table.columns.end(), [&](const Table::Column& one) {
    return field != fields.end() && one.name == field->heading();
  });
  if (column == table.columns.end()) return std::nullopt;
  return std::size_t(column - table.columns.begin());
}

void remark_on_samples(Table& table, const std::vector<Record>& records) {
  std::size_t timed = 0, at_most = 0, alone = 0;
  double noise = 0;
  for (const Record& record : records) {
    if (!is_timed(record)) continue;
    ++timed;
    alone += record["forks"] == 1;
    if (record["stopped"] != "max_samples") continue;
    ++at_most;
    if (record["noise_percent"].is_number()) noise = std::max(noise, record["noise_percent"].get<double>());
  }
  if (at_most > 0)
    table.remarks.push_back(
        fmt::format("Stopped at max_samples: {} of {} rows, noise up to {:.2g} %.", at_most, timed, noise));
  if (alone > 0)
    table.remarks.push_back(
        fmt::format("One fork: {} of {} rows, whose intervals speak of their process alone.", alone, timed));
}

}  // namespace

void mark_rows(Table& table, const std::vector<Record>& records) {
  for (const Mark& mark : marks) {
    const std::optional<std::size_t> column = column_of(table, mark.field);
    if (!column) continue;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (mark.field && !is_timed(records[i])) continue;
      if (const std::string why = mark.why(records[i]); !why.empty())
        table.rows[i][*column] += note(why, table.notes);
    }
  }
  remark_on_samples(table, records);
}

}  // namespace redbench
