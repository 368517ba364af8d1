// The tables of a run, all from the same records: for its folder, for a terminal, and where else they are
// asked for.
#pragma once

#include <string>
#include <vector>

#include "src/records/output_folder.hpp"
#include "src/tables/fit.hpp"
#include "src/tables/published.hpp"

namespace redbench {

struct RunTables {
  std::string csv;       // every case, in full
  std::string markdown;  // for readers: of each experiment and device the cases, then the launches
  std::string json;      // the same as csv
  std::string terminal;  // the same under the title, launches where there is nothing else; in colour where
                         // standard output takes it (takes_control_bytes)
  // Where the config asks for levels (src/tables/level_table.hpp), the table that it is named after; else
  // empty.
  std::string levels_csv;
};

/// Those for readers are at most `width` characters wide, 0: as wide as they are (src/tables/fit.hpp).
RunTables make_tables(const StoredRun& run, const std::vector<PublishedNumber>& published,
                      int width = default_width);

/// Writes the tables into the run's folder: tables/NAME.csv and NAME.md, after the config, and NAME.json
/// where `json`. Gives their paths. With levels, these are NAME.csv, and the cases NAME_cases.csv.
std::vector<std::string> write_tables(const StoredRun& run, const RunTables& tables, bool json);

}  // namespace redbench
