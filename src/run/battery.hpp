// The battery of `redbench verify`: the cases that every variant must pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/plan/plan.hpp"

namespace redbench {

struct Work;

/// How much of the battery. `few`, for checks of every access: kernels alone, on sizes up to 2^17 + 1, with
/// the few pairs that differ in what a race or an access could depend on. `small`, for tools that slow a GPU
/// a hundredfold: one commutative and one other of these pairs, on a few sizes up to 10007.
enum class Breadth : std::uint8_t { whole, few, small };

/// What the cells are planned from. The tiles of each variant are found by many plans, so the parent searches
/// for them and sends the battery to its workers, which plan it once.
struct Battery {
  std::vector<Experiment> experiments;
  std::vector<Experiment> scheduled;  // on the modelled device: these again under each schedule
};

/// Every variant that `pattern` fits, on sizes around its tiles, with every pair, every value of its launch
/// parameters, and the values that the problem's axes have for the battery. Throws UsageError where no
/// variant fits.
Battery make_battery(const std::string& pattern, Breadth breadth, const Devices& devices);

/// Fills config, plan and schedule seeds of `work`, whose devices are open; on simt the cells go through
/// `schedules` schedules. Throws UsageError for a problem that has variants, and no case that can run.
void plan_battery(const Battery& battery, int schedules, Work& work);

void to_json(Json& json, const Battery& battery);
void from_json(const Json& json, Battery& battery);

}  // namespace redbench
