// The shapes that every variant must pass.
#pragma once

#include <string>

namespace redbench {

struct Work;

/// Fills config, plan and schedule seeds of `work`, whose devices are open: every variant that `pattern`
/// fits, on sizes around its tiles, every pair, every kind of values, its launch parameters, and on simt
/// under `schedules` schedules. Throws UsageError where no variant fits.
///
/// For `races` the kernels alone, on the same sizes up to 2^17 + 1 and the same launch parameters, but with
/// five pairs: i32 sum, f32 min, u32 affine (8 bytes, not commutative), i32 right, c64 sum (16 bytes); and
/// with one kind of values.
void make_battery(const std::string& pattern, int schedules, bool races, Work& work);

}  // namespace redbench
