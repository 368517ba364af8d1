// Runs that are read are data from strangers: checked against the rows of their fields.
#pragma once

#include <string>

#include "src/records/record.hpp"

namespace redbench {

/// What keeps a line of a file from being a record ("launches[0].blocks: a whole number is expected, not
/// -1"), or empty: fields that no record has, values of another kind, times that contradict each other. A
/// field that may be null may also be missing.
std::string mistake_in(const Json& line);

/// The same of run.json: its own keys and what it tells of each session. Keys that are not known are let be.
std::string mistake_in_facts(const Json& facts);

/// The same record with all fields: null where one is missing, derived numbers where they are not stored, and
/// null where a case that has not passed has what only passed ones may have, whatever the file says.
Record completed(const Record& record);

}  // namespace redbench
