// Samples of all that run on the same buffers, taken in turn: drift of the clocks or the temperature hits all
// alike, and the samples of one round may be compared with each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/measure/stop_rule.hpp"

namespace redbench {

/// One that takes part.
struct Contender {
  std::function<double()> sample;             // nanoseconds
  std::function<void(Contender&)> done = {};  // called right after its last sample; may be null
  std::string name = {};                      // for messages
  bool until_all_stop = false;                // nobody waits for it
  std::vector<double> samples = {};           // by round
  double spent_s = 0;
  Stop stop = Stop::no;
  bool last = false;    // the next sample is its last
  bool failed = false;  // a sample threw
};

/// Rounds in each of which every contender is sampled once, in an order drawn anew from `seed`, until each
/// has stopped by `options`: one that has stopped goes on beside the others, so that a sample means the same
/// from the first round to the last, as long as it has time left (`timeout_s`). Then one round more, in which
/// each is done. A sample that throws DeviceError ends its contender: `failed` is called with it.
void sample_in_turn(std::vector<Contender>& contenders, const MeasureOptions& options, std::uint64_t seed,
                    const std::function<void(Contender&, const std::string&)>& failed);

}  // namespace redbench
