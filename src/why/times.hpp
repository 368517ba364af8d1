// Times of two variants that were measured in one cell: all that records say of which is faster.
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
  /// Of `to` to `from`, with its interval: within rounds, at 95 %. None where they share no round.
  std::optional<double> ratio = {}, low = {}, high = {};
};

/// Of the runs in and below these folders, those whose config names both; of each device one. Records that
/// are stale, or have not passed, tell nothing. `n`: the only size that counts, 0: any. Damaged runs are left
/// out.
std::vector<TimedPair> timed_pairs(const std::vector<std::string>& folders, const std::string& from,
                                   const std::string& to, Index n);

}  // namespace redbench
