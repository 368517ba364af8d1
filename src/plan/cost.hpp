// How long a plan takes, to the order of magnitude: from the bytes that each case moves, its launches and the
// limits of its sampling. A run learns its machine's pace as it goes (src/run/progress.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/plan/plan.hpp"

namespace redbench {

/// Seconds of each cell of the plan, in one process. Without `timing` each case is checked, no more.
std::vector<double> cell_seconds(const Plan& plan, const MeasureOptions& measure, const Devices& devices,
                                 bool timing);

/// The same in microseconds of a machine that is none in particular, so that it is the same everywhere: what
/// this one has no memory for counts, too. At least 1.
std::vector<std::uint64_t> cell_weights(const Plan& plan, const MeasureOptions& measure, bool timing);

/// Processes that each cell is measured in: `measure.forks` where a case takes time, and one where the
/// modelled device has all cases.
std::size_t forks_of(const Plan& plan, const MeasureOptions& measure);

/// Seconds of a whole run, in all its processes.
double seconds_of(const Plan& plan, const MeasureOptions& measure, const Devices& devices,
                  bool timing = true);

/// "less than a second", "40 s", "12 min", "1.5 h"
std::string rough_duration(double seconds);

}  // namespace redbench
