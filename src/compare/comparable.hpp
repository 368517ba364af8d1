// What makes two records incomparable, and what a reader has to know about them.
#pragma once

#include <string>
#include <vector>

#include "src/records/stored_run.hpp"

namespace redbench {

/// A record and its run.
struct RecordOfRun {
  const StoredRun& run;
  const Record& record;
};

/// Why two records cannot be compared, a sentence each: other hardware, driver, CUDA toolkit (on a CPU:
/// compiler), measuring code, inputs or number of OpenMP threads, or SM clocks more than 3 % apart. An unknown
/// driver, toolkit, compiler or measuring code is an obstacle, too, unless both records are of one session.
std::vector<std::string> obstacles(const RecordOfRun& first, const RecordOfRun& second);

/// Whether two records are known to be of two machines (boards of a GPU), by the hashes of their ids.
bool are_of_two_machines(const RecordOfRun& first, const RecordOfRun& second);

/// Why the times of two records may be those of two machines (boards of a GPU): the hashes of their ids are
/// two, or one is not known. Empty where both are one; of one run, also where its sessions do not say.
std::string why_other_machine(const RecordOfRun& first, const RecordOfRun& second);

/// Which of the two, called by these names, was throttled while it was sampled, and which is stale.
std::vector<std::string> marks(const Record& first, const Record& second, const std::string& first_name,
                               const std::string& second_name);

/// What tells the machines of two runs' GPU records apart, a sentence each: that they are of two boards, or
/// that it is not known whether they are of one, other power limits, what two events cost where it differs by
/// a tenth
/// (docs/decisions/0016-what-two-events-cost.md), ceilings of reading that differ by 2 %.
std::vector<std::string> machines_apart(const StoredRun& first, const StoredRun& second);

/// Differences in the measure options, drivers and commits of two runs, in a sentence; empty where there are
/// none.
std::string measured_otherwise(const StoredRun& first, const StoredRun& second);

}  // namespace redbench
