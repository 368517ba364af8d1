// Times of two variants that were measured in one cell.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/records/output_folder.hpp"

namespace redbench {

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
/// Records that are stale, or have not passed, have no part. `n`: the only size that counts, 0: any. Damaged runs are left
/// out.
std::vector<TimedPair> timed_pairs(const std::vector<std::string>& folders, const std::string& from,
                                   const std::string& to, Index n);

}  // namespace redbench
