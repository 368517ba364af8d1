// Instruments step by step: what they ask a device to do, and what they say of samples that a test makes up.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "src/instruments/instrument.hpp"
#include "tests/fake_device.hpp"
#include "tests/fake_meter.hpp"

namespace redbench {
namespace {

/// Its memory is never fresh.
class UsedDevice : public FakeDevice {
 public:
  void* allocate(std::size_t bytes) override {
    void* const memory = FakeDevice::allocate(bytes);
    std::memset(memory, 0xAB, bytes);
    ++held_;
    return memory;
  }
  void release(void* memory) override {
    if (!memory) log_ += "null ";
    --held_;
    FakeDevice::release(memory);
  }
  void finish() override { log_ += 'f'; }

  int held_ = 0;
  std::string log_;
};

class InstrumentSteps : public testing::Test {
 protected:
  void SetUp() override {
    case_.input.n = 1000;
    meter_.use(std::make_unique<FakeStopwatch>(time_, 1250));
  }
  Session session(std::vector<Span> inputs = {}, std::size_t result_bytes = 4) {
    return {meter_, Mode::cold, options_, std::move(inputs), result_bytes, 0, labels_, different_};
  }
  /// Of one case whose runs are noted: x before it, r as it runs, i after it.
  Sampled sampled() {
    return {case_,
            [this] {
              if (++runs_ < 1000) device_.log_ += 'r';
            },
            [this] { device_.log_ += 'x'; }, [this] { device_.log_ += 'i'; }};
  }
  static std::string text(const std::vector<Contender>& contenders) {
    std::string all;
    for (const Contender& one : contenders) all += one.name + (one.until_all_stop ? ", " : " (waited for), ");
    return all;
  }

  FakeTime time_;
  UsedDevice device_;
  Meter meter_{device_};
  MeasureOptions options_;
  Variant variant_;
  Case case_{&variant_, "full", {}, {}, nullptr, {}, {}, {}};
  Index labels_ = 0, different_ = 0;
  int runs_ = 0;
  std::vector<char> memory_ = std::vector<char>(4096);
};

constexpr std::size_t mb = 1'000'000;

// Ten ways of each move, of which way 9 is the fastest: each is loaded once and tried once. The five fastest
// are tried again, and four of these three times more.
TEST_F(InstrumentSteps, CeilingsAreSearchedForAmongTheFasterHalf) {
  std::vector<int> enqueued(10);
  meter_.use([&](const Move& move) {
    const std::string what = !move.bytes_written() ? "reads" : !move.bytes_read() ? "writes" : "mixes";
    std::vector<Mover> ways;
    for (int way = 0; way < 10; ++way)
      ways.push_back({fmt::format("{} by way {}", what, way), [&, way] {
                        ++enqueued[std::size_t(way)];
                        time_.ns += 1000 * (10 - way);
                      }});
    return ways;
  });
  const Session session = this->session({{memory_.data(), mb}}, mb / 4);
  const std::unique_ptr<Instrument> ceilings = make_ceilings(session);
  std::vector<Contender> contenders{{.sample = [] { return 1.0; }, .name = "a case"}};
  ceilings->start(contenders);
  std::vector<int> of_four_moves{2, 2, 2, 2, 2, 3, 6, 6, 6, 6};
  for (int& count : of_four_moves) count *= 4;
  EXPECT_EQ(enqueued, of_four_moves);
  EXPECT_EQ(text(contenders),
            "a case (waited for), the ceiling (read), the ceiling (copy) (waited for), "
            "the ceiling (write) (waited for), the ceiling (mix), ");
  EXPECT_EQ(contenders.at(1).sample(), 1000) << "by way 9";
  const Record unknown{{"bandwidth_gb_per_s", 900.0}};
  Record record = unknown;
  ceilings->stop(sampled(), record);
  EXPECT_EQ(record, unknown) << "nothing was sampled";
  contenders[1].samples = {500, 700, 400};
  contenders[2].samples = {4000};
  contenders[3].samples = {640};
  ceilings->stop(sampled(), record);
  EXPECT_EQ(record, (Json{{"bandwidth_gb_per_s", 900.0},
                          {"ceiling_read_gb_per_s", 2000.0},
                          {"ceiling_read_by", "reads by way 9"},
                          {"ceiling_copy_gb_per_s", 500.0},
                          {"ceiling_write_gb_per_s", 1562.5}}))
      << "its own, the mix, was not sampled";
  contenders[4].samples = {1000};
  ceilings->stop(sampled(), record);
  EXPECT_EQ(record, (Json{{"bandwidth_gb_per_s", 900.0},
                          {"ceiling_read_gb_per_s", 2000.0},
                          {"ceiling_read_by", "reads by way 9"},
                          {"ceiling_copy_gb_per_s", 500.0},
                          {"ceiling_write_gb_per_s", 1562.5},
                          {"ceiling_mix_gb_per_s", 1250.0},
                          {"ceiling_mix_by", "mixes by way 9"},
                          {"percent_of_ceiling", 72.0},
                          {"above_ceiling", false}}));
}

// A ceiling that the percentage is of goes on as long as any case does; the others have enough at some time.
TEST_F(InstrumentSteps, TheCeilingsOfACellAreSampledToItsEnd) {
  std::vector<Move> moves;
  meter_.use(fake_movers(time_, rates, moves));
  const auto started = [&](std::size_t in, std::size_t out) {
    const Session session = this->session({{memory_.data(), in}}, out);
    const std::unique_ptr<Instrument> ceilings = make_ceilings(session);
    std::vector<Contender> contenders;
    ceilings->start(contenders);
    EXPECT_EQ(device_.held_, 1);
    return text(contenders);
  };
  EXPECT_EQ(started(mb, 16),
            "the ceiling (read), the ceiling (copy) (waited for), the ceiling (write) (waited for), ");
  EXPECT_EQ(started(mb, mb), "the ceiling (read), the ceiling (copy), the ceiling (write) (waited for), ");
  EXPECT_EQ(device_.held_, 0);
}

TEST_F(InstrumentSteps, ScatteredAccessesGoToWordsOfZeros) {
  options_.scattered = true;
  labels_ = 1000;
  different_ = 300;
  std::string enqueued;
  u32* words = nullptr;
  meter_.use([&](const Scatter& scatter) {
    EXPECT_EQ(scatter.words, 300);
    EXPECT_EQ(scatter.accesses, 1000);
    words = scatter.memory;
    EXPECT_EQ(std::count(words, words + 300, 0u), 300);
    return ScatteredWays{[&] { enqueued += 'r', time_.ns += 2000; },
                         [&] { enqueued += 'a', time_.ns += 4000; }};
  });
  const Session session = this->session();
  std::unique_ptr<Instrument> scattered = make_scattered(session);
  std::vector<Contender> contenders{{.sample = [] { return 1.0; }, .name = "a case"}};
  scattered->start(contenders);
  EXPECT_EQ(enqueued, "ra") << "each is loaded";
  EXPECT_EQ(text(contenders), "a case (waited for), scattered reads, scattered atomics, ");
  EXPECT_EQ(contenders.at(1).sample(), 2000);
  EXPECT_EQ(contenders.at(2).sample(), 4000);
  const Record unknown{{"time_ns", 1600.0}};
  Record record = unknown;
  scattered->stop(sampled(), record);
  EXPECT_EQ(record, unknown) << "nothing was sampled";
  contenders[1].samples = {2000, 2500, 1000};
  scattered->stop(sampled(), record);
  EXPECT_EQ(record, (Json{{"time_ns", 1600.0}, {"scattered_reads_per_ns", 0.5}}));
  contenders[2].samples = {4000};
  scattered->stop(sampled(), record);
  EXPECT_EQ(record, (Json{{"time_ns", 1600.0},
                          {"scattered_reads_per_ns", 0.5},
                          {"scattered_atomics_per_ns", 0.25},
                          {"percent_of_scattered", 250.0}}));
  EXPECT_EQ(device_.held_, 1);
  scattered.reset();
  EXPECT_EQ(device_.held_, 0);
  make_scattered(session).reset();
  EXPECT_EQ(device_.log_, "") << "what was never started has nothing to release";
}

// Three readings, at the start and after two samples, of which each field has its middle elsewhere; then one.
TEST_F(InstrumentSteps, ClocksAreSummedUpFieldByField) {
  auto nvml = std::make_unique<FakeNvml>();
  nvml->readings = {
      {1500, 3300, 41, 650'500, 0x140}, {1800, 3200, 45, 600'000, 0x8B}, {1200, 3100, 43, 700'000, 0x10}};
  FakeNvml& told = *nvml;
  meter_.use(std::move(nvml));
  const auto read = [&](int more) {
    const Session session = this->session();
    const std::unique_ptr<Instrument> clocks = make_clocks(session);
    std::vector<Contender> none;
    clocks->start(none);
    for (int i = 0; i < more; ++i) {
      clocks->read();  // too soon
      std::this_thread::sleep_for(std::chrono::milliseconds(51));
      clocks->read();
    }
    Record record = Json::object();
    clocks->stop(sampled(), record);
    return record;
  };
  EXPECT_EQ(read(2), (Json{{"clocks",
                            {{"sm_mhz", 1500},
                             {"sm_mhz_low", 1200},
                             {"sm_mhz_high", 1800},
                             {"sm_mhz_most", 1980},
                             {"memory_mhz", 3200},
                             {"throttled_by",
                              {"application clock setting", "hardware slowdown", "sync boost",
                               "hardware thermal slowdown", "hardware power brake", "display clock setting"}},
                             {"temperature_c", 43},
                             {"power_w", 650.5},
                             {"readings", 3}}}}));
  told.next = 2;
  EXPECT_EQ(read(0), (Json{{"clocks",
                            {{"sm_mhz", 1200},
                             {"sm_mhz_low", 1200},
                             {"sm_mhz_high", 1200},
                             {"sm_mhz_most", 1980},
                             {"memory_mhz", 3100},
                             {"throttled_by", {"sync boost"}},
                             {"temperature_c", 43},
                             {"power_w", 700.0},
                             {"readings", 1}}}}));
}

// The result is there once the device has finished, and a watcher hears of each run.
TEST_F(InstrumentSteps, EachDigestIsOfARunThatHasEnded) {
  options_.digests = 2;
  const std::uint32_t result = 0;
  Session session = this->session();
  session.result = &result;
  Record record = Json::object();
  make_result_digests(session)->stop(sampled(), record);
  EXPECT_EQ(device_.log_, "xrfixrfi");
  // FNV-1a of four zeros: the offset basis times the prime's fourth power.
  EXPECT_EQ(record, (Json{{"result_digests", Json::parse(R"([["4d25767f9dce13f5", "4d25767f9dce13f5"]])")}}));
}

TEST_F(InstrumentSteps, AWatcherHearsOfABatchThatTakesEnergy) {
  options_.energy = true;
  auto nvml = std::make_unique<FakeNvml>();
  nvml->counter = [this] { return std::uint64_t(runs_) * 20; };
  meter_.use(std::move(nvml));
  const Session session = this->session();
  Record record{{"time_ns", 1000.0}};
  make_energy(session)->stop(sampled(), record);
  EXPECT_TRUE(device_.log_.starts_with("xrf")) << device_.log_.substr(0, 9);
  EXPECT_TRUE(device_.log_.ends_with("fi"));
  EXPECT_EQ(std::ranges::count(device_.log_, 'x') + std::ranges::count(device_.log_, 'i'), 2);
  const double runs = record["energy_runs"];
  EXPECT_EQ(record, (Json{{"time_ns", 1000.0},
                          {"energy_mj", runs * 20},
                          {"energy_runs", record["energy_runs"]},
                          {"energy_nj_per_input", 20'000.0}}))
      << "20 mJ over 1000 inputs";
  case_.input.n = 1;
  record = {{"time_ns", 1000.0}};
  make_energy(session)->stop(sampled(), record);
  EXPECT_EQ(record["energy_nj_per_input"], 2e7);
  case_.input.n = 0;
  record = {{"time_ns", 1000.0}};
  make_energy(session)->stop(sampled(), record);
  EXPECT_FALSE(record.contains("energy_nj_per_input"));
  EXPECT_EQ(record.size(), 3u);
}

// 20 ms are the most, as 100 runs are to fit into two seconds.
TEST_F(InstrumentSteps, ALongRunHasNoEnergy) {
  options_.energy = true;
  auto nvml = std::make_unique<FakeNvml>();
  nvml->counter = [this] { return std::uint64_t(runs_); };
  meter_.use(std::move(nvml));
  const Session session = this->session();
  Record record{{"time_ns", 20.5e6}};
  make_energy(session)->stop(sampled(), record);
  EXPECT_EQ(record["energy_missing"], "a run takes 20.5 ms: fewer than 100 of them in 2 s");
  EXPECT_EQ(device_.log_, "");
  record = {{"time_ns", 20e6}};
  make_energy(session)->stop(sampled(), record);
  EXPECT_FALSE(record.contains("energy_missing")) << record;
}

// Below 97 % of the median so far a sample is taken again, three times at most.
TEST_F(InstrumentSteps, ASampleIsRepeatedWhereTheClockWasLow) {
  time_.mhz = {2000, 1990, 1939, 1980, 1000, 1000, 1000, 1000, 1970};
  const Session session = this->session();
  const std::unique_ptr<Instrument> clock = make_sm_clock(session);
  std::string repeated;
  for (int i = 0; i < 10; ++i) {
    meter_.stopwatch()->sample(Mode::cold, false, [] {});
    repeated += clock->repeats(case_) ? 'r' : '-';
  }
  EXPECT_EQ(repeated, "----rrr---") << "the last has no clock";
  Record record = Json::object();
  clock->stop(sampled(), record);
  EXPECT_EQ(record, (Json{{"sm_clock_mhz", 1975.0}, {"samples_repeated", 3}, {"samples_slow", 1}}));
  const Case other = case_;
  record = Json::object();
  clock->stop({other, [] {}, [] {}, [] {}}, record);
  EXPECT_EQ(record, Json::object());
}

// Of all contenders only those that it made are second series.
TEST_F(InstrumentSteps, ASecondSeriesIsOneOfItsOwn) {
  options_.twice = true;
  Session session = this->session();
  session.cases = 2;
  const std::unique_ptr<Instrument> again = make_again(session);
  std::vector<Contender> contenders{{.sample = [] { return 5.0; }, .name = "another case"},
                                    {.sample = [] { return 6.0; }, .name = case_.key()}};
  again->start(contenders);
  contenders.push_back({.sample = [] { return 7.0; }, .name = case_.key()});
  EXPECT_EQ(text(contenders),
            fmt::format("another case (waited for), {0} (waited for), another case (waited for), "
                        "{0} (waited for), {0} (waited for), ",
                        case_.key()));
  EXPECT_EQ(contenders[3].sample(), 6);
  for (std::size_t i = 0; i < contenders.size(); ++i) contenders[i].samples = {double(10 * i) + 0.06, 2};
  Record record = Json::object();
  again->stop(sampled(), record);
  EXPECT_EQ(record, (Json{{"again_ns", {{30.1, 2.0}}}}));
}

// What would run a case while others are still sampled comes after them.
TEST_F(InstrumentSteps, WhatRunsACaseItselfDisturbs) {
  options_.energy = options_.twice = true;
  options_.digests = 1;
  const Session cold = session();
  for (const auto make : {make_energy, make_again, make_result_digests}) EXPECT_TRUE(make(cold)->disturbs());
  for (const auto make : {make_ceilings, make_clocks, make_empty_sample, make_queue_slot, make_sm_clock})
    EXPECT_FALSE(make(cold)->disturbs());
  Session graph = session();
  graph.mode = Mode::graph;
  EXPECT_FALSE(make_result_digests(graph)) << "its graphs write results that no run of its own would";
  options_.digests = 0;
  EXPECT_FALSE(make_result_digests(cold));
}

}  // namespace
}  // namespace redbench
