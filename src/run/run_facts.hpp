// run.json: the facts of a run that are the same for many records.
#pragma once

#include <string>
#include <vector>

#include "src/run/job.hpp"

namespace redbench {

/// The facts of all records of a run: schema, config without the options of `measure`, device, digests of
/// input files. It has no session yet.
Json run_facts(const Work& work);

/// The facts of one session: options of `measure`, command line, driver, toolkit, compiler and flags, host,
/// commit, start. "ended" is null. Where the source had no git history when it was built, the commit is that
/// of the environment variable REDBENCH_COMMIT.
/// `board`: of several that share the run, the one that makes the session's records.
Json session_facts(const Work& work, const Board* board = nullptr);
/// One, or one for each of the boards.
std::vector<Json> sessions_here(const Work& work);

/// The words with which this process was started.
std::vector<std::string> own_command_line();

/// The text of run.json.
std::string text_of_facts(const Json& facts);

/// The config of a run, for messages: "configs/quick.json (Reductions that matter)".
std::string shown_config(const Json& facts);

/// The time as "2026-01-31T23:59:59Z".
std::string utc_now();

}  // namespace redbench
