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

/// Other hardware, driver or CUDA toolkit (on a CPU: compiler), measuring code, inputs, or an SM clock that
/// is more than 3 % off: a sentence each. So is a driver, toolkit, compiler or measuring code that either
/// does not tell, but for what two records of one session share.
std::vector<std::string> obstacles(const RecordOfRun& first, const RecordOfRun& second);

/// Which of the two was throttled while it was sampled, and which is stale; they are called by their names.
std::vector<std::string> marks(const Record& first, const Record& second, const std::string& first_name,
                               const std::string& second_name);

/// How two runs were measured otherwise, and whether their programs are of two commits.
std::vector<std::string> measured_otherwise(const StoredRun& first, const StoredRun& second);

}  // namespace redbench
