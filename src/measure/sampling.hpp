// Samples of all that run on the same buffers, taken in turn: drift of the clocks or the temperature hits all
// alike.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/measure/stop_rule.hpp"

namespace redbench {

/// One that takes part.
struct Contender {
  std::function<double()> sample;             // nanoseconds
  std::function<void(Contender&)> done = {};  // called once it has stopped; may be null
  std::string name = {};                      // for messages
  bool until_all_stop = false;                // goes on as long as any other is sampled
  std::vector<double> samples = {};
  double spent_s = 0;
  Stop stop = Stop::no;
  bool failed = false;  // a sample threw
};

/// Rounds in order and in reverse (ABBA) until each has stopped by `options`. A sample that throws
/// DeviceError ends its contender: `failed` is called with it.
void sample_in_turn(std::vector<Contender>& contenders, const MeasureOptions& options,
                    const std::function<void(Contender&, const std::string&)>& failed);

}  // namespace redbench
