// The fields of run.json (src/records/field.hpp): what is checked where one is read, and the tables of
// docs/reference/records.md. Written by src/run/run_facts.cpp and src/run/recording.cpp.
#pragma once

#include <vector>

#include "src/records/field.hpp"

namespace redbench {

/// Fields of run.json. Others are ignored where one is read.
const std::vector<Field>& run_fields();
/// Fields of each entry of `sessions`, or of an older run.json itself. Others are ignored, too.
const std::vector<Field>& session_fields();

}  // namespace redbench
