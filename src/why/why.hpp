// redbench why: what differs between two kernels, in counts and in times.
#pragma once

#include <string>
#include <vector>

#include "src/run/request.hpp"
#include "src/why/counted.hpp"
#include "src/why/times.hpp"

namespace redbench {

/// Two kernels on the same input: the times that records have of them, and what the modelled device counts.
struct KernelStep {
  std::string from, to;  // "reduce/harris2"
  Json counted_case;     // device, n, type, operator, the problem's axes
  std::vector<TimedPair> times = {};
  std::vector<CountedDifference> counters = {};
  std::vector<LaunchDifference> launches = {};
  std::vector<std::string> sentences = {};  // one for each difference, from its numbers alone
};

struct WhyOptions {
  Request request;                   // `config` is not used; a modelled device; axes are of the counted case
  std::vector<std::string> results;  // folders of runs
};

/// Counts both, on 2^20 elements where the axes say no other n, and reads the results. Throws UsageError for
/// names that are no kernels of one problem, for axes with more than one case, and for what cannot be
/// counted.
KernelStep why(const std::string& from, const std::string& to, const WhyOptions& options);

/// Each variant of a config against the one before it, those that run on the host left out: the steps of a
/// ladder, on the config's first input of at most 2^20 elements. Throws UsageError where it has no two.
std::vector<KernelStep> steps_of_config(const std::string& config, const WhyOptions& options);

Json to_json(const KernelStep& step);
std::string text_of(const KernelStep& step, int width);

}  // namespace redbench
