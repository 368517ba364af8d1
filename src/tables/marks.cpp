#include "src/tables/marks.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
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
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string energy_missing(const Record& record) {
  const Json& reason = record["energy_missing"];
  return reason.is_string() ? reason.get<std::string>() : "";
}

/// Whether the point of its launch parameters has 16 times as many inputs or labels as the case, or the other way round.
bool is_tuned_far_away(const Record& record) {
  constexpr double far = 16;
  static const RE2 sizes("^n=(\\d+) m=(\\d+) ");
  const Json &at = record["tuned_at"], &axes = record["axes"];
  double n = 0, m = 0;
  if (!at.is_string() || !RE2::PartialMatch(at.get<std::string>(), sizes, &n, &m)) return false;
  const auto is_far = [](double point, const Json& asked) {
    return point > 0 && asked.is_number() && asked > 0 &&
           (point >= far * asked.get<double>() || asked >= far * point);
  };
  return is_far(n, record["n"]) || (axes.contains("m") && is_far(m, axes["m"]));
}

struct Mark {
  const char* field;  // the column that is marked; null: the name of the row
  const char* note;
  bool (*applies)(const Record&);                  // null: where there is a detail
  std::string (*detail)(const Record&) = nullptr;  // follows the note
  bool is_minor = false;                           // tables count such rows or show a gap, and mark none
};

constexpr bool minor = true;

/// In the order of the notes under a table.
const Mark marks[] = {
    {nullptr, "stale: ", nullptr, why_stale},
    {"time_ns", "the GPU was throttled: ", nullptr, throttled},
    {"time_ns", "some samples at less than 97 % of the cell's clock",
     [](const Record& record) { return record["samples_slow"] > 0; }},
    {"time_ns", "includes the host's launch overhead, which could not be hidden",
     [](const Record& record) { return record["launch_gap_hidden"] == false; }},
    {"time_ns", "launch-slot cost not corrected (up to 1 µs for each launch)",
     [](const Record& record) {  // only records of a GPU have launch_gap_hidden
       return record["launch_gap_hidden"].is_boolean() && record["mode"] != "graph" &&
              record["queue_slot_ns"].is_null();
     }},
    {"time_ns", "the time limit came before the precision that was asked for",
     [](const Record& record) { return record["stopped"] == "timeout"; }},
    {"time_ns", "processes differ by more than the precision that was asked for",
     [](const Record& record) { return record["stopped"] == "forks_differ"; }},
    {"time_ns", "the copies of the inputs are at most five times the L2 cache, which may hold some of them",
     [](const Record& record) { return record["graph_beyond_l2"] == false; }},
    {"time_ns", "tuned at 16 times as many inputs or labels or more, or at a sixteenth or less",
     is_tuned_far_away},
    {"energy_nj_per_input", "no energy: ", nullptr, energy_missing},
    {"percent_of_ceiling",
     "above the measured ceiling: not all inputs are read, or one of the two numbers is off",
     [](const Record& record) { return record["percent_of_ceiling"] > 100; }},
    {"time_ns", "no interval", [](const Record& record) { return record["time_low_ns"].is_null(); }, nullptr,
     minor},
    {"time_ns", "stopped at max_samples",
     [](const Record& record) { return record["stopped"] == "max_samples"; }, nullptr, minor},
    {"time_ns", "measured in one process", [](const Record& record) { return record["forks"] == 1; }, nullptr,
     minor},
};

/// The note of a record; empty where it does not apply.
std::string note_of(const Mark& mark, const Record& record) {
  if (mark.field && !is_timed(record)) return {};
  const std::string detail = mark.detail ? mark.detail(record) : "";
  return (mark.applies ? mark.applies(record) : !detail.empty()) ? mark.note + detail : "";
}

/// Index of the column that shows a field of a case; none where the table has no such.
std::optional<std::size_t> column_of(const Table& table, const char* name) {
  if (!name) return 0;
  const Field& field = *std::ranges::find(case_fields(), name, &Field::name);
  const auto column = std::ranges::find(table.columns, field.heading(), &Table::Column::name);
  if (column == table.columns.end()) return std::nullopt;
  return std::size_t(column - table.columns.begin());
}

/// What the remarks under a table count.
struct SampleCounts {
  std::size_t timed = 0, at_most = 0, alone = 0;
  double noise = 0;  // the most of those that stopped at max_samples

  SampleCounts() = default;
  /// Of one record.
  explicit SampleCounts(const Record& record)
      : timed(is_timed(record)),
        at_most(timed && record["stopped"] == "max_samples"),
        alone(timed && record["forks"] == 1),
        noise(at_most && record["noise_percent"].is_number() ? record["noise_percent"].get<double>() : 0) {}

  void add(const SampleCounts& other) {
    timed += other.timed;
    at_most += other.at_most;
    alone += other.alone;
    noise = std::max(noise, other.noise);
  }

  void add_remarks(Table& table) const {
    if (at_most > 0)
      table.remarks.push_back(
          fmt::format("Stopped at max_samples: {} of {} rows, noise up to {:.2g} %.", at_most, timed, noise));
    if (alone > 0)
      table.remarks.push_back(fmt::format(
          "One fork: {} of {} rows, whose intervals say nothing about other processes.", alone, timed));
  }
};

/// A note that a row of a table has.
struct MarkedRow {
  std::size_t row;
  std::string note;
};

}  // namespace

void mark_rows(Table& table, const PackedRecords& records) {
  std::array<std::vector<MarkedRow>, std::size(marks)> marked;
  SampleCounts counts;
  const auto notes_of = [](const Record& record) {
    std::array<std::string, std::size(marks)> notes;
    for (std::size_t i = 0; i < notes.size(); ++i)
      if (!marks[i].is_minor) notes[i] = note_of(marks[i], record);
    return std::pair(std::move(notes), SampleCounts(record));
  };
  std::size_t row = 0;
  records.for_each(notes_of, [&](const auto& made) {
    const auto& [notes, counted] = made;
    for (std::size_t i = 0; i < notes.size(); ++i)
      if (!notes[i].empty()) marked[i].push_back({row, notes[i]});
    counts.add(counted);
    ++row;
  });
  for (std::size_t i = 0; i < marked.size(); ++i)
    if (const std::optional<std::size_t> column = column_of(table, marks[i].field))
      for (const MarkedRow& of : marked[i]) table.rows[of.row][*column] += note(of.note, table.notes);
  counts.add_remarks(table);
}

std::vector<std::string> disturbances(const Record& record) {
  std::vector<std::string> notes;
  for (const Mark& mark : marks)
    if (mark.field)
      if (const std::string text = note_of(mark, record); !text.empty()) notes.push_back(text);
  return notes;
}

}  // namespace redbench
