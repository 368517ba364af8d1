// The shapes that every variant must pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/plan/plan.hpp"

namespace redbench {

struct Work;

/// How much of the battery. `few`: the kernels alone, on sizes up to 2^17 + 1, with the few pairs that differ
/// in what a race or an access could depend on; for checks of every access. `small`: of these pairs one for
/// each kind of order, on a few sizes up to 10007, for tools that slow a GPU a hundredfold.
enum class Breadth : std::uint8_t { whole, few, small };

/// What the cells are planned from. To find it takes many plans (the tiles of each variant are searched for),
/// to plan it takes one: the parent finds it, and workers are told.
struct Battery {
  std::vector<Experiment> experiments;
  std::vector<Experiment> scheduled;  // on the modelled device again under each schedule
};

/// Every variant that `pattern` fits, on sizes around its tiles, every pair, what the problem's axes give
/// the battery, and its launch parameters. Throws UsageError where no variant fits.
/// All three have the same launch parameters.
Battery make_battery(const std::string& pattern, Breadth breadth, const Devices& devices);

/// Fills config, plan and schedule seeds of `work`, whose devices are open; on simt the cells go through
/// `schedules` schedules. Throws UsageError for a problem that has variants, and no case that can run.
void plan_battery(const Battery& battery, int schedules, Work& work);

Json to_json(const Battery& battery);
Battery battery_from(const Json& json);

}  // namespace redbench
