// What two kernels do on a modelled device, counted, and by how much it differs.
#pragma once

#include <string>
#include <vector>

#include "src/records/record.hpp"
#include "src/why/source_lines.hpp"

namespace redbench {

/// A source line and what it has of a count.
struct CountedLine {
  std::string variant, file;
  int line = 0;
  std::string text;
  std::uint64_t count = 0;
};

/// One kind of event, over all launches of a case.
struct CountedDifference {
  std::string name;  // "shared_conflicts"
  std::string what;  // of more than one, for sentences: "turns of the banks lost to conflicts"
  std::uint64_t from = 0, to = 0;
  std::vector<CountedLine> lines = {};  // of each variant those with most, the most first
};

/// A number that follows from the launches alone.
struct LaunchDifference {
  std::string name, what, unit;
  double from = 0, to = 0;
};

/// Events whose counts are more than 1 % apart, by how many events that is, the most first: each is a turn of
/// a warp or of what serves it.
std::vector<CountedDifference> counted_differences(const Record& from, const Record& to,
                                                   SourceLines& sources);

/// Launches, blocks, occupancy, bytes: those that differ. Occupancy, threads and shared memory are of the
/// launch with most threads.
std::vector<LaunchDifference> launch_differences(const Record& from, const Record& to);

}  // namespace redbench
