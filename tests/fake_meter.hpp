// Stand-ins for a GPU's instruments: a clock that only work of a known duration advances, movers and
// scattered accesses with known rates, and an NVML whose readings a test sets.
#pragma once

#include <string>
#include <vector>

#include "src/measure/meter.hpp"

namespace redbench {

struct FakeTime {
  double ns = 0;
  std::string log;  // a letter for each event
  std::vector<double>
      mhz;  // the clock before each sample, which takes twice as long at 1000 MHz; then unknown
  std::size_t samples = 0;
  std::vector<double> queue_slots;  // the cost known at each sample; then unknown
};

/// Measures fake time; work that does not advance it (a real algorithm) counts as `otherwise`.
class FakeStopwatch : public Stopwatch {
 public:
  FakeStopwatch(FakeTime& time, double otherwise) : time_(time), otherwise_(otherwise) {}
  double sample(Mode mode, bool, const std::function<void()>& work) override {
    if (mode == Mode::warm) work();
    const double start = time_.ns;
    work();
    time_.log += 's';
    ++time_.samples;
    const double ns = time_.ns > start ? time_.ns - start : otherwise_;
    return clock_mhz() == 1000 ? 2 * ns : ns;
  }
  std::vector<double> sample_launches(Mode mode, const std::function<void()>& work) override {
    return {sample(mode, false, work)};
  }
  std::optional<double> clock_mhz() const override {
    if (time_.samples == 0 || time_.samples > time_.mhz.size()) return std::nullopt;
    return time_.mhz[time_.samples - 1];
  }
  std::optional<double> queue_slot_ns() const override {
    if (time_.samples == 0 || time_.samples > time_.queue_slots.size()) return std::nullopt;
    return time_.queue_slots[time_.samples - 1];
  }

 private:
  FakeTime& time_;
  double otherwise_;
};

/// Bytes per fake nanosecond of moves that read, write, or do both.
struct FakeRates {
  double read, write, both;
};
inline constexpr FakeRates rates{.read = 2000, .write = 1000, .both = 800};

inline MeasureOptions few_samples() {
  MeasureOptions options;
  options.min_samples = options.max_samples = 6;
  return options;
}

/// Two movers for each move, one at its rate and one at half of it. Appends the moves that were requested to
/// `moves`.
inline auto fake_movers(FakeTime& time, FakeRates rates, std::vector<Move>& moves) {
  return [&time, rates, &moves](const Move& move) {
    moves.push_back(move);
    const double rate = !move.bytes_written() ? rates.read : !move.bytes_read() ? rates.write : rates.both;
    const double ns = double(move.bytes()) / rate;
    return std::vector<Mover>{{"slow", [&time, ns] { time.ns += 2 * ns; }},
                              {"fast", [&time, ns] { time.ns += ns; }}};
  };
}

/// `reads` and `atomics` are accesses per fake nanosecond. Appends the scatters that were requested to
/// `scatters`.
inline auto fake_scattered(FakeTime& time, double reads, double atomics, std::vector<Scatter>& scatters) {
  return [&time, reads, atomics, &scatters](const Scatter& scatter) {
    scatters.push_back(scatter);
    const double n = double(scatter.accesses);
    return ScatteredAccesses{[&time, ns = n / reads] { time.ns += ns; },
                             [&time, ns = n / atomics] { time.ns += ns; }};
  };
}

struct FakeNvml : Nvml {
  Json board() override { return Json::object(); }
  std::string missing() const override { return why; }
  Reading read() override { return readings[std::min(next++, readings.size() - 1)]; }
  unsigned most_sm_mhz() override { return 1980; }
  std::optional<std::uint64_t> energy_mj() override { return counter(); }

  std::string why;
  std::vector<Reading> readings{{}};
  std::size_t next = 0;
  std::function<std::optional<std::uint64_t>()> counter = [] { return std::nullopt; };
};

}  // namespace redbench
