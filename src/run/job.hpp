// What a process works on: cells in order, and the devices that they run on. A parent makes it of what a user
// asked for, a worker of its parent's message.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/cell/cell.hpp"
#include "src/config/input_files.hpp"
#include "src/plan/shard.hpp"
#include "src/run/battery.hpp"
#include "src/run/request.hpp"

namespace redbench {

/// A Request, and which command it is of.
struct Job {
  enum class Kind : std::uint8_t { run, profile, verify } kind = Kind::run;
  Request request;                   // verify: device and overrides.variants alone
  int schedules = 1;                 // verify on simt: schedules that each case is run under
  bool races = false;                // verify on simt: every access is checked
  Breadth breadth = Breadth::whole;  // verify
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();  // Work::until
};

/// What one process works on: the open devices, the config, its plan, and how the cells are run.
struct Work {
  Job::Kind kind = Job::Kind::run;
  int schedules = 1;
  bool races = false;
  std::unique_ptr<OpenDevices> devices;
  Config config;
  Battery battery;    // verify: what the cells are planned from
  InputFiles inputs;  // the files that the config names, not the inputs of a cell (Inputs)
  Plan plan;
  std::string shard;                          // "2/8"; empty: all of the plan
  Chosen chosen;                              // the cells of that part
  CellOptions options;                        // `measure` is the config's
  std::vector<std::uint64_t> schedule_seeds;  // by cell: the seed of SimtOptions
  bool has_fixed_boards =
      false;  // of several boards each makes the same cells in every run, as `selftest` compares them
  /// Of the parent alone: a worker that is silent for this long while it executes no case hangs, and one that lives on
  /// for this long after it was killed is left. While it executes a case, MeasureOptions::hang_s holds.
  double idle_s = 0;
  /// Of the parent alone: a run that is not done by then ends as one that is interrupted.
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();

  bool is_chosen(std::size_t cell) const { return chosen.empty() || chosen[cell]; }
  Device& device_of(const Case& case_) const { return devices->devices().of(*case_.variant); }
};

/// The modes in which a case has records.
inline std::vector<Mode> modes_of(const Case& case_, const Work& work) {
  return modes_recorded(work.device_of(case_), work.options);
}

/// Throws UsageError, with the first refusal, where no case can run in any mode, or fails by a mistake.
void check_runnable(const Work& work);

/// Reads the config, or finds the battery, and plans. Throws UsageError.
Work make_work(const Job& job);

/// The message to a worker: the config as it was read, the digests of the files that it names.
Json to_json(const Work& work);
/// The same cells. Nothing is read but the input files that a plan needs; where one has changed the plan may
/// be wrong, but no case of it is run (InputFiles).
Work deserialize_work(const Json& json);

}  // namespace redbench
