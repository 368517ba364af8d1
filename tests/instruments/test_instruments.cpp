// What instruments add to a record: from fake clocks, whose answers are known to the last digit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "src/instruments/instrument.hpp"
#include "src/measure/launch_gap.hpp"
#include "src/records/check.hpp"
#include "tests/fake_device.hpp"
#include "tests/fake_meter.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// The fields of one instrument for a case of `bytes_read` and `bytes_written` bytes that takes 1000 ns.
class Reading : public testing::Test {
 protected:
  Record of(std::unique_ptr<Instrument> (*make)(const Session&), std::vector<Span> inputs = {},
            std::size_t result_bytes = 4) {
    const Session session{meter_,       Mode::cold, options_, std::move(inputs),
                          result_bytes, 0,          labels_,  different_};
    const std::unique_ptr<Instrument> instrument = make(session);
    std::vector<Contender> contenders{{.sample = [&] {
      std::this_thread::sleep_for(pause_);
      instrument->read();
      return 1000.0;
    }}};
    instrument->start(contenders);
    sample_in_turn(contenders, options_, 1,
                   [](Contender& c, const std::string& why) { FAIL() << c.name << why; });
    std::size_t bytes = result_bytes;
    for (const Span& span : session.inputs) bytes += span.bytes;
    Record record{{"time_ns", time_ns_}, {"bandwidth_gb_per_s", double(bytes) / 1000}};
    instrument->stop({case_, [this] { ++runs_; }, [] {}, [] {}}, record);
    return record;
  }
  /// As with these ceilings, in GB/s.
  Record ceilings(FakeRates rates, std::vector<Span> inputs, std::size_t result_bytes) {
    meter_.use(fake_movers(time_, rates, moves_));
    return of(make_ceilings, std::move(inputs), result_bytes);
  }
  Span span(std::size_t bytes) { return {memory_.data(), bytes}; }

  FakeTime time_;
  std::vector<Move> moves_;
  FakeDevice device_;
  Meter meter_{device_};
  MeasureOptions options_ = few_samples();
  Variant variant_;
  Case case_{&variant_, "full", {}, {}, nullptr, {}, {}, {}};
  double time_ns_ = 1000;
  int runs_ = 0;
  Index labels_ = 0, different_ = 0;
  std::chrono::milliseconds pause_{0};  // before each sample
  std::vector<char> memory_ = std::vector<char>(1 << 12);

  void SetUp() override {
    case_.input.n = 1000;
    meter_.use(std::make_unique<FakeStopwatch>(time_, 1250));
  }
};

constexpr std::size_t mb = 1'000'000;

TEST_F(Reading, EachCaseHasItsOwnSecondSeries) {
  options_.twice = true;
  const Session session{meter_, Mode::cold, options_, {}, 4, 2};
  const std::unique_ptr<Instrument> again = make_again(session);
  double ns = 0;
  std::vector<Contender> contenders{{.sample = [&] { return 5000 + ++ns; }, .name = "another case"},
                                    {.sample = [&] { return ++ns; }, .name = case_.key()},
                                    {.sample = [] { return 9000.0; }, .name = "a ceiling"}};
  again->start(contenders);
  ASSERT_EQ(contenders.size(), 5u) << "a ceiling is no case";
  sample_in_turn(contenders, options_, 1,
                 [](Contender& c, const std::string& why) { FAIL() << c.name << why; });
  Record record = Json::object();
  again->stop({case_, [] {}, [] {}, [] {}}, record);
  const std::vector<double> series = record["again_ns"][0];
  EXPECT_EQ(series.size(), contenders[1].samples.size());
  for (const double sample : series) {
    EXPECT_LT(sample, 5000);
    EXPECT_EQ(std::ranges::count(contenders[1].samples, sample), 0) << "taken once, counted twice";
  }
  EXPECT_TRUE(again->disturbs()) << "its last sample may come after the case's";
  options_.twice = false;
  EXPECT_FALSE(make_again(session));
}

TEST_F(Reading, ADigestOfEachRunTellsResultsApart) {
  options_.digests = 4;
  std::uint32_t result[2] = {1, 1};
  const Session session{meter_, Mode::cold, options_, {}, sizeof(result), 1, 0, 0, [] {}, result};
  const std::unique_ptr<Instrument> digests = make_result_digests(session);
  int run = 0;
  Record record = Json::object();
  digests->stop({case_, [&] { result[1] = std::uint32_t(run++ / 2); }, [] {}, [] {}}, record);
  const std::vector<std::string> of_runs = record["result_digests"][0];
  ASSERT_EQ(of_runs.size(), 4u);
  EXPECT_EQ(of_runs[0], of_runs[1]);
  EXPECT_NE(of_runs[1], of_runs[2]) << "the last bytes differ alone";
  EXPECT_EQ(of_runs[2], of_runs[3]);
  // FNV-1a of 01 00 00 00 00 00 00 00, by hand: the offset basis, eight times xor and times the prime.
  std::uint64_t hash = 14695981039346656037u;
  for (const int byte : {1, 0, 0, 0, 0, 0, 0, 0}) hash = (hash ^ std::uint64_t(byte)) * 1099511628211u;
  EXPECT_EQ(of_runs[0], fmt::format("{:016x}", hash));
  EXPECT_TRUE(digests->disturbs()) << "others of the cell write to the same result";
  options_.digests = 0;
  EXPECT_FALSE(make_result_digests(session));
}

// A result's last byte counts however long it is.
TEST_F(Reading, ADigestIsOfAllBytes) {
  options_.digests = 1;
  const auto digest = [&](std::vector<char> result) {
    const Session session{meter_, Mode::cold, options_, {}, result.size(), 1, 0, 0, [] {}, result.data()};
    Record record = Json::object();
    make_result_digests(session)->stop({case_, [] {}, [] {}, [] {}}, record);
    return record["result_digests"][0][0].get<std::string>();
  };
  for (const std::size_t bytes : {1, 4, 8, 9, 16, 4097}) {
    const std::string of_zeros = digest(std::vector<char>(bytes));
    for (const std::size_t place : {std::size_t(0), bytes / 2, bytes - 1}) {
      std::vector<char> other(bytes);
      other[place] = 1;
      EXPECT_NE(digest(other), of_zeros) << "byte " << place << " of " << bytes;
    }
  }
}

/// A GPU by its target alone.
class FakeGpu : public FakeDevice {
 public:
  Target target() const override { return Target::cuda; }
};

/// In run r launch i takes 100 × (i + 1) + r ns; the runs come in no order.
class StopwatchOfLaunches : public FakeStopwatch {
 public:
  using FakeStopwatch::FakeStopwatch;
  std::vector<double> sample_launches(Mode, const std::function<void()>& work) override {
    work();
    const double run = double(7 * runs++ % 9);
    return {100 + run, 200 + run, 300 + run};
  }
  int runs = 0;
};

TEST_F(Reading, EachLaunchHasTheMedianOfItsOwnTimes) {
  FakeGpu gpu;
  Meter meter(gpu);
  meter.use(std::make_unique<StopwatchOfLaunches>(time_, 1250));
  options_.per_launch = true;
  case_.footprint.launches.resize(3);
  std::string signs;
  const auto times = [&] {
    const Session session{meter, Mode::cold, options_, {}, 4};
    Record record{{"launches", {Json::object(), Json::object(), Json::object()}}};
    const auto run = [&] {
      ++runs_;
      signs += 'r';
    };
    make_launch_times(session)->stop({case_, run, [&] { signs += 'x'; }, [&] { signs += 'i'; }}, record);
    std::vector<Json> found;
    for (const Json& launch : record["launches"]) found.push_back(launch.value("time_ns", Json()));
    return found;
  };
  EXPECT_EQ(times(), (std::vector<Json>{104.0, 204.0, 304.0}));
  EXPECT_EQ(runs_, 9);
  EXPECT_EQ(signs, "xrixrixrixrixrixrixrixrixri")
      << "what runs is the case, for a watcher, and nothing between";
  const std::vector<Json> unknown(3);
  case_.footprint.library = true;
  EXPECT_EQ(times(), unknown) << "a library's launches are hidden among them";
  case_.footprint.library = false;
  variant_.card.synchronizes = true;
  EXPECT_EQ(times(), unknown) << "the host's launches would be in them";
}

TEST_F(Reading, LaunchesAreTimedOnlyWhereThatIsAskedForAndCanBe) {
  const auto made = [&](Mode mode) {
    const Session session{meter_, mode, options_, {}, 4};
    return make_launch_times(session) != nullptr;
  };
  EXPECT_FALSE(made(Mode::cold));
  options_.per_launch = true;
  EXPECT_TRUE(made(Mode::cold));
  EXPECT_TRUE(made(Mode::warm));
  EXPECT_FALSE(made(Mode::graph));
}

TEST_F(Reading, TheLaunchGapIsToldOfGpusAlone) {
  FakeGpu gpu;
  Meter of_gpu(gpu);
  const auto hidden = [&](Meter& meter, std::size_t launches, bool synchronizes) {
    case_.footprint.launches.resize(launches);
    variant_.card.synchronizes = synchronizes;
    const Session session{meter, Mode::cold, options_, {}, 4};
    Record record = Json::object();
    make_launch_gap(session)->stop({case_, [] {}, [] {}, [] {}}, record);
    return record.value("launch_gap_hidden", Json());
  };
  EXPECT_EQ(hidden(of_gpu, 1, false), true);
  EXPECT_EQ(hidden(of_gpu, 1, true), false);
  EXPECT_EQ(hidden(of_gpu, LaunchGap::most_launches, false), true);
  EXPECT_EQ(hidden(of_gpu, LaunchGap::most_launches + 1, false), false);
  EXPECT_EQ(hidden(meter_, 1, false), Json()) << "not a GPU";
}

TEST_F(Reading, AReadingCellIsHeldAgainstTheReadCeiling) {
  const Record record = ceilings(rates, {span(mb)}, 16);
  EXPECT_DOUBLE_EQ(record["ceiling_read_gb_per_s"], 2000);
  EXPECT_DOUBLE_EQ(record["ceiling_write_gb_per_s"], 1000);
  EXPECT_DOUBLE_EQ(record["ceiling_copy_gb_per_s"], 800) << "both its bytes count";
  EXPECT_FALSE(record.contains("ceiling_mix_gb_per_s"));
  EXPECT_EQ(record["ceiling_read_by"], "fast");
  // 1000 GB/s, of 2000.
  EXPECT_DOUBLE_EQ(record["percent_of_ceiling"], 100 * (1000.016 / 2000));
  EXPECT_EQ(record["above_ceiling"], false);
}

TEST_F(Reading, ACellThatWritesIsHeldAgainstItsMix) {
  const Record record = ceilings(rates, {span(mb)}, mb / 4);
  EXPECT_EQ(moves_.size(), 4u);
  EXPECT_EQ(moves_.back().bytes_read(), mb);
  EXPECT_EQ(moves_.back().bytes_written(), mb / 4);
  EXPECT_DOUBLE_EQ(record["ceiling_mix_gb_per_s"], 800);
  EXPECT_EQ(record["ceiling_mix_by"], "fast");
  // 1250 GB/s, of 800.
  EXPECT_DOUBLE_EQ(record["percent_of_ceiling"], 156.25);
  EXPECT_EQ(record["above_ceiling"], true);
}

TEST_F(Reading, AHundredthWrittenIsNoMix) {
  EXPECT_FALSE(ceilings(rates, {span(1600 * 100)}, 1600).contains("ceiling_mix_gb_per_s"));
  EXPECT_TRUE(ceilings(rates, {span(1600 * 100)}, 1616).contains("ceiling_mix_gb_per_s"));
}

TEST_F(Reading, ACopyLikeCellIsHeldAgainstTheCopy) {
  const Record record = ceilings(rates, {span(mb / 2), span(mb / 2)}, mb);
  EXPECT_EQ(moves_.size(), 3u) << "the mix is the copy, which is not measured twice";
  EXPECT_DOUBLE_EQ(record["ceiling_copy_gb_per_s"], 800);
  EXPECT_DOUBLE_EQ(record["ceiling_mix_gb_per_s"], 800);
  EXPECT_DOUBLE_EQ(record["percent_of_ceiling"], 250);
}

TEST_F(Reading, ACellThatOnlyWritesIsHeldAgainstWriting) {
  const Record record = ceilings(rates, {}, mb);
  EXPECT_DOUBLE_EQ(record["ceiling_mix_gb_per_s"], 1000);
  EXPECT_FALSE(record.contains("ceiling_read_gb_per_s"));
  EXPECT_DOUBLE_EQ(record["percent_of_ceiling"], 100);
  EXPECT_EQ(record["above_ceiling"], false);
}

TEST_F(Reading, BelowAPageThereIsNoCeiling) {
  EXPECT_FALSE(ceilings(rates, {span(4080)}, 4).contains("percent_of_ceiling"));
  EXPECT_TRUE(ceilings(rates, {span(4096)}, 4).contains("percent_of_ceiling"));
}

TEST_F(Reading, WithoutRoomToWriteAReaderKeepsItsCeiling) {
  device_.free_ = mb;
  const Record reader = ceilings(rates, {span(mb)}, 4);
  EXPECT_TRUE(reader.contains("percent_of_ceiling"));
  EXPECT_FALSE(reader.contains("ceiling_copy_gb_per_s"));
  EXPECT_FALSE(ceilings(rates, {span(mb)}, mb).contains("percent_of_ceiling"));
  const Record mixed = ceilings(rates, {span(mb)}, mb / 2);
  EXPECT_TRUE(mixed.contains("percent_of_ceiling")) << "the results' bytes have room";
  EXPECT_FALSE(mixed.contains("ceiling_copy_gb_per_s"));
}

TEST_F(Reading, ScatteredAccessesAreAsManyAsTheLabels) {
  options_.scattered = true;
  std::vector<Scatter> scatters;
  meter_.use(fake_scattered(time_, 8, 2, scatters));
  labels_ = 6000;
  different_ = 300;
  const Record record = of(make_scattered);
  ASSERT_EQ(scatters.size(), 1u);
  EXPECT_EQ(scatters[0].accesses, 6000);
  EXPECT_EQ(scatters[0].words, 300);
  EXPECT_DOUBLE_EQ(record["scattered_reads_per_ns"], 8);
  EXPECT_DOUBLE_EQ(record["scattered_atomics_per_ns"], 2);
  // 6000 labels in 1000 ns, of 2 in each.
  EXPECT_DOUBLE_EQ(record["percent_of_scattered"], 300);
}

TEST_F(Reading, ScatteredAccessesAreOnlySampledOfLabelsAndWhereTheyAreAskedFor) {
  const auto made = [&](Index labels) {
    const Session session{meter_, Mode::cold, options_, {}, 4, 0, labels, 10};
    return make_scattered(session) != nullptr;
  };
  EXPECT_FALSE(made(100));
  options_.scattered = true;
  EXPECT_TRUE(made(100));
  EXPECT_FALSE(made(0));
}

// Each flushes the caches, which takes a host a second: their watcher would take them for a hang.
TEST_F(Reading, TheSearchForACeilingIsASignOfLifePerSample) {
  meter_.use(fake_movers(time_, rates, moves_));
  int signs = 0;
  Session session{meter_, Mode::cold, options_, {span(mb)}, 4};
  session.idle = [&] { ++signs; };
  const std::unique_ptr<Instrument> instrument = make_ceilings(session);
  std::vector<Contender> contenders;
  instrument->start(contenders);
  EXPECT_EQ(signs, 3 * 2 * 5) << "a read, a copy and a write, by two ways five times each";
}

// The cells that follow need the memory.
TEST_F(Reading, CeilingsKeepNoMemory) {
  class Counted : public FakeDevice {
   public:
    void* allocate(std::size_t bytes) override {
      ++held;
      return FakeDevice::allocate(bytes);
    }
    void release(void* memory) override {
      held -= memory != nullptr;
      FakeDevice::release(memory);
    }
    int held = 0;
  } counted;
  Meter meter(counted);
  meter.use(std::make_unique<FakeStopwatch>(time_, 1250));
  meter.use(fake_movers(time_, rates, moves_));
  const Session session{meter, Mode::cold, options_, {span(mb)}, 4};
  std::unique_ptr<Instrument> instrument = make_ceilings(session);
  std::vector<Contender> contenders;
  instrument->start(contenders);
  EXPECT_EQ(counted.held, 1) << "what a copy and a write write to";
  instrument.reset();
  EXPECT_EQ(counted.held, 0);
}

TEST_F(Reading, WithoutRoomForTheWordsThereAreNoScatteredAccesses) {
  options_.scattered = true;
  std::vector<Scatter> scatters;
  meter_.use(fake_scattered(time_, 8, 2, scatters));
  device_.free_ = mb;
  labels_ = 10;
  different_ = mb / 4;
  EXPECT_FALSE(of(make_scattered).contains("percent_of_scattered"));
  EXPECT_TRUE(scatters.empty());
}

TEST_F(Reading, AnEmptySampleIsAMedian) {
  EXPECT_EQ(of(make_empty_sample)["empty_sample_ns"], 1250);
  EXPECT_EQ(time_.log, "sssss");
}

TEST_F(Reading, ClocksAreMediansWithTheirExtremesAndReasons) {
  auto nvml = std::make_unique<FakeNvml>();
  // One at the start, then one after each of the seven samples: the last is read again and again.
  nvml->readings = {{1500, 3200, 41, 650'500, 0x1},
                    {1200, 3200, 45, 600'000, 0x4},
                    {1800, 3200, 39, 700'000, 0x20},
                    {1700, 3200, 43, 690'500, 0x0}};
  meter_.use(std::move(nvml));
  pause_ = std::chrono::milliseconds(55);
  const Json clocks = of(make_clocks)["clocks"];
  EXPECT_EQ(clocks, (Json{{"sm_mhz", 1700},
                          {"sm_mhz_low", 1200},
                          {"sm_mhz_high", 1800},
                          {"sm_mhz_most", 1980},
                          {"memory_mhz", 3200},
                          {"throttled_by", {"software power cap", "software thermal slowdown"}},
                          {"temperature_c", 43},
                          {"power_w", 690.5},
                          {"readings", 8}}));
}

TEST_F(Reading, ClocksThatCannotBeReadSayWhy) {
  EXPECT_EQ(of(make_clocks)["clocks"], (Json{{"missing", "not a GPU"}}));
}

// One sample at an unknown place of the queue may have cost a launch more.
TEST_F(Reading, TheQueuesPlaceIsKnownAtAllSamplesOrNone) {
  const auto slot = [&](std::vector<double> found) {
    time_.samples = 0;
    time_.queue_slots = std::move(found);
    Session session{meter_, Mode::cold, options_, {}, 4};
    const std::unique_ptr<Instrument> instrument = make_queue_slot(session);
    for (int i = 0; i < 3; ++i) {
      meter_.stopwatch()->sample(Mode::cold, false, [] {});
      instrument->read();
    }
    Record record = Json::object();
    instrument->stop({case_, [] {}, [] {}, [] {}}, record);
    return record;
  };
  EXPECT_EQ(slot({950, 960, 970})["queue_slot_ns"], 970);
  EXPECT_FALSE(slot({950, 960}).contains("queue_slot_ns"));
  EXPECT_FALSE(slot({}).contains("queue_slot_ns"));
  const Session graph{meter_, Mode::graph, options_, {}, 4};
  EXPECT_EQ(make_queue_slot(graph), nullptr);
}

TEST_F(Reading, EnergyIsOnlyTakenWhereItIsAskedFor) {
  const Session session{meter_, Mode::cold, options_, {}, 4};
  EXPECT_EQ(make_energy(session), nullptr);
}

TEST_F(Reading, EnergyThatCannotBeTakenSaysWhy) {
  options_.energy = true;
  const auto why = [&] {
    const Record record = of(make_energy);
    EXPECT_FALSE(record.contains("energy_mj"));
    EXPECT_FALSE(record.contains("energy_nj_per_input"));
    return record["energy_missing"].get<std::string>();
  };
  EXPECT_EQ(why(), "not a GPU");
  meter_.use(std::make_unique<FakeNvml>());
  EXPECT_EQ(why(), "NVML has no energy counter for this GPU");
  variant_.card.synchronizes = true;
  EXPECT_EQ(why(), "it waits for the device inside `run`: its runs are not back to back");
  variant_.card.synchronizes = false;
  time_ns_ = 22e6;
  EXPECT_EQ(why(), "a run takes 22 ms: fewer than 100 of them in 2 s");
  EXPECT_EQ(runs_, 0);
}

TEST_F(Reading, EnergyPerInputIsOverAllRunsAndInputs) {
  options_.energy = true;
  // The board's clock is the number of runs: 1 J for each, so that whatever batch is taken gives 1 J a run.
  auto nvml = std::make_unique<FakeNvml>();
  nvml->counter = [this] { return std::uint64_t(runs_) * 1000; };
  meter_.use(std::move(nvml));
  int waited_for = 0;
  device_.finished_ = [&] { waited_for = runs_; };
  const Record record = of(make_energy);
  EXPECT_EQ(waited_for, runs_) << "runs that are still queued are no part of what the counter says";
  EXPECT_TRUE(record.find("energy_missing") == record.end());
  const double runs = record["energy_runs"];
  EXPECT_GE(runs, 50);
  EXPECT_DOUBLE_EQ(record["energy_mj"], runs * 1000);
  EXPECT_DOUBLE_EQ(record["energy_nj_per_input"], 1e6) << "1 J over 1000 inputs";
}

}  // namespace
}  // namespace redbench
