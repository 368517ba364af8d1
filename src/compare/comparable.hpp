// What makes two records incomparable, and what a reader has to know about them.
#pragma once

#include <string>
#include <vector>

#include "src/records/output_folder.hpp"

namespace redbench {

/// A record and its run.
struct RecordOfRun {
  const StoredRun& run;
  const Record& record;
};

/// Why two records cannot be compared, a sentence each: other hardware, board (of a CPU: machine), driver,
/// CUDA toolkit (on a CPU: compiler), measuring code, inputs or number of OpenMP threads, or SM clocks more
/// than 3 % apart. An unknown driver, toolkit, compiler or measuring code is an obstacle, too, unless both
/// records are of one session.
std::vector<std::string> obstacles(const RecordOfRun& first, const RecordOfRun& second);

/// Which of the two, called by these names, was throttled while it was sampled, and which is stale.
std::vector<std::string> marks(const Record& first, const Record& second, const std::string& first_name,
                               const std::string& second_name);

/// What tells the machines of two runs' GPU records apart, a sentence each: that it is not known whether both
/// are of one board, other power limits, what two events cost where it differs by a tenth
/// (docs/decisions/0016-what-two-events-cost.md), ceilings of reading that differ by 2 %.
std::vector<std::string> machines_apart(const StoredRun& first, const StoredRun& second);

/// Differences in the measure options, drivers and commits of two runs, in a sentence; empty where there are
/// none.
std::string measured_otherwise(const StoredRun& first, const StoredRun& second);

}  // namespace redbench
