// Predictions of the cache simulator for a config's cases, with measured and published times to compare them
// with; as tables, and as what scripts/plot_cachesim.py draws.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/cachesim/loop.hpp"
#include "src/cachesim/machine.hpp"
#include "src/plan/plan.hpp"
#include "src/records/stored_run.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// The prediction of one case, on one machine, by one model.
struct PredictedCase {
  const Case* case_ = nullptr;
  std::string key;
  std::string machine;
  CacheModel model = CacheModel::serial;
  cachesim::Loop loop;
  cachesim::SimulatedLoop simulated;
  /// ns per input: a paper's number ("=" or "~", no bound) for the machine of that paper, else that of a run.
  std::optional<double> measured_ns;

  /// Error of the prediction in percent of the measured time.
  std::optional<double> error_percent() const;
};

struct Predictions {
  std::vector<PredictedCase> cases;  // in the plan's order, for each case by machine and then by model
  std::set<std::string> left_out;    // sentences: which cases are not predicted, and why
};

/// The loop of a case, with `kind` from the config. Throws UsageError where the simulator does not know the
/// case's problem, labels or sort.
cachesim::Loop loop_of(const Case& case_, LoopKind kind);

/// Predicts all cases that it can, on all cores. `run` may be null. Throws UsageError where there are none.
Predictions predict(const Config& config, const Plan& plan, const std::vector<cachesim::Machine>& machines,
                    const StoredRun* run);

/// Mean absolute error over the measured cases of a machine and a model.
struct MeanError {
  std::string machine;
  CacheModel model;
  double percent = 0;
  int cases = 0;
};
/// Of those with measured cases, in the order of the cases.
std::vector<MeanError> mean_errors(const Predictions& predictions);

/// A row for each case, for people: times, errors, misses of each level and of the TLB.
Table prediction_table(const Predictions& predictions);

/// The same with every count, for programs.
std::string prediction_csv(const Predictions& predictions);

/// {"schema", "name", "title", "steps", "machines", "errors": mean errors, "cases", "left_out"}
Json prediction_json(const Config& config, const std::vector<cachesim::Machine>& machines,
                     const Predictions& predictions);

}  // namespace redbench
