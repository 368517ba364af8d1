#include "src/reproduce/precision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/error.hpp"

namespace redbench {
namespace {

std::vector<std::string> names_of(const std::vector<Precision>& all) {
  std::vector<std::string> names;
  for (const Precision& precision : all) names.emplace_back(precision.name);
  return names;
}

/// The largest input that the config names; 0 where files decide.
Index largest_n(const Config& config) {
  Index largest = 0;
  for (const Experiment& experiment : config.experiments)
    for (const auto& [axis, values] : experiment.axes)
      if (axis == "n")
        for (const Json& value : values) largest = std::max(largest, value.get<Index>());
  return largest;
}

}  // namespace

const std::vector<Precision>& precisions() {
  static const std::vector<Precision> all{
      {"default",
       "one process for each config, at most 100 samples of a case, 2^24 elements in figures of the CPU "
       "alone; "
       "all papers in about 20 minutes of an H200",
       {{"forks", 1}, {"max_samples", 100}, {"timeout_s", 0.5}},
       {0, 0, Index(1) << 24}},
      {"paper",
       "as the configs say: most cells in three or five processes, 200 samples of a case",
       {},
       {0, 0, 0}},
      {"quick",
       "enough to see that all works: at most 10 samples of a case, 2^18 elements on a modelled device and "
       "in "
       "figures of the CPU alone",
       {{"forks", 1}, {"min_samples", 3}, {"max_samples", 10}, {"timeout_s", 0.1}},
       {0, Index(1) << 18, Index(1) << 18}}};
  return all;
}

const Precision& precision_named(const std::string& name) {
  const std::vector<Precision>& all = precisions();
  const auto found = std::ranges::find(all, name, &Precision::name);
  if (found == all.end())
    throw UsageError("--precision " + name + ": there is no such" + nearest_match(name, names_of(all)) +
                     "; there are " + alternatives(names_of(all)));
  return *found;
}

Overrides overrides_of(const Precision& precision, const Config& config, Target target) {
  Overrides overrides;
  const Json& measure = config.resolved["measure"];
  for (const auto& [key, most] : precision.bounds)
    if (measure.at(std::string(key)).get<double>() > most)
      overrides.sets.push_back(fmt::format("measure.{}={}", key, most));
  if (const Index most = precision.most_n[std::size_t(target)]; most > 0 && largest_n(config) > most)
    overrides.axes.push_back(fmt::format("n={}", most));
  return overrides;
}

}  // namespace redbench
