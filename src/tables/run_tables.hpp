// The tables of a run, all from the same records.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/records/stored_run.hpp"
#include "src/tables/published.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// The records of an experiment on a device: a part of the tables for readers.
struct Section {
  std::string title;   // of the experiment; may be empty
  std::string device;  // "NVIDIA H200 (cuda:0)", "simt:gtx480", "Intel Xeon (host)"
  PackedRecords records;

  std::string heading() const;
};

/// In the order of the experiments, kernels before the host. As in the plan, a record belongs to the first
/// experiment that asks for it; records that none asks for have a section whose title says so.
std::vector<Section> sections_of(const PackedRun& run);

/// Takes a text piece by piece.
using TakeText = std::function<void(std::string_view)>;

/// Where the tables of a run go; those without a taker are not made.
struct TableTakers {
  TakeText levels_csv = {};  // first; nothing without levels
  /// Every number in the unit and precision of the record. Columns: each field with a single value, axis and
  /// parameter; counters where any case has them; the number of samples; each launch field as a list,
  /// "blocks_per_launch"; the numbers of the paper, "published_time_ns (GTX 480)". Lists are joined by "; ".
  TakeText csv = {};
  TakeText json = {};      // an array of objects with these columns
  TakeText report = {};    // for scripts/: the tables' texts, notes, dates (docs/report.md)
  TakeText markdown = {};  // cases and launches, by experiment and device
  /// Cases; launches only where there is nothing else. In colour where stdout supports it.
  TakeText terminal = {};
};

/// Markdown and terminal tables are at most `width` characters wide; 0: any width (fit).
void make_tables(const PackedRun& run, const std::vector<PublishedNumber>& published, TableWidth width,
                 const TableTakers& to);

/// All tables as texts; that of `json` where it is asked for.
struct RunTables {
  std::string csv, json, report, markdown, levels_csv, terminal;
};
RunTables make_tables(const PackedRun& run, const std::vector<PublishedNumber>& published,
                      TableWidth width = {}, bool json = false);

/// Writes tables/NAME.csv, NAME.md, where `json` NAME.json, and report.json into the run's folder, NAME after
/// the config, and returns their paths. With levels, NAME.csv has these, and NAME_cases.csv the cases.
std::vector<std::string> write_tables(const PackedRun& run, const std::vector<PublishedNumber>& published,
                                      TableWidth width = {}, bool json = false);

}  // namespace redbench
