// A clock whose readings a test has written down. It takes the place of std::chrono::steady_clock in this
// program (tests/cachesim/test_chase.cpp defines clock_gettime).
#pragma once

#include <cmath>
#include <functional>
#include <vector>

namespace redbench {

/// `steps`: the ns between a reading and the one before; each reading beyond them is an hour later.
struct ScriptedClock {
  std::vector<long> steps;
  std::function<void(std::size_t)> on_ask = [](std::size_t) {
  };  // called at each reading, with the number of those before
  std::size_t asked = 0;
  long now = 1'000'000'000;
};
/// Null: the system's clock.
extern ScriptedClock* scripted_clock;

/// A try: its number of accesses, and the ns that one takes.
struct Timed {
  double ns;
  double accesses;
};

/// A clock for measurements of one try each. It is read when the measurement begins, when the try begins and
/// ends, and to see whether the time is up.
inline ScriptedClock clock_of(const std::vector<Timed>& measurements) {
  ScriptedClock clock;
  for (const Timed& timed : measurements)
    for (const double step : {0.0, 0.0, timed.ns * timed.accesses, 0.0})
      clock.steps.push_back(std::lround(step));
  return clock;
}

}  // namespace redbench
