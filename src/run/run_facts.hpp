// run.json: everything about a run that is not a record.
#pragma once

#include <string>

#include "src/run/job.hpp"

namespace redbench {

/// What all records of a run share: schema, config but for how it is measured, device, digests of input
/// files; no session yet.
Json run_facts(const Work& work);

/// What those of one session share: how they were measured, command line, driver, toolkit, compiler and
/// flags, host, commit, start. "ended" is null. The commit of a source without its history is taken from the
/// environment, REDBENCH_COMMIT.
Json session_facts(const Work& work);

/// As run.json has them.
std::string text_of_facts(const Json& facts);

/// Which config the run of these facts is of, for messages: "configs/quick.json (Reductions that matter)".
std::string shown_config(const Json& facts);

/// The time as "2026-01-31T23:59:59Z".
std::string utc_now();

}  // namespace redbench
