// Exact scans of segments: the reference of segscan.
#pragma once

#include "src/inputs/problem.hpp"

namespace redbench {

/// n results: result i is the reduction of the values before value i that have its owner, in input order. Inputs with
/// the same owner are neighbours (owners: u32). `exact`: over these values no order of operations rounds. The memory
/// must outlive the reference.
std::unique_ptr<Reference> scan_of_segments(const Pair& pair, bool exact, const Inputs& inputs);

}  // namespace redbench
