// redbench why: what differs between two kernels, in counts and in times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/records/stored_run.hpp"
#include "src/run/request.hpp"

namespace redbench {

/// A line of a file that the program was built from, counted from 1, without its indentation; empty where it is not
/// at hand.
std::string source_line(const std::string& file, int number);

/// A source line and what it has of a count.
struct CountedLine {
  std::string variant, file;
  int line = 0;
  std::string text;
  std::uint64_t count = 0;
};

/// One kind of event, over all launches of a case.
struct CountedDifference {
  std::string name;  // "shared_conflicts"
  std::string what;  // of more than one, for sentences: "turns of the banks lost to conflicts"
  std::uint64_t from = 0, to = 0;
  std::vector<CountedLine> lines = {};  // of each variant those with most, the most first
};

/// A number that follows from the launches alone.
struct LaunchDifference {
  std::string name, what, unit;
  double from = 0, to = 0;
};

/// Events whose counts are more than 1 % apart, by how many events that is, the most first: each is a turn of
/// a warp or of what serves it.
std::vector<CountedDifference> counted_differences(const Record& from, const Record& to);

/// Launches, blocks, occupancy, bytes: those that differ. Occupancy, threads and shared memory are of the
/// launch with most threads.
std::vector<LaunchDifference> launch_differences(const Record& from, const Record& to);

/// The times of both on one device, of the largest n that both have; in one mode, the first that a run has.
struct TimedPair {
  std::string hardware;
  Record from, to;                     // without samples
  std::string from_record, to_record;  // "results/h200/quick#reduce/harris2 n=..."
  /// Time of `to` over time of `from` and its 95 % interval, from the differences within rounds. None where
  /// the records share no round.
  std::optional<double> ratio = {}, low = {}, high = {};
};

/// The best pair of each hardware, from the runs in and below these folders whose config names both variants.
/// Stale records, records that have not passed, and damaged runs are left out. `n`: the only size; 0: any.
std::vector<TimedPair> timed_pairs(const std::vector<std::string>& folders, const std::string& from,
                                   const std::string& to, Index n);

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

/// A sentence for each of the times, counters and launches of a step, in their order.
std::vector<std::string> sentences_of(const KernelStep& step);

/// "device simt:h200 · n 1Mi · type i32", of KernelStep::counted_case.
std::string shown_case(const Json& counted_case);

Json to_json(const KernelStep& step);
std::string text_of(const KernelStep& step, int width);

}  // namespace redbench
