// The run that --resume continues, and whether it may.
#pragma once

#include <string>
#include <vector>

#include "src/records/output_folder.hpp"
#include "src/run/job.hpp"

namespace redbench {

struct EarlierRun {
  Json facts;  // run.json, with the config of that run or of this one, whichever has more cases
  std::vector<Record> records;
  std::vector<BadLine> bad;       // lines that are none: their cases are made again
  std::vector<std::string> keys;  // of that config's cases, in the order of its plan
  /// Options of `measure` that its records were made with and this run would not: "measure.max_samples is 50
  /// there, 60 here".
  std::string measured_otherwise;
};

/// The run that is in the folder; `facts` are those of `work`. A resumed run has the same cases, a part of
/// them, or more. Throws UsageError, with what differs, where each of the two has cases that the other lacks,
/// or where the device, the seed, the contents of an input file, or options of `measure` that decide
/// what a record holds or what its interval speaks of are others.
EarlierRun earlier_run(const OutputFolder& folder, const Work& work, const Json& facts);

}  // namespace redbench
