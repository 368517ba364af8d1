// The counters of a GPU, by NVIDIA's Nsight Compute: ncu runs redbench again, and its table is read.
#pragma once

#include <string>
#include <vector>

#include "src/records/record.hpp"

namespace redbench {

/// One launch as Nsight Compute's CSV has it.
struct MeasuredLaunch {
  std::string kernel;  // the function's name alone
  Json counters;       // by counter_names; null where there is no number
};

/// The path of ncu; empty where PATH has none.
std::string find_ncu();
/// Whether this process already runs under it.
bool is_under_ncu();
/// Runs this process's own command line once more under ncu, and returns what was counted. Throws UsageError,
/// with ncu's errors, where the command ends with a code that is no outcome of its cases.
std::vector<MeasuredLaunch> run_again_under(const std::string& ncu);

/// Reads ncu's page `raw`: a row of names, a row of units, a row for each launch; other lines are messages.
/// Throws UsageError with `path` and what is wrong.
std::vector<MeasuredLaunch> read_ncu_table(const std::string& text, const std::string& path);

/// Sets the counters of the passed records, which were made one after the other, and of their launches;
/// launches of other kernels (of libraries) are skipped. Returns why a record got none; empty where all with
/// launches did.
std::string add_measured_counters(std::vector<Record>& records, const std::vector<MeasuredLaunch>& launches);

}  // namespace redbench
