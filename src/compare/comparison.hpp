// Comparison of two runs, or of two variants within a run, case by case; as a table, Markdown and JSON.
#pragma once

#include <string>
#include <vector>

#include "src/compare/comparable.hpp"
#include "src/compare/difference.hpp"
#include "src/compare/least_across.hpp"
#include "src/records/stored_run.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

struct CompareOptions {
  double threshold_percent = 1;   // two times that differ by less are the same
  bool across = false;            // compares times despite obstacles (src/compare/comparable.hpp)
  LeastAcross least_across = {};  // what times of two machines must differ by to be called faster or slower
  bool one_machine = false;       // known by other means than the records
  bool quotients = false;         // divides times wherever the two ran
  std::string reference = {};     // the variant that times are divided by; empty: a library's
};

struct ComparedCase {
  Record record;               // the first, without its samples; of two variants with the second's parameters
  Json first_ns, second_ns;    // times; null: not passed
  std::string reference = {};  // the variant that both times are divided by; empty: times are compared
  std::optional<Difference> difference = {};
  std::vector<std::string> notes = {};  // why they are not compared, or what to know about them
  bool is_lost = false;                 // the first passed, the second has not
  Judged judged = {};
};

struct Comparison {
  std::string first, second;  // for readers: two runs, or two variants
  bool of_variants = false;
  double threshold_percent = 1;
  std::vector<ComparedCase> cases = {};
  std::vector<std::string> machines = {};  // of two runs: machines_apart
  std::vector<std::string> remarks = {};
  std::size_t references = 0;  // cases that others are divided by: they are not compared
  std::size_t gone = 0;        // cases with a time in the first run that the second run lacks

  std::size_t count(Verdict verdict) const;
  std::size_t differing() const;
  /// "1 faster, 0 slower, 9 same, 2 undecided: 1 of 12 pairs differ"
  std::string summary() const;
};

/// Names the rounds in which a record was sampled, within its run: its point, session and passes. Records of
/// the same rounds are of one cell, whatever their variants.
std::string rounds_of(const Record& record);

/// The record but for its single samples and its trace, which are most of it.
Record without_samples(const Record& record);

/// Throws UsageError for a `--threshold` that no two times could be within.
void check_threshold(double percent);

/// Compares B with A: the cases that both have, in one mode on one kind of device. Where `quotients` or
/// `reference` is set, or the two may be of two machines and `across` is not set, each time is divided by the
/// reference's of the same point and rounds, and B's quotient is compared with A's. Throws UsageError where
/// both have no case in common, or all have an obstacle.
Comparison compare_runs(const StoredRun& a, const StoredRun& b, const CompareOptions& options);

/// Compares the second variant with the first at each point that both have. Where either sweeps a parameter,
/// records are paired that agree in the parameters of both; where both are tuned, tuned ones with tuned ones. Names may omit the problem. Throws UsageError
/// likewise.
Comparison compare_variants(const StoredRun& run, const std::string& first, const std::string& second,
                            const CompareOptions& options);

/// Compares each case with its own second series of samples (`again_ns`). Throws UsageError where there is
/// none.
Comparison compare_again(const StoredRun& run, const CompareOptions& options);

/// Compares two records, called by these names: paired where they were sampled in the same rounds (same run,
/// point, session and passes), else unpaired. `notes` says why there is no difference. `across` ignores
/// obstacles.
ComparedCase compare_records(const RecordOfRun& first, const RecordOfRun& second,
                             const std::string& first_name, const std::string& second_name, bool across);

/// 3 where nothing is decided. With `fail_on_regression`: 1 where a case is slower, no longer passes or is
/// gone, else 3 where one is undecided.
int exit_code_of(const Comparison& comparison, bool fail_on_regression);

/// A row for each case: both times, the ratio with its interval, the verdict.
Table comparison_table(const Comparison& comparison);

/// The table under a title, with the summary below.
std::string markdown(const Comparison& comparison, int width);

/// For scripts/plot_compare.py. Ratios are second / first; null where there is none.
Json to_json(const Comparison& comparison);

}  // namespace redbench
