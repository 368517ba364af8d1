// What keeps two records from being compared, and what else a reader has to know of them.
#pragma once

#include <string>
#include <vector>

#include "src/records/output_folder.hpp"

namespace redbench {

/// A record with the run that it is of.
struct RecordOfRun {
  const StoredRun& run;
  const Record& record;
};

/// Other hardware, driver or CUDA toolkit (on a CPU: compiler), inputs, or an SM clock that is more than 3 %
/// off: a sentence each. What either record does not tell keeps from nothing.
std::vector<std::string> obstacles(const RecordOfRun& first, const RecordOfRun& second);

/// Throttled while it was sampled, or of a source that is not this program's. `name`: the record's, "A".
std::vector<std::string> marks(const Record& record, const std::string& name);

/// How two runs were measured otherwise, and whether their programs are of two commits.
std::vector<std::string> measured_otherwise(const StoredRun& first, const StoredRun& second);

}  // namespace redbench
