// The energy of a batch of runs, from a counter that moves in steps.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "kernels/types.hpp"

namespace redbench {

/// The device and its counter, as a batch uses them. Times in seconds.
struct BatchSource {
  std::function<void(Index runs)> enqueue;                  // back to back
  std::function<void()> finish;                             // waits for them
  std::function<std::optional<std::uint64_t>()> energy_mj;  // the counter
  std::function<double()> now_s;
};

struct BatchEnergy {
  double mj = 0;
  Index runs = 0;
  std::string missing;  // why there is no energy; empty where there is
};

/// Energy of a batch of back-to-back runs, between two moves of the counter: at least 0.1 s and 50 readings
/// apart, so that neither the counter's steps nor the time of a reading are more than 2 % of it. Gives up
/// after 2 s.
BatchEnergy measure_batch(const BatchSource& source);

}  // namespace redbench
