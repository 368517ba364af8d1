// Several runs of one config as one.
#pragma once

#include <string>
#include <vector>

#include "src/records/output_folder.hpp"

namespace redbench {

/// A run to be joined with others: all records of its file.
struct RunPart {
  std::string path;
  Json facts;  // run.json
  std::vector<Record> records;
  std::vector<BadLine> bad;
};

struct JoinedRun {
  Json facts;
  std::string records;         // the text of records.jsonl
  std::size_t count = 0;       // of these
  std::size_t cases = 0;       // of the config
  std::size_t unmeasured = 0;  // of those, without a record
};

/// All sessions, by their start; all records of each, sorted by the plan of a config that has the cases of all
/// parts. What two parts have alike is there once. Of several records of a case, the last is one that was not
/// refused and has not failed. However parts are joined in groups first, the result is the same to the byte.
/// Throws UsageError, naming the parts and what differs, where they are of two configs, devices or inputs,
/// were measured by other options of `measure` that decide what a record holds, or have a case of which two
/// builds or CPUs made a record.
JoinedRun joined(std::vector<RunPart> parts);

}  // namespace redbench
