// Samples of all that run on the same buffers, taken in turn: drift of the clocks or the temperature hits all
// alike.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/measure/movers.hpp"
#include "src/measure/stop_rule.hpp"

namespace redbench {

/// One that takes part.
struct Contender {
  std::function<double()> sample;        // nanoseconds
  std::function<void(Contender&)> done;  // called once it has stopped; may be null
  bool until_all_stop = false;           // goes on as long as any other is sampled
  std::vector<double> samples;
  double spent_s = 0;
  Stop stop = Stop::no;
  bool failed = false;  // a sample threw
};

/// Rounds in order and in reverse (ABBA) until each has stopped by `options`. A sample that throws
/// DeviceError ends its contender: `failed` is called with it.
void sample_in_turn(std::vector<Contender>& contenders, const MeasureOptions& options,
                    const std::function<void(Contender&, const std::string&)>& failed);

/// What the device moves at best, over `bytes` per transfer.
class Ceilings {
 public:
  /// Tries the ways of moving `bytes` bytes from `from` and keeps the fastest of each traffic. Copy and write
  /// need as much memory again, and are left out where there is no room.
  Ceilings(Device& device, Mode mode, const void* from, std::size_t bytes);
  ~Ceilings();
  Ceilings(const Ceilings&) = delete;
  Ceilings& operator=(const Ceilings&) = delete;

  /// Puts the chosen ways among the contenders. Their samples are read through `contenders` later on.
  void join(std::vector<Contender>& contenders);

  struct Rate {
    double gb_per_s = 0;  // 0: not known
    std::string how;
  };
  /// Of the samples so far. A copy counts its bytes twice, read and written.
  Rate rate(Traffic traffic, const std::vector<Contender>& contenders) const;

 private:
  struct Way {
    Mover mover;
    double best_ns = 0;
    std::size_t contender = 0;
  };
  Way fastest(Traffic traffic, const Move& move);

  Device& device_;
  Mode mode_;
  std::size_t bytes_;
  void* to_ = nullptr;
  std::array<Way, traffic_names.size()> ways_;
};

/// The shortest time in nanoseconds for these bytes at these rates: what 100 % of the ceiling is. 0: not
/// known.
double floor_ns(double bytes_read, double bytes_written, const Ceilings::Rate& read,
                const Ceilings::Rate& write);

}  // namespace redbench
