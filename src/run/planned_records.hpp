// The records that a plan asks for, and which of them are there already: in its run, or in another one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/records/stored_run.hpp"
#include "src/run/job.hpp"

namespace redbench {

/// The keys of all cases, in the order of the plan, by what these input files hold (key_by_contents).
std::vector<std::string> keys_of(const Plan& plan, const InputFiles& inputs = {});

/// A record that the plan asks for.
struct PlannedRecord {
  const Case& case_;
  Mode mode;
  std::string identity;            // record_identity
  std::optional<Outcome> refused;  // how the record of a case that is refused in this mode ends
};
std::vector<PlannedRecord> planned_records(const Work& work, const Cell& cell);

/// Whether a record need not be made again. A failure may have been the machine's fault; a wrong result is a
/// result. What was refused is tried again where it is no longer refused. Of a mistake of `run` a failure is done: the plan
/// finds it again.
bool is_done(const Record& record, std::optional<Outcome> refused);

/// Whether a CPU algorithm's record is known to be of another number of OpenMP threads than this process has.
bool has_other_threads(const Record& record);

/// The records of one cell of another run, and the facts of the session that measured them there.
struct SharedCell {
  Json session;
  std::vector<Record> records;
};

/// The records that `other` has of a cell of `work`, one for each case and mode. None where a record is
/// missing, where they are of several sessions, or where anything that decides them differs: record_identity,
/// how they were measured, GPU, driver, host. Cases of one cell are compared by rounds, so the cell is taken
/// whole or not at all. `here`: the facts of the sessions of which one would measure it here.
std::optional<SharedCell> shared_cell(const Work& work, std::size_t cell, const StoredRun& other,
                                      const std::vector<Json>& here);

}  // namespace redbench
