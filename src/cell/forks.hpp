// One record of what several processes measured of a case.
#pragma once

#include <vector>

#include "src/measure/stop_rule.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// Sets `samples_ns`, a list for each fork, and what follows from it: time, its interval, noise, bandwidth,
/// time per input. `error`: what the interval of a single fork may miss by (error_of_a_look). An interval is
/// never narrower than the clock's tick: `clock_tick_ns`, where that is null the closest two samples'
/// distance.
void set_times(Record& record, const std::vector<std::vector<double>>& forks, double error);

/// Of records of one case and mode, one from each fork: the first that has not passed, with its fork; else
/// the one with the median time, whose interval is that of the forks, with the largest error, the medians of
/// the ceilings, the clock and the empty sample, all repeated and slow samples, all reasons to throttle and
/// all samples. Stopped is what the worst fork says; where each was precise and their medians differ by so
/// much that the noise is above `max_noise` (percent), "forks_differ".
Record record_of_forks(const std::vector<Record>& forks, double max_noise);

}  // namespace redbench
