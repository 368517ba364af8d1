// What a run that is resumed goes on from, and whether it may.
#pragma once

#include <string>
#include <vector>

#include "src/records/output_folder.hpp"
#include "src/run/job.hpp"

namespace redbench {

struct EarlierRun {
  Json facts;  // run.json, its config the wider of that run's and this one's
  std::vector<Record> records;
  std::vector<std::string> keys;  // of the wider one's cases, in the order of its plan
};

/// The run that is in the folder. Throws UsageError, with what differs, where it is of another device or
/// seed, of input files of other contents, or where each of the two has cases that the other lacks: a resumed
/// run has the same cases, a part of them, or more. `facts` are those of `work`.
EarlierRun earlier_run(const OutputFolder& folder, const Work& work, const Json& facts);

}  // namespace redbench
