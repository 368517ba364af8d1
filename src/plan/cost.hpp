// How long a plan takes, to the order of magnitude: from the bytes that each case moves, its launches and the
// limits of its sampling. While a run goes on, its true pace is learnt (src/run/time_left.hpp).
#pragma once

#include <string>
#include <vector>

#include "src/plan/plan.hpp"

namespace redbench {

/// Seconds of each cell of the plan, in one process. Without `timing` each case is checked, no more.
std::vector<double> cell_seconds(const Plan& plan, const MeasureOptions& measure, const Devices& devices,
                                 bool timing = true);

/// Processes that each cell is measured in: `measure.forks` where a case takes time, and one where the
/// modelled device has all cases.
std::size_t forks_of(const Plan& plan, const MeasureOptions& measure);

/// Seconds of a whole run, in all its processes.
double seconds_of(const Plan& plan, const MeasureOptions& measure, const Devices& devices,
                  bool timing = true);

/// "less than a second", "40 s", "12 min", "1.5 h"
std::string rough_duration(double seconds);

}  // namespace redbench
