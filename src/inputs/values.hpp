// The values that a problem reduces: generated, or from the user's file.
#pragma once

#include "src/inputs/problem.hpp"

namespace redbench {

/// The axis "values": a distribution by name, or {"file": "x.npy"}.
///   uniform  random, with many bits that differ: what is timed
///   exact    small whole numbers, so that sums are exact in any order and a missing element shows
///            (above 2^16 elements of f16 all but 1024 are 0, so that a missing part shows)
///   equal    all the same
///   extreme  smallest and largest in turn
/// Products are exact whatever the distribution: odd integers, and signed powers of two that no order takes
/// out of range. No value is the operator's identity for `right`.
ProblemAxis values_axis();
std::vector<std::string> distributions();

/// `count` elements. Element i depends on the seed and i, so that any number of threads gives the same and a
/// longer input starts with the shorter one. Where a sum's size is bounded it depends on count, too: for
/// `exact`, and for all sums of f16, whose values are a power of two smaller where 2^15 of them would leave
/// its range.
HostBuffer make_values(const InputSpec& input, Index count);

/// Throws where `values` cannot give `count` elements of the type and operator: Refusal for a file of another
/// type; UsageError for one that is too short, whose products leave the type's range, or that has the
/// identity of `right`.
void check_values(const InputSpec& input, Index count);

/// No order of the operations rounds.
bool exact_in_any_order(const InputSpec& input, Index count);

/// The file of a "values" axis; empty for a generated one.
std::string values_file(const Json& value);

}  // namespace redbench
