// Checks of runs that are read: they may come from anybody.
#pragma once

#include <string>

#include "src/records/record.hpp"

namespace redbench {

/// Why a line of a file is no record ("launches[0].blocks: a whole number from 0 is expected, not -1"), or
/// empty: fields that no record has, values of another type, times that contradict each other. Nullable
/// fields may be missing.
std::string why_not_a_record(Json line);

/// The same, and completes a line that is a record.
std::string complete_checked(Record& line);

/// The same for run.json and each of its sessions. Unknown keys are ignored.
std::string why_not_a_run(const Json& facts);

/// The record with all fields: missing ones are null or, where derived, computed. A case that has not passed
/// loses the fields that only passed cases may have, whatever the file says.
Record completed(Record record);

/// The record, if it can be read again once it is written. Else that of a failed case, which says what
/// cannot: a number that JSON does not have, or a field that is not as it must be. Throws std::runtime_error
/// where what the plan knows of the case is at fault.
Record readable(Record record);

}  // namespace redbench
