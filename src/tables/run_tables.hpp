// The tables of a run, all from the same records.
#pragma once

#include <string>
#include <vector>

#include "src/records/output_folder.hpp"
#include "src/tables/published.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// The records of an experiment on a device: a part of the tables for readers.
struct Section {
  std::string title;   // of the experiment; may be empty
  std::string device;  // "NVIDIA H200 (cuda:0)", "simt:gtx480", "Intel Xeon (host)"
  std::vector<Record> records;

  std::string heading() const;
};

/// In the order of the experiments, kernels before the host. As in the plan, a record belongs to the first
/// experiment that asks for it; records that none asks for have a section whose title says so.
std::vector<Section> sections_of(StoredRun run);

struct RunTables {
  TablePaths paths;
  /// Every number in the unit and precision of the record. Columns: each field with a single value, axis and
  /// parameter; counters where any case has them; the number of samples; each launch field as a list,
  /// "blocks_per_launch"; the numbers of the paper, "published_time_ns (GTX 480)". Lists are joined by "; ".
  std::string csv;
  std::string json;        // an array of objects with these columns; empty unless it was asked for
  std::string report;      // for scripts/: the tables' texts, notes, dates (docs/report.md)
  std::string markdown;    // cases and launches, by experiment and device
  std::string levels_csv;  // empty without levels
  /// Cases; launches only where there is nothing else. In colour where stdout supports it.
  std::string terminal;
};

/// Markdown and terminal tables are at most `width` characters wide; 0: any width (fit).
RunTables make_tables(StoredRun run, const std::vector<PublishedNumber>& published, TableWidth width = {},
                      bool json = false);

/// Writes tables/NAME.csv, NAME.md, where `json` NAME.json, and report.json into the run's folder, NAME after
/// the config, and returns their paths. With levels, NAME.csv has these, and NAME_cases.csv the cases.
std::vector<std::string> write_tables(const RunTables& tables, bool json = false);

}  // namespace redbench
