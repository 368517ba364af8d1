// The battery, run: which cases of which variant did not pass.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/records/record.hpp"
#include "src/run/job.hpp"

namespace redbench {

/// The reason of a case that was left out.
inline constexpr std::string_view not_tried = "not tried, as it hung on two shapes before";

/// A case of the battery that did not pass.
struct BadCase {
  std::size_t cell;  // in the plan
  std::string key, outcome, reason;
  std::uint64_t schedule = 0;
};

/// Cases of a variant by outcome, and those that did not pass.
struct Tally {
  std::array<std::size_t, outcome_names.size()> counts{};
  std::vector<BadCase> bad = {};  // in the order of the plan

  std::size_t count(Outcome outcome) const { return counts[std::size_t(outcome)]; }
  std::size_t failed() const {
    return count(Outcome::wrong) + count(Outcome::failed) + count(Outcome::timeout);
  }
};

struct Verification {
  std::map<std::string, Tally> tallies = {};  // by variant
  Tally total = {};                           // counts alone
  bool complete = true;                       // else an interrupt ended it
  double seconds = 0;

  int exit_code() const;
};

/// Runs all cases of a verify job, or those of one key alone. Progress is shown where `shown`. Throws UsageError where
/// no case can run, or none has that key.
Verification run_battery(const Work& work, bool shown, const std::string& only_key = {});

}  // namespace redbench
