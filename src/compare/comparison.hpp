// Two runs, or two variants of one, case by case.
#pragma once

#include <string>
#include <vector>

#include "src/compare/comparable.hpp"
#include "src/compare/verdicts.hpp"
#include "src/records/output_folder.hpp"

namespace redbench {

struct CompareOptions {
  double threshold_percent = 1;  // within it two times are the same
  bool across = false;           // compares what was not measured alike, too
};

struct ComparedCase {
  Record record;             // the first's, without its samples: which case it is
  Json first_ns, second_ns;  // times; null: not passed
  std::optional<Difference> difference = {};
  std::vector<std::string> notes = {};  // why they are not compared, or what to know of them
  bool is_lost = false;                 // the first passed, the second has not
  Judged judged = {};
};

struct Comparison {
  std::string first, second;  // what is compared, for readers
  bool of_variants = false;   // of one run
  double threshold_percent = 1;
  std::vector<ComparedCase> cases = {};
  std::vector<std::string> remarks = {};  // on all of them
  std::size_t gone = 0;                   // cases of the first run with a time that the second does not have

  std::size_t count(Verdict verdict) const;
  std::size_t differing() const;
  /// "1 faster, 0 slower, 9 same, 2 undecided: 1 of 12 pairs differ"
  std::string summary() const;
};

/// B against A: the cases that both have, in one mode on one kind of device. Throws UsageError where there is
/// none, or where none can be compared (src/compare/comparable.hpp).
Comparison compare_runs(const StoredRun& a, const StoredRun& b, const CompareOptions& options);

/// The second variant against the first, at each point that both have; where parameters are swept, those
/// that both take have one value. Names may go without their problem. Throws UsageError likewise.
Comparison compare_variants(const StoredRun& run, const std::string& first, const std::string& second,
                            const CompareOptions& options);

/// Each case against itself: its second series of samples (`again_ns`). Throws UsageError where there is
/// none.
Comparison compare_again(const StoredRun& run, const CompareOptions& options);

/// Two records of any runs, by their names for readers: within rounds where they share them (one cell of one
/// run, in one session and pass), else by their forks' medians. Without a difference, and with the reasons in
/// `notes`, where that cannot be; obstacles (src/compare/comparable.hpp) are none where `across`.
ComparedCase compare_records(const RecordOfRun& first, const RecordOfRun& second,
                             const std::string& first_name, const std::string& second_name, bool across);

/// 3 where nothing is decided. `fail_on_regression`: 1 where a case is slower, has not passed any more or is
/// gone, else 3 where one is undecided.
int exit_code_of(const Comparison& comparison, bool fail_on_regression);

}  // namespace redbench
