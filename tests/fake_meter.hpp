// Instruments without a GPU: a clock that only work of a known duration moves, and an NVML that says what it
// is told.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/measure/meter.hpp"

namespace redbench {

struct FakeTime {
  double ns = 0;
  std::string log;          // a letter for each thing that happened
  std::vector<double> mhz;  // before each sample, which at 1000 takes twice as long; none after them
  std::size_t samples = 0;
  std::vector<double> queue_slots;  // found before each sample; none after them
};

/// Takes fake time; work in which none passes (a real algorithm) takes `otherwise`.
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

/// Bytes per fake nanosecond, by what a move does.
struct FakeRates {
  double read, write, both;
};
inline constexpr FakeRates rates{.read = 2000, .write = 1000, .both = 800};

inline MeasureOptions few_samples() {
  MeasureOptions options;
  options.min_samples = options.max_samples = 6;
  return options;
}

/// Each move can be done at its rate, or by half of it; `moves` notes what was asked for.
inline auto fake_movers(FakeTime& time, FakeRates rates, std::vector<Move>& moves) {
  return [&time, rates, &moves](const Move& move) {
    moves.push_back(move);
    const double rate = !move.bytes_written() ? rates.read : !move.bytes_read() ? rates.write : rates.both;
    const double ns = double(move.bytes()) / rate;
    return std::vector<Mover>{{"slow", [&time, ns] { time.ns += 2 * ns; }},
                              {"fast", [&time, ns] { time.ns += ns; }}};
  };
}

/// Accesses per fake nanosecond; `scatters` notes what was asked for.
inline auto fake_scattered(FakeTime& time, double reads, double atomics, std::vector<Scatter>& scatters) {
  return [&time, reads, atomics, &scatters](const Scatter& scatter) {
    scatters.push_back(scatter);
    const double n = double(scatter.accesses);
    return ScatteredWays{[&time, ns = n / reads] { time.ns += ns; },
                         [&time, ns = n / atomics] { time.ns += ns; }};
  };
}

struct FakeNvml : Nvml {
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
