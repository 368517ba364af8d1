// One record of what several processes measured of a case.
#pragma once

#include <vector>

#include "src/measure/stop_rule.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// Sets `samples_ns`, a list for each fork, and what follows from it: time, its interval, noise, bandwidth,
/// time per input. `error` is the error probability of a single fork's interval (error_of_a_look). An
/// interval is never narrower than the clock's tick: `clock_tick_ns`, or where that is null the least
/// distance of two samples.
void set_times(Record& record, const std::vector<std::vector<double>>& forks, double error);

/// Combines the records of one case and mode, one from each fork. Where a fork has not passed, the first such
/// record, with its fork. Else the record of the median time, with
/// - the interval of the forks' medians, all samples, the largest error,
/// - the medians, sums and lists that the rows of the fields ask for (Field::over_forks),
/// - all reasons for throttling, and the worst reason to stop: "forks_differ" where each fork was precise,
///   but their medians differ so much that the noise is above `max_noise` (percent).
Record record_of_forks(const std::vector<Record>& forks, double max_noise);

}  // namespace redbench
