// Cells that two configs have in common: measured once, their records are in the runs of both.
#pragma once

#include <optional>
#include <vector>

#include "src/records/output_folder.hpp"
#include "src/run/job.hpp"

namespace redbench {

/// The records of one cell of another run, and the facts of the session that measured them there.
struct SharedCell {
  Json session;
  std::vector<Record> records;
};

/// What `other` has of a cell of `work`: a record for each case in each of its modes, where all of them were
/// measured in one session, in the same rounds, and all that decides them is equal: what record_identity
/// tells, how they were measured, GPU, driver and host. None else: cases of one cell are compared by rounds,
/// so it is taken whole or not at all. `session`: the facts of the session that would measure it here.
std::optional<SharedCell> shared_cell(const Work& work, std::size_t cell, const StoredRun& other,
                                      const Json& session);

/// The modes that a case has records of.
std::vector<Mode> modes_of(const Case& one, const Work& work);

/// Whether a record of this case need not be made again. What failed may have been the machine's fault; a
/// wrong result is a result. What was refused is tried where it would be refused no longer.
bool is_done(const Record& record, const std::string& refusal);

}  // namespace redbench
