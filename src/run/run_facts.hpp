// run.json: everything about a run that is not a record.
#pragma once

#include <string>

#include "src/config/config.hpp"
#include "src/plan/plan.hpp"

namespace redbench {

/// Schema, config, command line, device, driver, toolkit, compiler and flags, host, commit, start. "ended" is
/// null.
Json run_facts(const Config& config, const Devices& devices);

/// The time as "2026-01-31T23:59:59Z".
std::string utc_now();

}  // namespace redbench
