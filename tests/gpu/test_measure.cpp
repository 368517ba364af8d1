// What is done about disturbances of a measurement, shown on a GPU to do it. Two quantities differ where the
// confidence intervals of their medians do not touch (docs/reference/timing.md).
#include <chrono>
#include <thread>

#include "src/measure/stop_rule.hpp"
#include "tests/gpu/gpu_test.hpp"

namespace redbench {
namespace {

constexpr int samples_each = 101;

class Measure : public GpuTest {
 protected:
  static Stopwatch& stopwatch() { return *gpu().meter->stopwatch(); }

  /// Memory of the GPU with something in it, for as long as it lives.
  struct Buffer {
    explicit Buffer(std::size_t size) : bytes(size), memory(device().allocate(size)) {
      device().fill(memory, 1, bytes);
    }
    ~Buffer() { device().release(memory); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    /// Launches one kernel that reads all of it.
    void read() const { movers(device(), {.from = {{memory, bytes}}}).front().enqueue(); }

    std::size_t bytes;
    void* memory;
  };

  /// Medians of two ways of taking a sample, taken in turn.
  template <class A, class B>
  static std::pair<Median, Median> compared(const A& a, const B& b) {
    std::vector<double> of_a, of_b;
    for (int i = 0; i < samples_each; ++i) {
      of_a.push_back(a());
      of_b.push_back(b());
    }
    return {median_of(of_a), median_of(of_b)};
  }

  static std::string shown(const char* what, const Median& time) {
    return std::string(what) + " " + std::to_string(time.value) + " ns (" + std::to_string(time.low) +
           " to " + std::to_string(time.high) + ")";
  }

  static void expect_shorter(const char* a, const Median& time_a, const char* b, const Median& time_b) {
    std::printf("%s, %s\n", shown(a, time_a).c_str(), shown(b, time_b).c_str());
    EXPECT_LT(time_a.high, time_b.low);
  }
};

// A quarter of the L2, so that it stays there whole after a read.
TEST_F(Measure, AReadAfterTheFlushIsSlowerThanOneAfterARead) {
  const Buffer buffer(device().facts().l2_bytes / 4 / 4096 * 4096);
  const auto sample = [&](Mode mode) {
    return [&, mode] { return stopwatch().sample(mode, false, [&] { buffer.read(); }); };
  };
  const auto [warm, cold] = compared(sample(Mode::warm), sample(Mode::cold));
  expect_shorter("warm", warm, "cold", cold);
}

TEST_F(Measure, AHiddenLaunchGapShortensATinyLaunch) {
  const Buffer buffer(4096);
  const auto sample = [&](bool gap_visible) {
    return [&, gap_visible] { return stopwatch().sample(Mode::warm, gap_visible, [&] { buffer.read(); }); };
  };
  const auto [hidden, visible] = compared(sample(false), sample(true));
  expect_shorter("hidden", hidden, "visible", visible);
}

TEST_F(Measure, AnUndeclaredWaitIsReportedAndCostsItsSampleAlone) {
  const Buffer buffer(4096);
  const auto waits = [&] {
    buffer.read();
    device().finish();
  };
  try {
    stopwatch().sample(Mode::warm, false, waits);
    FAIL() << "no DeviceError was thrown";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(),
                 "it waits for the device inside `run`, which its card does not say (synchronizes)");
  }
  EXPECT_GT(stopwatch().sample(Mode::warm, true, waits), 0) << "declared, it is sampled";
  EXPECT_GT(stopwatch().sample(Mode::warm, false, [&] { buffer.read(); }), 0);
}

TEST_F(Measure, TwoEventsAroundNothingAreAboutAMicrosecondApart) {
  std::vector<double> samples;
  for (int i = 0; i < samples_each; ++i) samples.push_back(stopwatch().sample(Mode::cold, false, [] {}));
  const Median empty = median_of(samples);
  std::printf("%s\n", shown("empty", empty).c_str());
  EXPECT_GT(empty.value, 100);
  EXPECT_LT(empty.value, 5000);
}

// A tiny launch takes longer than none: what lies between the events is what is timed.
TEST_F(Measure, ALaunchIsBetweenTheEvents) {
  const Buffer buffer(4096);
  const auto [none, one] =
      compared([&] { return stopwatch().sample(Mode::warm, false, [] {}); },
               [&] { return stopwatch().sample(Mode::warm, false, [&] { buffer.read(); }); });
  expect_shorter("empty", none, "one launch", one);
}

TEST_F(Measure, TheStateOfTheBoardIsRead) {
  Nvml& nvml = gpu().meter->nvml();
  ASSERT_EQ(nvml.missing(), "");
  const Nvml::Reading reading = nvml.read();
  std::printf("SM %u of %u MHz, memory %u MHz, %u C, %u mW\n", reading.sm_mhz, nvml.most_sm_mhz(),
              reading.memory_mhz, reading.temperature_c, reading.power_mw);
  EXPECT_GT(reading.sm_mhz, 0u);
  EXPECT_LE(reading.sm_mhz, nvml.most_sm_mhz());
  EXPECT_GT(reading.memory_mhz, 0u);
  EXPECT_GT(reading.temperature_c, 10u);
  EXPECT_GT(reading.power_mw, 10'000u);
}

// The kernel that holds the queue counts SM cycles; NVML tells the clock that the board is set to. Both are
// read while the board works, as an idle one changes its clock.
TEST_F(Measure, TheClockBeforeASampleIsTheBoards) {
  Nvml& nvml = gpu().meter->nvml();
  ASSERT_EQ(nvml.missing(), "");
  const Buffer buffer(std::size_t(1) << 28);
  for (const bool gap_visible : {false, true}) {
    std::vector<double> counted, reported;
    for (int i = 0; i < samples_each; ++i) {
      stopwatch().sample(Mode::cold, gap_visible, [&] { buffer.read(); });
      ASSERT_TRUE(stopwatch().clock_mhz());
      counted.push_back(*stopwatch().clock_mhz());
      reported.push_back(nvml.read().sm_mhz);
    }
    const Median clock = median_of(counted);
    std::printf("%.1f MHz counted (%.1f to %.1f), %.0f MHz reported\n", clock.value, clock.low, clock.high,
                median_of(reported).value);
    EXPECT_NEAR(clock.value / median_of(reported).value, 1, 0.03);
    EXPECT_LT(clock.high / clock.low, 1.01);
  }
}

// A second of an idle board is tens of joules at least: the counter has the unit and moves.
TEST_F(Measure, TheBoardCountsItsEnergy) {
  Nvml& nvml = gpu().meter->nvml();
  ASSERT_EQ(nvml.missing(), "");
  const auto before = nvml.energy_mj();
  if (!before) GTEST_SKIP() << "this board does not count its energy";
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const std::uint64_t used = *nvml.energy_mj() - *before;
  std::printf("%llu mJ in a second\n", static_cast<unsigned long long>(used));
  EXPECT_GT(used, 5'000u);
  EXPECT_LT(used, 2'000'000u);
}

}  // namespace
}  // namespace redbench
