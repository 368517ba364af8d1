// Reads the experiments of a config: which variants, over which axes.
#pragma once

#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/inputs/problem.hpp"
#include "src/json/node.hpp"

namespace redbench {

class ExperimentReader {
 public:
  /// Files that an axis names, {"file": "x.npy"}, are looked for in `folder` first, then in the working
  /// directory.
  ExperimentReader(std::string folder, const Overrides& overrides, Origins& origins);

  /// One entry of `experiments`, of the shape that config_shape gives it; more than one where files decide n
  /// or type, none where -b leaves no variant.
  std::vector<Experiment> read(const Node& node);

  /// After all entries. Throws UsageError where an override changed nothing, and for too many cases.
  void finish() const;

  /// The problems of all entries, also of those that -b leaves out.
  const std::vector<const Problem*>& problems_read() const { return problems_; }

 private:
  /// -a name=values
  struct AxisOverride {
    std::string text, name;
    Json values;
    bool used = false;
  };
  using Axes = std::vector<std::pair<std::string, std::vector<Json>>>;

  void count_cases(const Experiment& experiment);
  Json with_overrides(const Node& node, const std::vector<std::string>& known);
  std::vector<Experiment> split_by_file(const Node& node, const Experiment& experiment) const;

  std::string folder_;
  std::string pattern_;  // of -b
  Origins& origins_;
  std::vector<AxisOverride> axes_;
  std::vector<std::string> known_axes_, variants_seen_;
  std::vector<const Problem*> problems_;
  bool any_variant_ = false;
  double cases_ = 0;
};

}  // namespace redbench
