// Which variant is fastest at a point, of those that were measured in the same rounds, from records.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/records/stored_run.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// What is asked. Axes that are not named may have any value.
struct Question {
  std::string problem;
  /// Nearest measured value, by its logarithm: n and the other whole axes, as m. Without n the largest.
  std::map<std::string, Index> sizes = {};
  std::map<std::string, std::string> exact = {};  // type, operator, mode and the problem's other axes
  std::string hardware = {};  // a part of its name; empty: of GPUs before CPUs that with the nearest point
  bool keeps_order = false;   // for operators that do not commute
  bool reproducible = false;  // the same bits in each run
  std::optional<double> most_scratch_bytes = {};
};

/// A variant at its point, with the fastest of its parameters that were measured there.
struct Ranked {
  Record record;  // without samples and clocks, and without the fields that are null
  bool is_tied;   // nothing tells it from the fastest; the fastest itself is
};

struct Ranking {
  std::string run, hardware, date, config_path;
  std::map<std::string, double> away = {};     // of each size in the question: measured over asked
  std::vector<std::string> elsewhere = {};     // other values of axes that the question leaves open
  std::vector<Ranked> ranked = {};             // by time
  std::vector<std::string> left_out = {};      // measured there, but without a promise that is asked for
  std::vector<std::string> not_measured = {};  // variants for this device that are not there
  const Ranked* library() const;               // the fastest that is a library's; null where none is
};

/// Runs, with their samples, whose config has the problem. A damaged one is reported and left out.
std::vector<PackedRun> runs_of_problem(const std::vector<std::string>& folders, const std::string& problem);

/// At the measured point nearest to the question; of several the one whose fastest variant is most ahead of the libraries
/// that all of them have, without a library the one that is faster by more than 5 %, then that with most variants, most
/// forks. Throws UsageError, with what there is, where no record answers.
Ranking best(const std::vector<PackedRun>& runs, const Question& question);

/// At each measured value of `axis` (n, or another whole axis), by it.
std::vector<Ranking> best_over(const std::vector<PackedRun>& runs, const Question& question,
                               const std::string& axis);

/// At each measured input, of several points of an input the one that best() takes.
std::vector<Ranking> best_everywhere(const std::vector<PackedRun>& runs, const Question& question);

/// Whether the variant gives the same bits in each run of the record's case.
bool gives_same_bits(const Variant& variant, const Record& record);

/// The variants that nothing tells from the fastest, and the library's.
Table ranking_table(const Ranking& ranking);
/// A row for each ranking: the fastest, and by how much over the library.
Table map_table(const std::vector<Ranking>& rankings);
Json to_json(const Ranking& ranking);

}  // namespace redbench
