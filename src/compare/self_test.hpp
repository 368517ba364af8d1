// What runs of one config on one machine differ by, though nothing differs: how often it is taken for a
// difference, and how large a difference must be to be shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/compare/comparison.hpp"

namespace redbench {

/// A times A: of two runs, or within one the two series of samples.
struct AgainstItself {
  std::size_t differing = 0;        // faster or slower, by `compare`
  std::vector<double> log_ratios;   // of each pair
  std::vector<double> half_widths;  // of its 95 % interval, of the logarithm; infinite where it has no ends
  std::size_t pairs() const { return log_ratios.size(); }
  /// Unless it could not be compared.
  void add(const ComparedCase& one);
  /// The least true difference, as a logarithm, that is called with 80 % power by one comparison alone: of
  /// the pairs, moved apart by it in either direction, 80 % are then beyond both the threshold and half their
  /// own interval. At least the threshold and half an interval in the median. None of fewer than 20 pairs, or
  /// where no difference is called so often.
  std::optional<double> least_called(double threshold_percent) const;
};

struct SizeTested {
  Index n = 0;
  AgainstItself between, within;
};

struct SelfTest {
  std::vector<std::string> runs;  // their folders' names
  double threshold_percent = 1;
  std::size_t processes = 0;  // that measured them all
  AgainstItself between, within;
  std::size_t disjoint = 0;  // of `between`: cases whose own 95 % intervals (time_low_ns to time_high_ns) are
  std::vector<SizeTested> sizes;  // rising

  /// Of the pairs between runs.
  double differing_percent() const;
};

/// Compares each run with each other, and each with itself. Throws UsageError.
SelfTest self_test(const std::vector<StoredRun>& runs, double threshold_percent);

/// For a terminal, and for a file.
std::string text_of(const SelfTest& test, int width);
std::string markdown(const SelfTest& test, const std::string& title);
Json to_json(const SelfTest& test);

}  // namespace redbench
