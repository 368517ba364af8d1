// What runs of one config on one machine differ by, though nothing differs: how often it is taken for a
// difference, and how small a difference could be and still be shown.
#pragma once

#include <string>
#include <vector>

#include "src/compare/comparison.hpp"

namespace redbench {

/// A times A: of two runs, or within one the two series of samples.
struct AgainstItself {
  std::size_t pairs = 0;
  std::size_t differing = 0;        // faster or slower, by `compare`
  std::vector<double> log_ratios;   // without sign
  std::vector<double> half_widths;  // of the 95 % intervals, of their logarithm
  /// Unless it could not be compared.
  void add(const ComparedCase& one);
};

struct SizeTested {
  Index n = 0;
  AgainstItself between, within;
};

struct SelfTest {
  std::vector<std::string> runs;  // their folders' names
  double threshold_percent = 1;
  AgainstItself between, within;
  std::size_t disjoint = 0;  // of `between`: cases whose own 95 % intervals (time_low_ns to time_high_ns) are
  std::vector<SizeTested> sizes;  // rising

  /// Of all pairs.
  double differing_percent() const;
};

/// Compares each run with each other, and each with itself. Throws UsageError.
SelfTest self_test(const std::vector<StoredRun>& runs, double threshold_percent);

/// For a terminal, and for a file.
std::string text_of(const SelfTest& test, int width);
std::string markdown(const SelfTest& test, const std::string& title);
Json to_json(const SelfTest& test);

/// The value that 95 % of the values do not exceed; 0 of none.
double percentile_95(std::vector<double> values);

}  // namespace redbench
