// The tables of a run, all from the same records.
#pragma once

#include <string>
#include <vector>

#include "src/records/output_folder.hpp"
#include "src/tables/fit.hpp"
#include "src/tables/published.hpp"

namespace redbench {

struct RunTables {
  std::string csv;         // all cases and all numbers
  std::string json;        // the same
  std::string report;      // for scripts/: the tables' texts, notes, dates (docs/report.md)
  std::string markdown;    // cases and launches, by experiment and device
  std::string levels_csv;  // empty without levels
  /// Cases; launches only where there is nothing else. In colour where stdout supports it.
  std::string terminal;
};

/// Markdown and terminal tables are at most `width` characters wide; 0: any width (src/tables/fit.hpp).
RunTables make_tables(const StoredRun& run, const std::vector<PublishedNumber>& published,
                      int width = default_width);

/// Writes tables/NAME.csv, NAME.md, where `json` NAME.json, and report.json into the run's folder, NAME after the
/// config, and returns their paths. With levels, these are NAME.csv and the cases NAME_cases.csv.
std::vector<std::string> write_tables(const StoredRun& run, const RunTables& tables, bool json);

}  // namespace redbench
