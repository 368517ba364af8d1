#include "src/reproduce/precision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

/// The n of all experiments of a config; 0 where they have several, or a file decides.
Index only_n(const Config& config) {
  std::set<Index> sizes;
  for (const Experiment& experiment : config.experiments) {
    const auto n = std::ranges::find(experiment.axes, "n", &std::pair<std::string, std::vector<Json>>::first);
    if (n == experiment.axes.end()) return 0;
    for (const Json& value : n->second) sizes.insert(value.get<Index>());
  }
  return sizes.size() == 1 ? *sizes.begin() : 0;
}

bool has_labels(const Config& config) {
  return std::ranges::all_of(config.experiments, [](const Experiment& experiment) {
    return std::ranges::any_of(find_problem(experiment.problem)->axes,
                               [](const ProblemAxis& axis) { return axis.name == "labels"; });
  });
}

Index most_n(const SizeBounds& bounds, const Config& config, Target target) {
  if (target == Target::host) return bounds.host;
  if (target == Target::simt) return bounds.modelled;
  return has_labels(config) ? bounds.labelled : 0;
}

}  // namespace

const std::vector<Precision>& precisions() {
  constexpr Index large = Index(1) << 24, small = Index(1) << 18;
  static const std::vector<Precision> all{
      {"default",
       "one process for each config, at most 100 samples and a quarter of a second of a case, 2^24 labels; "
       "configs of more than 4 minutes are left out: all papers in less than 20 minutes of an H200",
       {{"forks", 1}, {"max_samples", 100}, {"timeout_s", 0.25}},
       {.host = large, .labelled = large},
       240},
      {"paper",
       "as the configs say: most cells in three or five processes, 200 samples of a case",
       {},
       {},
       0},
      {"quick",
       "enough to see that all works: at most 10 samples of a case, 2^18 elements on a modelled device, on "
       "the CPU alone, and with labels; configs of more than a minute are left out",
       {{"forks", 1}, {"min_samples", 3}, {"max_samples", 10}, {"timeout_s", 0.1}},
       {.modelled = small, .host = small, .labelled = small},
       60}};
  return all;
}

const Precision& precision_named(const std::string& name) {
  std::vector<std::string> names;
  for (const Precision& precision : precisions()) {
    if (precision.name == name) return precision;
    names.emplace_back(precision.name);
  }
  throw UsageError("--precision " + name + ": there is no such" + nearest_match(name, names) +
                   "; there are " + alternatives(names));
}

Overrides overrides_of(const Precision& precision, const Config& config, Target target) {
  Overrides overrides;
  const Json& measure = config.resolved["measure"];
  for (const auto& [key, most] : precision.bounds)
    if (measure.at(std::string(key)).get<double>() > most)
      overrides.sets.push_back(fmt::format("measure.{}={}", key, most));
  if (const Index most = most_n(precision.most_n, config, target); most > 0 && only_n(config) > most)
    overrides.axes.push_back(fmt::format("n={}", most));
  return overrides;
}

}  // namespace redbench
