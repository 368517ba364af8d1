// Reads the experiments of a config: which variants, over which axes.
#pragma once

#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/config/json_node.hpp"

namespace redbench {

class ExperimentReader {
 public:
  /// Files that an axis names, {"file": "x.npy"}, are looked for in `folder` first, then in the working
  /// directory.
  ExperimentReader(std::string folder, const Overrides& overrides, Origins& origins);

  /// One entry of `experiments`; more than one where files decide n or type, none where -b leaves no variant.
  std::vector<Experiment> read(const Node& node);

  /// Throws UsageError where an override changed nothing, and where the experiments have too many cases.
  void finish() const;

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
  Json with_found_files(const Json& value) const;
  std::vector<Json> read_axis(const Node& axis, const std::string& name, const Experiment& experiment) const;
  std::vector<Experiment> split_by_file(const Node& node, const Experiment& experiment) const;

  std::string folder_;
  std::string pattern_;  // of -b
  Origins& origins_;
  std::vector<AxisOverride> axes_;
  std::vector<std::string> known_axes_, variants_seen_;
  bool any_variant_ = false;
  double cases_ = 0;
};

}  // namespace redbench
