// A/A test: runs of one config on one machine are compared with each other. How many false differences are
// found, and how large a true difference must be to be found.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/compare/comparison.hpp"

namespace redbench {

/// Comparisons of a case with itself: between two runs, of one machine or of two, or between the two series
/// of samples of one run.
struct AgainstItself {
  std::size_t differing = 0;        // judged faster or slower
  std::vector<double> log_ratios;   // of each pair
  std::vector<double> half_widths;  // of the 95 % intervals of the log ratios; may be infinite
  std::size_t pairs() const { return log_ratios.size(); }
  /// Ignores a case that could not be compared.
  void add(const ComparedCase& case_);
  /// Detectable difference: the least true log ratio that a single comparison finds with 80 % power. 80 % of
  /// the pairs, shifted by it in either direction, are beyond both the threshold and half their own interval.
  /// It is at least the threshold and the median half interval. None for fewer than 20 pairs, or where no
  /// difference is found so often.
  std::optional<double> least_called(double threshold_percent) const;
};

struct SizeTested {
  Index n = 0;
  AgainstItself between, within, again = {}, across = {}, quotients = {};
};

struct SelfTest {
  std::vector<std::string> runs;  // names of their folders
  double threshold_percent = 1;
  std::size_t processes = 0;  // forks of all runs
  AgainstItself between, within;
  AgainstItself again;       // times of two self-tests of one machine: another day, or boot
  AgainstItself across;      // times of two machines of one model
  AgainstItself quotients;   // the same over a library's times in the same rounds
  std::size_t machines = 1;  // of any model; told apart by the hash, where it is not known by the self-test
  std::size_t disjoint =
      0;  // pairs between runs whose own 95 % intervals (time_low_ns to time_high_ns) are disjoint
  std::vector<SizeTested> sizes;  // by rising n

  /// Share of the pairs between runs.
  double differing_percent() const;
};

/// Compares the runs pairwise, each with its own second series, and the runs of each two self-tests of one
/// model. Throws UsageError.
SelfTest self_test(const std::vector<StoredRun>& runs, double threshold_percent,
                   const std::vector<std::vector<StoredRun>>& others = {});

std::string text_of(const SelfTest& test, int width);
std::string markdown(const SelfTest& test, const std::string& title);
Json to_json(const SelfTest& test);

}  // namespace redbench
