// Which instruments a session has, and at which sizes and with how much room there is something to hold a
// case against.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "src/error.hpp"
#include "src/instruments/instrument.hpp"
#include "tests/fake_device.hpp"
#include "tests/fake_meter.hpp"

namespace redbench {
namespace {

/// Has no memory to give where `full`.
class RoomyDevice : public FakeDevice {
 public:
  void* allocate(std::size_t bytes) override {
    if (full_) throw DeviceError("out of memory");
    return FakeDevice::allocate(bytes);
  }
  bool full_ = false;
};

class InstrumentsOfMode : public testing::Test {
 protected:
  void SetUp() override {
    case_.input.n = 1000;
    meter_.use(std::make_unique<FakeStopwatch>(time_, 1250));
    meter_.use(fake_movers(time_, rates, moves_));
    meter_.use(fake_scattered(time_, 8, 2, scatters_));
  }
  Session session(Mode mode, std::vector<Span> inputs, std::size_t result_bytes) {
    return {meter_, mode, options_, std::move(inputs), result_bytes, 1, labels_, different_};
  }
  static std::string text(const std::vector<Contender>& contenders) {
    std::string all;
    for (const Contender& one : contenders)
      all +=
          fmt::format("{}{}{}", all.empty() ? "" : ", ", one.name, one.until_all_stop ? "" : " (waited for)");
    return all;
  }
  /// The ceilings of a cell that reads and writes so much, and that the moves to them were as they say.
  std::string ceilings(std::size_t in, std::size_t out) {
    moves_.clear();
    const Session session = this->session(Mode::cold, {{memory_.data(), in}}, out);
    const std::unique_ptr<Instrument> instrument = make_ceilings(session);
    std::vector<Contender> contenders;
    instrument->start(contenders);
    std::string all = text(contenders) + ";";
    for (const Move& move : moves_) all += fmt::format(" {}+{}", move.bytes_read(), move.bytes_written());
    return all;
  }

  FakeTime time_;
  std::vector<Move> moves_;
  std::vector<Scatter> scatters_;
  RoomyDevice device_;
  Meter meter_{device_};
  MeasureOptions options_;
  Variant variant_;
  Case case_{&variant_, "full", {}, {}, nullptr, {}, {}, {}};
  Index labels_ = 0, different_ = 0;
  std::vector<char> memory_ = std::vector<char>(4096);
};

const std::string read = "the ceiling (read)", copy = ", the ceiling (copy)", write = ", the ceiling (write)",
                  mix = ", the ceiling (mix)", waited = " (waited for)";

// Ceilings and scattered accesses are single moves behind an event: what runs in a row is not held against
// them. Others of mode graph see no launch of their own.
TEST_F(InstrumentsOfMode, RunsInARowHaveNoCeilings) {
  options_.scattered = options_.twice = options_.energy = options_.per_launch = true;
  options_.digests = 1;
  labels_ = 1000;
  different_ = 300;
  const auto started = [&](Mode mode) {
    const Session session = this->session(mode, {{memory_.data(), 40'000}}, 16);
    const Instruments instruments(session);
    std::vector<Contender> contenders{{.sample = [] { return 1.0; }, .name = "a case"}};
    instruments.start(contenders);
    return fmt::format("{} and {}: {}", instruments.undisturbing.size(), instruments.disturbing.size(),
                       text(contenders));
  };
  const std::string ceilings = read + copy + waited + write + waited;
  const std::string scattered = "scattered reads, scattered atomics";
  for (const Mode mode : {Mode::cold, Mode::warm})
    EXPECT_EQ(started(mode),
              "8 and 3: a case (waited for), " + ceilings + ", " + scattered + ", a case (waited for)");
  EXPECT_EQ(started(Mode::graph), "4 and 2: a case (waited for), a case (waited for)");
  options_ = {};
  EXPECT_EQ(started(Mode::cold), "6 and 0: a case (waited for), " + ceilings);
  EXPECT_EQ(started(Mode::graph), "4 and 0: a case (waited for)");
}

// A page is the least that is moved, and memory to write to has an eighth to spare.
TEST_F(InstrumentsOfMode, CeilingsNeedAPageAndRoom) {
  EXPECT_EQ(ceilings(4096, 16), read + copy + waited + write + waited + "; 4096+0 4096+4096 0+4096");
  EXPECT_EQ(ceilings(4080, 16), ";");
  EXPECT_EQ(ceilings(40'000, 400), read + copy + waited + write + waited + "; 40000+0 40000+40000 0+40000")
      << "a hundredth is no mix";
  EXPECT_EQ(ceilings(40'000, 416),
            read + copy + waited + write + waited + mix + "; 40000+0 40000+40000 0+40000 40000+416");
  EXPECT_EQ(ceilings(40'000, 40'000), read + copy + write + waited + "; 40000+0 40000+40000 0+40000");
  EXPECT_EQ(ceilings(8'000, 40'000),
            read + copy + waited + write + waited + mix + "; 8000+0 8000+8000 0+8000 8000+40000");
  device_.free_ = 45'001;
  EXPECT_EQ(ceilings(40'000, 8'000),
            read + copy + waited + write + waited + mix + "; 40000+0 40000+40000 0+40000 40000+8000");
  device_.free_ = 45'000;
  EXPECT_EQ(ceilings(40'000, 8'000), read + mix + "; 40000+0 40000+8000") << "as little as will do";
  EXPECT_EQ(ceilings(40'000, 16), read + "; 40000+0");
  EXPECT_EQ(ceilings(40'000, 40'000), read + "; 40000+0");
  device_.free_ = 9'001;
  EXPECT_EQ(ceilings(40'000, 8'000), read + mix + "; 40000+0 40000+8000");
  device_.free_ = 9'000;
  EXPECT_EQ(ceilings(40'000, 8'000), read + "; 40000+0");
  device_.free_ = 1 << 30;
  device_.full_ = true;
  EXPECT_EQ(ceilings(40'000, 8'000), read + "; 40000+0") << "though there seemed to be room";
}

TEST_F(InstrumentsOfMode, ScatteredAccessesNeedAnEighthMoreThanTheirWords) {
  options_.scattered = true;
  labels_ = 1000;
  different_ = 300;
  const auto started = [&] {
    const Session session = this->session(Mode::cold, {}, 16);
    const std::unique_ptr<Instrument> scattered = make_scattered(session);
    std::vector<Contender> contenders;
    scattered->start(contenders);
    Record record{{"time_ns", 2000.0}};
    const Record before = record;
    if (contenders.empty()) {
      scattered->stop({case_, [] {}, [] {}, [] {}}, record);
      EXPECT_EQ(record, before);
    }
    return text(contenders);
  };
  device_.free_ = 1350;
  EXPECT_EQ(started(), "scattered reads, scattered atomics");
  device_.free_ = 1349;
  EXPECT_EQ(started(), "");
  device_.free_ = 1 << 30;
  device_.full_ = true;
  EXPECT_EQ(started(), "");
  EXPECT_EQ(scatters_.size(), 1u);
}

// Of two readings the higher is the middle of each field.
TEST_F(InstrumentsOfMode, OfTwoReadingsOfTheClocksTheHigherCounts) {
  auto nvml = std::make_unique<FakeNvml>();
  nvml->readings = {{1500, 3200, 41, 600'000, 0x4}, {1400, 3300, 45, 650'500, 0x20}};
  meter_.use(std::move(nvml));
  const Session session = this->session(Mode::cold, {}, 16);
  const std::unique_ptr<Instrument> clocks = make_clocks(session);
  std::vector<Contender> none;
  clocks->start(none);
  std::this_thread::sleep_for(std::chrono::milliseconds(51));
  clocks->read();
  Record record = Json::object();
  clocks->stop({case_, [] {}, [] {}, [] {}}, record);
  EXPECT_EQ(record, (Json{{"clocks",
                           {{"sm_mhz", 1500},
                            {"sm_mhz_low", 1400},
                            {"sm_mhz_high", 1500},
                            {"sm_mhz_most", 1980},
                            {"memory_mhz", 3300},
                            {"throttled_by", {"software power cap", "software thermal slowdown"}},
                            {"temperature_c", 45},
                            {"power_w", 650.5},
                            {"readings", 2}}}}));
}

}  // namespace
}  // namespace redbench
