// Interleaved sampling: the cases of a cell take turns, so that a drift of clocks or temperature affects all
// alike and the samples of one round can be compared with each other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/stop_rule.hpp"

namespace redbench {

/// The samples of one measurement, one in each round: a case, or something else in its cell (a ceiling).
struct Series {
  std::function<double()> sample;           // takes one sample, in nanoseconds; may throw DeviceError
  std::function<void(Series&)> done = {};   // called right after the last sample; may be null
  std::string name = {};                    // for messages
  std::optional<std::size_t> of_case = {};  // place of its case, which fails with it; none: the cell fails
  bool asks_for_rounds = true;              // false: sampled in the rounds that others need
  std::vector<double> samples = {};         // by round
  double spent_s = 0;                       // time that its samples took, with all that belongs to them
  Stop stop = Stop::no;                     // why it needs no further rounds
  bool failed = false;                      // a sample threw
};

/// Takes a sample of every series in each round, in a random order that is drawn for each round from `seed`,
/// until the stop rule (should_stop) holds for each. A series for which it holds is still sampled while
/// others need rounds, so that all rounds are alike, unless its own `timeout_s` is up. A final round calls
/// the `done` of each. Where a sample throws DeviceError, `failed` is called with the series and the message,
/// and it is sampled no more.
void sample_in_turn(std::vector<Series>& all, const MeasureOptions& options, std::uint64_t seed,
                    const std::function<void(Series&, const std::string&)>& failed);

}  // namespace redbench
