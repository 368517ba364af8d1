// A clock that tells what a test has written down, of all that is measured with std::chrono in this program.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

namespace redbench {

/// By how many ns it is later each time that it is asked; what is asked beyond them is an hour later.
struct ScriptedClock {
  std::vector<long> steps;
  std::function<void(std::size_t)> on_ask = [](std::size_t) {};  // with how often it was asked before
  std::size_t asked = 0;
  long now = 1'000'000'000;
};
/// Null: the system's.
extern ScriptedClock* scripted_clock;

/// How long one access takes of a try of so many.
struct Timed {
  double ns;
  double accesses;
};

/// The clock of measurements of one try each: asked when all begins, when the try does, when it has ended,
/// and whether the time is over.
inline ScriptedClock clock_of(const std::vector<Timed>& measurements) {
  ScriptedClock clock;
  for (const Timed& timed : measurements)
    for (const double step : {0.0, 0.0, timed.ns * timed.accesses, 0.0})
      clock.steps.push_back(std::lround(step));
  return clock;
}

}  // namespace redbench
