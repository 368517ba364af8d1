// The shapes that every variant must pass.
#pragma once

#include <string>

namespace redbench {

struct Work;

/// Fills config, plan and schedule seeds of `work`, whose devices are open: every variant that `benchmark`
/// fits, on sizes around its tiles, every pair, every kind of values, its launch parameters, and on simt
/// under `schedules` schedules. Throws UsageError where no variant fits.
void make_battery(const std::string& benchmark, int schedules, Work& work);

}  // namespace redbench
