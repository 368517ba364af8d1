// What instruments add to a record: from fake clocks, whose answers are known to the last digit.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "src/cell/cell.hpp"
#include "src/instruments/energy.hpp"
#include "src/instruments/instrument.hpp"
#include "src/records/check.hpp"
#include "src/records/columns.hpp"
#include "tests/fake_meter.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// A device that has no more memory than it is told.
class FullDevice : public Device {
 public:
  explicit FullDevice(std::size_t free) : host_(make_host()), free_(free) {}
  Target target() const override { return Target::host; }
  std::string name() const override { return "full"; }
  std::string slug() const override { return "full"; }
  const DeviceFacts& facts() const override { return host_->facts(); }
  std::size_t free_bytes() const override { return free_; }
  void* allocate(std::size_t bytes) override { return host_->allocate(bytes); }
  void release(void* memory) override { host_->release(memory); }
  void upload(void* to, const void* from, std::size_t bytes) override { host_->upload(to, from, bytes); }
  void download(void* to, const void* from, std::size_t bytes) override { host_->download(to, from, bytes); }
  void fill(void* memory, unsigned char byte, std::size_t bytes) override {
    host_->fill(memory, byte, bytes);
  }
  void execute(const KernelCall&) override {}
  void execute_library(const Queue::LibraryCall&, void*, std::size_t) override {}
  std::size_t library_bytes(const Queue::LibraryCall&) override { return 0; }
  LaunchFacts describe(const KernelCall&) const override { return {}; }
  void finish() override {}

 private:
  std::unique_ptr<Device> host_;
  std::size_t free_;
};

MeasureOptions few_samples() {
  MeasureOptions options;
  options.min_samples = options.max_samples = 6;
  return options;
}

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
  FullDevice device_{std::size_t(1) << 30};
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

constexpr FakeRates rates{.read = 2000, .write = 1000, .both = 800};
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
  device_ = FullDevice(mb);
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

TEST_F(Reading, WithoutRoomForTheWordsThereAreNoScatteredAccesses) {
  options_.scattered = true;
  std::vector<Scatter> scatters;
  meter_.use(fake_scattered(time_, 8, 2, scatters));
  device_ = FullDevice(mb);
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
  time_ns_ = 12e6;
  EXPECT_EQ(why(), "a run takes 12 ms: fewer than 100 of them in 0.5 s");
  EXPECT_EQ(runs_, 0);
}

/// A device whose runs take `run_s` at 700 W, with a counter that is brought up to date every `update_s` and
/// takes `call_s` to be read.
struct FakeBoard {
  double run_s, update_s, call_s = 1e-5;
  double now_s = 0, busy_until_s = 0;
  Index runs = 0;

  BatchEnergy measure() {
    return measure_batch({[this](Index some) {
                            busy_until_s = std::max(busy_until_s, now_s) + double(some) * run_s;
                            runs += some;
                          },
                          [this] { now_s = std::max(now_s, busy_until_s); },
                          [this]() -> std::optional<std::uint64_t> {
                            now_s += call_s;
                            return std::uint64_t(700e3 * update_s * std::floor(now_s / update_s));
                          },
                          [this] { return now_s; }});
  }
};

TEST(Energy, AGpusCounterOverRunsGivesTheEnergyOfOne) {
  for (const double run_s : {2e-6, 1e-4, 3e-3, 4.9e-3})
    for (const double update_s : {1e-3, 20e-3, 100e-3}) {
      FakeBoard board{run_s, update_s};
      const BatchEnergy energy = board.measure();
      ASSERT_EQ(energy.missing, "") << run_s << ' ' << update_s;
      EXPECT_NEAR(energy.mj / double(energy.runs) / (700e3 * run_s), 1, 0.04) << run_s << ' ' << update_s;
      EXPECT_LE(board.now_s, 0.55);
      EXPECT_GE(double(energy.runs) * run_s, 0.095);
    }
}

TEST(Energy, ABatchThatSaysLittleIsNull) {
  EXPECT_NE((FakeBoard{1e-4, 0.3}.measure().missing), "") << "one move of the counter in half a second";
  EXPECT_NE((FakeBoard{1e-4, 10.0}.measure().missing), "") << "none";
  EXPECT_NE((FakeBoard{1e-4, 0.02, 0.02}.measure().missing), "") << "each reading takes 20 ms";
  EXPECT_EQ((FakeBoard{1e-4, 0.02, 0.002}.measure().missing), "");
}

TEST_F(Reading, EnergyPerInputIsOverAllRunsAndInputs) {
  options_.energy = true;
  // The board's clock is the number of runs: 1 J for each, so that whatever batch is taken gives 1 J a run.
  auto nvml = std::make_unique<FakeNvml>();
  nvml->counter = [this] { return std::uint64_t(runs_) * 1000; };
  meter_.use(std::move(nvml));
  const Record record = of(make_energy);
  EXPECT_TRUE(record.find("energy_missing") == record.end());
  const double runs = record["energy_runs"];
  EXPECT_GE(runs, 50);
  EXPECT_DOUBLE_EQ(record["energy_mj"], runs * 1000);
  EXPECT_DOUBLE_EQ(record["energy_nj_per_input"], 1e6) << "1 J over 1000 inputs";
}

/// The cells of a config's only experiment on the host, measured by fake clocks.
class MeasuredCell {
 public:
  explicit MeasuredCell(const std::string& experiment) {
    const std::string path = folder_.write("x.json", R"({"experiments": [{"problem": )" + experiment + "}]}");
    plan_ = make_plan(load_config(path, Target::host, {}, record_columns()), open_.devices());
    meters_.host.use(std::make_unique<FakeStopwatch>(time_, 1000));
    meters_.host.use(fake_movers(time_, rates, moves_));
    options_.measure = few_samples();
  }
  std::vector<Record> records() {
    std::vector<Record> records;
    run_cell(plan_.cells.at(0), meters_, options_,
             {[](const Case&) {}, [] {},
              [&](Record record) {
                time_.log += 'r';
                EXPECT_EQ(mistake_in(record), "");
                records.push_back(std::move(record));
              }});
    return records;
  }

  TemporaryFolder folder_;
  OpenDevices open_{"host"};
  Plan plan_;
  FakeTime time_;
  std::vector<Move> moves_;
  Meters meters_{open_.devices()};
  CellOptions options_;
};

TEST(MeasuredCell, OwnersAreReadBySegreducesCeiling) {
  MeasuredCell cell(R"("segreduce", "variants": "cpu_serial",
                       "axes": {"n": "2^16", "type": "f64", "operator": "min", "segments": "one"})");
  const Record record = cell.records().at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  const std::size_t values = 8 << 16, owners = 4 << 16;
  EXPECT_EQ(cell.moves_.at(0).bytes_read(), values + owners);
  EXPECT_EQ(record["bytes_read"], double(values + owners));
  EXPECT_TRUE(record["ceiling_mix_gb_per_s"].is_null());
  EXPECT_NEAR(record["percent_of_ceiling"], 100 * double(values + owners + 8) / 1000 / 2000, 1e-9);
}

TEST(MeasuredCell, ResultsAreWrittenBySegreducesCeiling) {
  MeasuredCell cell(R"("segreduce", "variants": "cpu_serial",
                       "axes": {"n": "2^16", "type": "i32", "operator": "sum", "segments": "fixed:4",
                                "given": "offsets"})");
  const Record record = cell.records().at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  const std::size_t values = 4 << 16, offsets = 8 * ((1 << 14) + 1), results = 4 << 14;
  EXPECT_EQ(cell.moves_.at(3).bytes_read(), (values + offsets) / 16 * 16);
  EXPECT_EQ(cell.moves_.at(3).bytes_written(), results);
  EXPECT_NEAR(record["percent_of_ceiling"], 100 * double(values + offsets + results) / 1000 / 800, 1e-9);
}

// A quarter of a label problem's time may be one label's: the words are m, not n.
TEST(MeasuredCell, AHistogramIsHeldAgainstAtomicsOverItsLabels) {
  MeasuredCell cell(
      R"("histogram", "variants": "cpu_serial", "axes": {"n": "2^12", "m": 1000, "type": "u32"})");
  std::vector<Scatter> scatters;
  cell.meters_.host.use(fake_scattered(cell.time_, 8, 2, scatters));
  cell.options_.measure.scattered = true;
  const Record record = cell.records().at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  ASSERT_EQ(scatters.size(), 1u);
  EXPECT_EQ(scatters[0].accesses, 4096);
  EXPECT_EQ(scatters[0].words, 1000);
  EXPECT_DOUBLE_EQ(record["percent_of_scattered"], 100 * 4.096 / 2) << "in 1000 ns";
}

// Owners are labels in order, which go nowhere at random.
TEST(MeasuredCell, ASegmentedReductionHasNoScatteredAccesses) {
  MeasuredCell cell(R"("segreduce", "variants": "cpu_serial", "axes": {"n": "2^10", "segments": "one"})");
  cell.options_.measure.scattered = true;
  EXPECT_TRUE(cell.records().at(0)["percent_of_scattered"].is_null());
}

TEST(MeasuredCell, EnergyComesAfterTheLastSampleOfTheCell) {
  MeasuredCell cell(R"("reduce", "variants": "cpu_*", "axes": {"n": "2^10"})");
  cell.options_.measure.energy = true;
  auto nvml = std::make_unique<FakeNvml>();
  nvml->counter = [&cell]() -> std::optional<std::uint64_t> {
    cell.time_.log += 'e';
    return std::nullopt;
  };
  cell.meters_.host.use(std::move(nvml));
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]["energy_missing"], "NVML has no energy counter for this GPU");
  EXPECT_EQ(cell.time_.log.substr(cell.time_.log.find('e')), "erer") << cell.time_.log;
}

// Of 2 KiB: without ceilings, five empty samples are all that comes before those of the case.
TEST(MeasuredCell, ASampleAtALowClockIsTakenAgain) {
  MeasuredCell cell(R"("reduce", "variants": "cpu_serial", "axes": {"n": "2^9"})");
  cell.time_.mhz = {1, 1, 1, 1, 1, 2000, 1990, 1000, 1980, 1000, 1000, 1000, 1000, 1970, 1985, 1975};
  const Record record = cell.records().at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  EXPECT_EQ(record["samples_ns"][0].size(), 7u) << "six, and the last, which is checked";
  EXPECT_EQ(record["samples_repeated"], 4);
  EXPECT_EQ(record["samples_slow"], 1);
  EXPECT_EQ(record["sm_clock_mhz"], 1980);
}

TEST(MeasuredCell, WithoutAClockNothingIsSaidOfIt) {
  MeasuredCell cell(R"("reduce", "variants": "cpu_serial", "axes": {"n": "2^10"})");
  const Record record = cell.records().at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  for (const char* field : {"sm_clock_mhz", "samples_repeated", "samples_slow"})
    EXPECT_TRUE(record[field].is_null()) << field;
}

TEST(MeasuredCell, ADeviceThatFailsInTheBatchCostsTheCaseItsTime) {
  MeasuredCell cell(R"("reduce", "variants": "cpu_serial", "axes": {"n": "2^10"})");
  cell.options_.measure.energy = true;
  auto nvml = std::make_unique<FakeNvml>();
  nvml->counter = []() -> std::optional<std::uint64_t> { throw DeviceError("the device said no"); };
  cell.meters_.host.use(std::move(nvml));
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0]["outcome"], "failed");
  EXPECT_EQ(records[0]["reason"], "the device said no");
  EXPECT_TRUE(records[0]["time_ns"].is_null());
}

}  // namespace
}  // namespace redbench
