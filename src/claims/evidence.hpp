// What claims are answered from: runs by the config that they are of, and what such runs differ by though
// nothing differs.
#pragma once

#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/claims/claim.hpp"
#include "src/records/output_folder.hpp"

namespace redbench {

/// The least difference that a comparison of two records calls, as a share of the time: by a self-test of
/// runs of the same hardware (`redbench selftest`).
struct LeastDifference {
  std::string folder;  // of the self-test
  double within_a_run = 0, between_runs = 0;
};

/// Where there is no self-test of the hardware: the threshold of `redbench compare`.
inline constexpr double usual_least_difference = 0.01;

struct EvidenceRun {
  StoredRun run;                         // with what cachesim/predictions.json says in its records
  std::map<std::string, double> levels;  // bytes of the device's caches: "L2"
};

class Evidence {
 public:
  /// Reads the runs in and below the folders that are of these configs, and self-tests. A run that cannot be
  /// read is told of in `damaged` and left out. Throws UsageError for a folder without any run.
  Evidence(const std::vector<std::string>& folders, const std::set<std::string>& configs);
  /// Of runs that are there, for tests.
  explicit Evidence(std::list<EvidenceRun> runs, std::map<std::string, LeastDifference> least = {});

  /// Of one config, in the order of their folders.
  std::vector<const EvidenceRun*> runs_of(const std::string& config) const;
  /// Null where no self-test of it is there, or all are stale.
  const LeastDifference* least_difference(const std::string& hardware) const;
  const std::map<std::string, LeastDifference>& least_differences() const { return least_; }
  /// The hardware that any record is of.
  std::set<std::string> hardware() const;

  /// Leaves records of the kinds of device of these names (cuda, simt, host) of this hardware alone. Throws
  /// UsageError for a name that no record is of.
  void keep_hardware(const std::vector<std::string>& names);

  const std::vector<std::string>& damaged() const { return damaged_; }

 private:
  void read_run(const std::string& folder);
  void read_self_test(const std::string& folder);

  std::list<EvidenceRun> runs_;                   // whose addresses stay
  std::map<std::string, LeastDifference> least_;  // by hardware
  std::vector<std::string> damaged_;
};

/// Every config that a claim reads.
std::set<std::string> configs_of(const std::vector<Claim>& claims);

}  // namespace redbench
