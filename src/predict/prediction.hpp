// What the cache simulator says of a config's cases, beside what a run of it measured and what its paper
// says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/caches/loop.hpp"
#include "src/plan/plan.hpp"
#include "src/predict/machine_file.hpp"
#include "src/records/output_folder.hpp"

namespace redbench {

/// One case on one machine by one model.
struct PredictedCase {
  const Case* one = nullptr;
  std::string key;
  std::string machine;
  CacheModel model = CacheModel::serial;
  caches::Loop loop;
  caches::Prediction prediction;
  /// ns per input: of the run for the machine `host`, of the paper for the machine that it had; and whether
  /// the paper says "=" or "~", not less or more than.
  std::optional<double> measured_ns;

  /// Of the prediction, in percent of what was measured.
  std::optional<double> error_percent() const;
};

struct Predictions {
  std::vector<PredictedCase>
      cases;  // in the plan's order; for each its machines, for each of these its models
  std::vector<std::string> left_out;  // sentences: which cases are not predicted, and why
};

/// The loop that a case is, with `kind` from the config. Throws UsageError, a sentence, where the simulator
/// has none such: a problem, labels or a sort that it does not know.
caches::Loop loop_of(const Case& one, LoopKind kind);

/// Throws UsageError where nothing is left. On all cores.
Predictions predict(const Config& config, const Plan& plan, const std::vector<MachineFile>& machines,
                    const StoredRun* run);

/// The mean of the errors without their signs, in percent, of the cases that one machine and model have been
/// measured on; none where there are none.
std::optional<double> mean_absolute_error(const Predictions& predictions, const std::string& machine,
                                          CacheModel model);

}  // namespace redbench
