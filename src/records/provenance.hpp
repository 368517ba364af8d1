// Provenance of a record: kernel, measuring code, compiler; and whether they are those of this program.
#pragma once

#include <string>

#include "src/records/record.hpp"

namespace redbench {

/// Adds `source_hash`, `measured_by`, `measuring_hash` and `built_by`.
void add_provenance(Record& record, const Variant& variant, Target target);

/// What tells the machine of a session's records of a device from another of its model: the hash of the board's
/// UUID, of a CPU that of the machine's id. Null where that is not known, and of a modelled device.
Json machine_of(const Json& session, const std::string& device);

/// Whether other measuring code than this program's made the record, or an unknown version of it.
bool is_measured_otherwise(const Record& record);

/// Why a record is stale: "kernel gone" or "kernel changed", "measured otherwise" or "measured by an unknown
/// version", joined by "; ". Empty where kernel and measuring code are those of this program; another
/// compiler makes no record stale, and neither does a kernel of --kernels that this program has not loaded.
std::string why_stale(const Record& record);

/// Whether this program's kernels for the record's device have another compiler or other flags; false where
/// it has no kernels for that device.
bool is_built_otherwise(const Record& record);

}  // namespace redbench
