// Evidence for claims: runs by config, and the least difference that counts on each hardware.
#pragma once

#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "src/claims/claim_file.hpp"
#include "src/compare/least_across.hpp"
#include "src/records/stored_run.hpp"

namespace redbench {

/// Least difference that a comparison finds with 80 % power, as a share of the time, by `redbench selftest`
/// on the same hardware.
struct LeastDifference {
  std::string folder;  // of the self-test
  double within_a_run = 0, between_runs = 0;
};

/// Without a self-test of the hardware: the threshold of `redbench compare`.
inline constexpr double usual_least_difference = 0.01;

struct EvidenceRun {
  StoredRun run;                         // its records have the predictions of cachesim/predictions.json
  std::map<std::string, double> levels;  // bytes of the device's caches: "L2"
};

class Evidence {
 public:
  /// Reads the runs of these configs in and below the folders, and self-tests. `damaged` names runs that
  /// cannot be read. Throws UsageError for a folder without any run.
  Evidence(const std::vector<std::string>& folders, const std::set<std::string>& configs)
      : Evidence(told_apart_below(folders), configs) {}
  Evidence(const RunsBelow& below, const std::set<std::string>& configs);
  /// For tests.
  explicit Evidence(std::list<EvidenceRun> runs, std::map<std::string, LeastDifference> least = {},
                    LeastAcross across = {});

  /// Runs of a config, in the order of their folders.
  std::vector<const EvidenceRun*> runs_of(const std::string& config) const;
  /// Null without a self-test of the hardware that is not stale.
  const LeastDifference* least_difference(const std::string& hardware) const;
  const std::map<std::string, LeastDifference>& least_differences() const { return least_; }
  /// By those self-tests that are of several boards.
  const LeastAcross& least_across() const { return across_; }
  /// Hardware of all records.
  std::set<std::string> hardware() const;

  /// Removes records of other hardware than these names, for the kinds of device (cuda, simt, host) that the
  /// names are of. Throws UsageError for hardware without a record.
  void keep_hardware(const std::vector<std::string>& names);

  const std::vector<std::string>& damaged() const { return damaged_; }

 private:
  void read_run(const std::string& folder);
  void add_self_test(const std::string& folder);

  std::list<EvidenceRun> runs_;                   // a list: addresses are handed out
  std::map<std::string, LeastDifference> least_;  // by hardware
  LeastAcross across_;
  std::vector<std::string> damaged_;
};

/// What is known of one GPU, by its name in run.json.
struct GpuEvidence {
  std::string gpu;
  Evidence evidence;
};

/// The evidence in and below the folders by GPU, in the order of their runs; where they are of fewer than two, all of it.
/// Runs of the modelled device go to each GPU; those of a host to the GPU whose runs lie nearest, in the smallest folder
/// that holds runs of a GPU, and to each GPU where those are of several.
std::vector<GpuEvidence> evidence_by_gpu(const std::vector<std::string>& folders,
                                         const std::set<std::string>& configs);

/// In percent, by the self-test of this hardware that lies in these folders, else the usual.
double least_difference_percent(const std::vector<std::string>& folders, const std::string& hardware);

/// Every config that a claim reads.
std::set<std::string> configs_of(const std::vector<Claim>& claims);

}  // namespace redbench
