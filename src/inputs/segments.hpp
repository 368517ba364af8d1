// How an input is cut into segments.
#pragma once

#include <vector>

#include "src/inputs/problem.hpp"

namespace redbench {

/// The axis "segments":
///   one            a single segment over all
///   fixed:K        K values each (the last may be shorter)
///   uniform:A..B   sizes random between A and B; with A = 0 some are empty
///   geometric:M    sizes of mean M, many of them empty
///   zipf:S         sizes k with a probability like k^-S, S > 1
///   ...+empty      any of these, with an empty segment after each
///   {"file": "offsets.npy"}  offsets (i32, u32 or i64), as of a CSR row pointer: from 0, never decreasing,
///   to n
///   {"owners": "owners.npy"} the segment of each value, never decreasing; the largest is the number of
///   segments - 1
ProblemAxis segments_axis();

/// m + 1 offsets, from 0 to n. Throws UsageError where a file does not fit n.
std::vector<Index> segment_offsets(const Json& segments, Index n, std::uint64_t seed);

struct SegmentFacts {
  Index count = 0;
  Index longest = 0;  // values of the longest segment
};

/// The result is remembered, as a plan asks for each case.
SegmentFacts segment_facts(const Json& segments, Index n, std::uint64_t seed);

}  // namespace redbench
