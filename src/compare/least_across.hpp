// What self-tests found: by how much times of one kernel differ in a run, between runs, on two machines.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/records/stored_run.hpp"

namespace redbench {

/// The least differences of a self-test's report, as shares of a time; none where it does not say.
struct SelfTestReport {
  StoredRun run;  // the first of its runs, with a record at least
  std::optional<double> within_a_run, between_runs;
  std::map<Index, double> across_machines;  // by n; no less than the greatest difference
};

/// Reads FOLDER/selftest.json and the first run that it names; none where that has no record. Throws
/// UsageError.
std::optional<SelfTestReport> read_self_test(const std::string& folder);

/// What lies below folders: a self-test's runs, few variants at few sizes, are its evidence alone.
struct RunsBelow {
  std::vector<std::string> runs;        // without those of self-tests
  std::vector<std::string> self_tests;  // folders with a report above runs, each once
};
/// Throws UsageError where there is no run.
RunsBelow told_apart_below(const std::vector<std::string>& folders);

/// The least difference of two times that is called one between two machines: more than any that like machines had
/// in a self-test.
class LeastAcross {
 public:
  /// By the self-tests below these folders, the first of each model that this program's measuring code made.
  /// A changed kernel is no matter: they are of machines.
  static LeastAcross below(const std::vector<std::string>& folders);

  void add(const std::string& hardware, const std::string& folder, std::map<Index, double> by_n);
  /// As a log ratio, at the greatest size tested that is no larger than the record's; of two models the greater.
  /// Infinite where one has no self-test, or none of so small a size.
  double of(const Record& first, const Record& second) const;
  /// What the times of hardware with a self-test are called by, for readers.
  std::string sentence(const std::string& hardware) const;

 private:
  struct Tested {
    std::string folder;
    std::map<Index, double> by_n;
  };
  std::map<std::string, Tested> of_hardware_;
};

}  // namespace redbench
