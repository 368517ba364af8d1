// The energy of a run from a counter that moves now and then, on boards and clocks made here.
#include "src/instruments/energy.hpp"

#include <algorithm>
#include <cmath>

#include "tests/instruments/instruments_support.hpp"

namespace redbench {
namespace {

/// A board whose runs take `run_s`, and whose counter takes `call_s` to be read and then says what `counter`
/// makes of the time and of how often it was read before.
struct FakeBoard {
  double run_s, call_s;
  std::function<std::optional<std::uint64_t>(double now_s, int readings)> counter;
  double now_s = 0, busy_until_s = 0;
  int readings = 0;
  std::vector<Index> enqueued = {};

  BatchEnergy measure() {
    return measure_batch({[this](Index some) {
                            busy_until_s = std::max(busy_until_s, now_s) + double(some) * run_s;
                            enqueued.push_back(some);
                          },
                          [this] { now_s = std::max(now_s, busy_until_s); },
                          [this] {
                            now_s += call_s;
                            return counter(now_s, readings++);
                          },
                          [this] { return now_s; }});
  }
};

/// At 700 W, brought up to date every `update_s`.
FakeBoard at_700_w(double run_s, double update_s, double call_s = 1e-5) {
  return {run_s, call_s,
          [=](double now_s, int) { return std::uint64_t(700e3 * update_s * std::floor(now_s / update_s)); }};
}

/// 7 mJ more at each reading.
std::optional<std::uint64_t> steady(double, int readings) { return std::uint64_t(1000 + 7 * readings); }

TEST(Energy, AGpusCounterOverRunsGivesTheEnergyOfOne) {
  for (const double run_s : {2e-6, 1e-4, 3e-3, 4.9e-3, 12e-3})
    for (const double update_s : {1e-3, 20e-3, 100e-3}) {
      FakeBoard board = at_700_w(run_s, update_s);
      const BatchEnergy energy = board.measure();
      ASSERT_EQ(energy.missing, "") << run_s << ' ' << update_s;
      EXPECT_NEAR(energy.mj / double(energy.runs) / (700e3 * run_s), 1, 0.04) << run_s << ' ' << update_s;
      EXPECT_LE(board.now_s, 2.05);
      EXPECT_GE(double(energy.runs) * run_s, 0.095);
    }
}

TEST(Energy, ABatchThatSaysLittleIsNull) {
  EXPECT_NE(at_700_w(1e-4, 1.2).measure().missing, "") << "one move of the counter in two seconds";
  EXPECT_NE(at_700_w(1e-4, 10.0).measure().missing, "") << "none";
  EXPECT_NE(at_700_w(1e-4, 0.02, 0.05).measure().missing, "") << "each reading takes 50 ms";
  EXPECT_EQ(at_700_w(1e-4, 0.1, 0.006).measure().missing, "")
      << "as on an H200, which half a second was not enough for";
  const BatchEnergy none = FakeBoard{1e-4, 1e-3, [](double, int) { return std::nullopt; }}.measure();
  EXPECT_EQ(none.missing, "NVML has no energy counter for this GPU");
  // A reading during 8 runs takes 2.4 ms: in what is left of two seconds there are 831.
  FakeBoard seldom{0.3e-3, 1e-3, [](double, int readings) {
                     return std::uint64_t(readings < 400 ? 10 : readings < 410 ? 20 : 30);
                   }};
  const BatchEnergy few = seldom.measure();
  EXPECT_EQ(few.mj + double(few.runs), 0);
  EXPECT_EQ(few.missing,
            "in 2 s NVML's energy counter moved 2 times at 831 readings; two moves that are 0.1 s and 50 "
            "readings apart are needed");
}

// The counter moves at the third reading, at 0 s, at the 60th, a little too early, and at the 62nd.
TEST(Energy, ATenthOfASecondIsEnough) {
  FakeBoard board{0, 0, {}};
  board.counter = [&](double, int before) -> std::optional<std::uint64_t> {
    if (before == 59) board.now_s = 0.0999;
    if (before == 61) board.now_s = 0.1;
    return before < 3 ? 5 : before < 59 ? 40 : before < 61 ? 70 : 90;
  };
  const BatchEnergy energy = board.measure();
  EXPECT_EQ(energy.missing, "");
  EXPECT_EQ(energy.mj, 90 - 40);
}

// Two readings of 1 ms take 7 runs of 0.3 ms, so that a part has 8 of them. Of readings 2, 3, ... the first
// moves nothing, as nothing was seen before it; 50 later ones are enough, from the second on.
TEST(Energy, APartKeepsTheDeviceBusyForTwoReadings) {
  FakeBoard board{0.3e-3, 1e-3, steady, 1000};
  const BatchEnergy energy = board.measure();
  EXPECT_EQ(energy.missing, "");
  EXPECT_EQ(energy.mj, 50 * 7);
  EXPECT_EQ(energy.runs, 50 * 8);
  std::vector<Index> expected{1, 2, 4, 8};
  expected.insert(expected.end(), 52, 8);
  EXPECT_EQ(board.enqueued, expected);
}

TEST_F(Instrumented, EnergyThatCannotBeTakenSaysWhy) {
  EXPECT_EQ(make_energy(sampling()), nullptr) << "it is not asked for";
  options_.energy = true;
  const auto why = [&](double time_ns) {
    const Record record = added_by(make_energy, {{"time_ns", time_ns}});
    EXPECT_EQ(record.size(), 2u);
    return record["energy_missing"].get<std::string>();
  };
  EXPECT_EQ(why(1000), "not a GPU");
  meter_.use(std::make_unique<FakeNvml>());
  EXPECT_EQ(why(1000), "NVML has no energy counter for this GPU");
  EXPECT_EQ(why(20.5e6), "a run takes 20.5 ms: fewer than 100 of them in 2 s");
  variant_.card.synchronizes = true;
  EXPECT_EQ(why(1000), "it waits for the device inside `run`: its runs are not back to back");
  EXPECT_EQ(runs_, 0);
}

// 20 mJ a run over 1000 inputs. 20 ms are the most that a run may take; a watcher hears of the batch as a
// whole, and runs that are still queued are no part of what the counter says.
TEST_F(Instrumented, EnergyPerInputIsOverAllRunsAndInputs) {
  options_.energy = true;
  auto nvml = std::make_unique<FakeNvml>();
  nvml->counter = [this] { return std::uint64_t(runs_) * 20; };
  meter_.use(std::move(nvml));
  const Record record = added_by(make_energy, {{"time_ns", 20e6}});
  const Json runs = record["energy_runs"];
  EXPECT_GE(runs, 50);
  EXPECT_EQ(record, (Json{{"time_ns", 20e6},
                          {"energy_mj", runs.get<double>() * 20},
                          {"energy_runs", runs},
                          {"energy_nj_per_input", 20'000.0}}));
  EXPECT_TRUE(device_.log_.starts_with("xrf")) << device_.log_.substr(0, 9);
  EXPECT_TRUE(device_.log_.ends_with("fi"));
  EXPECT_EQ(std::ranges::count(device_.log_, 'x') + std::ranges::count(device_.log_, 'i'), 2);
  case_.input.n = 0;
  EXPECT_FALSE(added_by(make_energy, {{"time_ns", 1000.0}}).contains("energy_nj_per_input"));
}

}  // namespace
}  // namespace redbench
