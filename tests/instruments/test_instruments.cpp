// What instruments add to a record: from fake clocks, whose answers are known to the last digit.
#include <algorithm>
#include <chrono>
#include <thread>

#include "src/measure/launch_gap.hpp"
#include "tests/instruments/instruments_support.hpp"

namespace redbench {
namespace {

// Ceilings and scattered accesses are single moves behind an event: runs in a row are not compared with
// them. Others of mode graph see no launch of their own. What would run a case itself comes after all
// samples.
TEST_F(Instrumented, WhichThereAreFollowsFromModeAndOptions) {
  meter_.use(fake_movers(time_, rates, moves_));
  meter_.use(fake_scattered(time_, 8, 2, scatters_));
  const auto started = [&](Mode mode) {
    Sampling sampling = this->sampling({span(40'000)}, 16, mode);
    sampling.cases = 1;
    const Instruments instruments(sampling);
    for (const auto& instrument : instruments.undisturbing) EXPECT_FALSE(instrument->disturbs());
    for (const auto& instrument : instruments.disturbing) EXPECT_TRUE(instrument->disturbs());
    std::vector<Series> series{{.sample = [] { return 1.0; }, .name = "a case"}};
    instruments.start(series);
    return fmt::format("{} and {}: {}", instruments.undisturbing.size(), instruments.disturbing.size(),
                       text(series));
  };
  const std::string ceilings = "the ceiling (read)*, the ceiling (copy), the ceiling (write)";
  EXPECT_EQ(started(Mode::cold), "5 and 0: a case, " + ceilings);
  EXPECT_EQ(started(Mode::graph), "3 and 0: a case");
  options_.scattered = options_.twice = options_.energy = options_.per_launch = true;
  options_.digests = 1;
  labels_ = 1000;
  different_ = 300;
  for (const Mode mode : {Mode::cold, Mode::warm})
    EXPECT_EQ(started(mode),
              "7 and 3: a case, " + ceilings + ", scattered reads*, scattered atomics*, a case, again");
  EXPECT_EQ(started(Mode::graph), "3 and 2: a case, a case, again");
  labels_ = 0;
  EXPECT_EQ(make_scattered(sampling()), nullptr) << "inputs without labels";
}

// A second series has samples and a name of its own; series that are added later are not taken for it.
TEST_F(Instrumented, EachCaseHasItsOwnSecondSeries) {
  options_.twice = true;
  Sampling sampling = this->sampling();
  sampling.cases = 2;
  const std::unique_ptr<Instrument> again = make_again(sampling);
  std::vector<Series> series{{.sample = [] { return 5.0; }, .name = "another case", .of_case = 2},
                             {.sample = [] { return 6.0; }, .name = case_.key(), .of_case = 0},
                             {.sample = [] { return 9.0; }, .name = "a ceiling"}};
  again->start(series);
  series.push_back({.sample = [] { return 7.0; }, .name = case_.key()});
  EXPECT_EQ(text(series),
            fmt::format("another case, {0}, a ceiling, another case, again, {0}, again, {0}", case_.key()));
  EXPECT_EQ(series[4].sample(), 6);
  for (std::size_t i = 0; i < series.size(); ++i) series[i].samples = {double(10 * i) + 0.06, 2};
  Record record = Json::object();
  again->stop(sampled(), record);
  EXPECT_EQ(record, (Json{{"again_ns", {{40.1, 2.0}}}}));
}

// FNV-1a by hand: the offset basis, for each byte xor and times the prime. The result is there once the
// device has finished, and a watcher hears of each run.
TEST_F(Instrumented, ADigestOfEachRunTellsResultsApart) {
  std::vector<char> result(4097);
  const auto digests = [&](std::size_t bytes, const std::function<void()>& run) {
    options_.digests = 2;
    Sampling sampling = this->sampling({}, bytes);
    sampling.result = result.data();
    Record record = Json::object();
    device_.log_.clear();
    const SampledCase noted = sampled();
    make_result_digests(sampling)->stop({case_, [&] { noted.enqueue(), run(); }, noted.running, noted.idle},
                                        record);
    EXPECT_EQ(device_.log_, "xrfixrfi");
    return record["result_digests"].at(0).get<std::vector<std::string>>();
  };
  EXPECT_EQ(digests(4, [] {}), std::vector<std::string>(2, "4d25767f9dce13f5")) << "of four zeros";
  std::uint64_t hash = 14695981039346656037u;
  for (const int byte : {1, 0, 0, 0, 0, 0, 0, 0}) hash = (hash ^ std::uint64_t(byte)) * 1099511628211u;
  result[0] = 1;
  EXPECT_EQ(digests(8, [] {})[0], fmt::format("{:016x}", hash));
  for (const std::size_t bytes : {1, 4, 8, 9, 16, 4097})
    for (const std::size_t place : {std::size_t(0), bytes / 2, bytes - 1}) {
      const std::vector<std::string> found = digests(bytes, [&] { ++result[place]; });
      EXPECT_NE(found[0], found[1]) << "byte " << place << " of " << bytes;
    }
}

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

TEST_F(Instrumented, EachLaunchHasTheMedianOfItsOwnTimes) {
  EXPECT_EQ(make_launch_times(sampling()), nullptr) << "it is not asked for";
  device_.target_ = Target::cuda;
  meter_.use(std::make_unique<StopwatchOfLaunches>(time_, 1250));
  options_.per_launch = true;
  case_.footprint.launches.resize(3);
  const auto times = [&] {
    const Record record =
        added_by(make_launch_times, {{"launches", {Json::object(), Json::object(), Json::object()}}});
    std::vector<Json> found;
    for (const Json& launch : record["launches"]) found.push_back(launch.value("time_ns", Json()));
    return found;
  };
  EXPECT_EQ(times(), (std::vector<Json>{104.0, 204.0, 304.0}));
  EXPECT_EQ(device_.log_, "xrixrixrixrixrixrixrixrixri") << "what runs is the case, for a watcher";
  case_.footprint.launches.resize(1);
  case_.footprint.library_calls = {0, 1};  // a call, the launch, a call
  const Record sorted = added_by(make_launch_times, {{"launches", {Json::object()}}});
  EXPECT_EQ(sorted["launches"][0]["time_ns"], 204.0);
  EXPECT_EQ(sorted["library_ns"], (Json{104.0, 304.0}));
  case_.footprint.launches.resize(3);
  case_.footprint.library_calls = {};
  const std::vector<Json> unknown(3);
  variant_.card.synchronizes = true;
  EXPECT_EQ(times(), unknown) << "the host's launches would be in them";
}

TEST_F(Instrumented, TheLaunchGapIsKnownOfGpusAlone) {
  const auto hidden = [&](Target target, std::size_t launches, bool synchronizes) {
    device_.target_ = target;
    case_.footprint.launches.resize(launches);
    variant_.card.synchronizes = synchronizes;
    return added_by(make_launch_gap).value("launch_gap_hidden", Json());
  };
  EXPECT_EQ(hidden(Target::cuda, 1, false), true);
  EXPECT_EQ(hidden(Target::cuda, 1, true), false);
  EXPECT_EQ(hidden(Target::cuda, LaunchGap::most_launches, false), true);
  EXPECT_EQ(hidden(Target::cuda, LaunchGap::most_launches + 1, false), false);
  EXPECT_EQ(hidden(Target::host, 1, false), Json());
}

// 1000 accesses, among 300 words of zeros; memory has an eighth to spare.
TEST_F(Instrumented, ScatteredAccessesAreAsManyAsTheLabels) {
  options_.scattered = true;
  labels_ = 1000;
  different_ = 300;
  std::string enqueued;
  meter_.use([&](const Scatter& scatter) {
    EXPECT_EQ(scatter.words, 300);
    EXPECT_EQ(scatter.accesses, 1000);
    EXPECT_EQ(std::count(scatter.memory, scatter.memory + 300, 0u), 300);
    return ScatteredAccesses{[&] { enqueued += 'r', time_.ns += 2000; },
                             [&] { enqueued += 'a', time_.ns += 4000; }};
  });
  const Sampling sampling = this->sampling();
  std::unique_ptr<Instrument> scattered = make_scattered(sampling);
  std::vector<Series> series{{.sample = [] { return 1.0; }, .name = "a case"}};
  scattered->start(series);
  EXPECT_EQ(enqueued, "ra") << "each is loaded";
  EXPECT_EQ(series.at(1).sample(), 2000);
  EXPECT_EQ(series.at(2).sample(), 4000);
  Record record{{"time_ns", 1600.0}}, expected = record;
  scattered->stop(sampled(), record);
  EXPECT_EQ(record, expected) << "nothing was sampled";
  series[1].samples = {2000, 2500, 1000};
  scattered->stop(sampled(), record);
  expected["scattered_reads_per_ns"] = 0.5;
  EXPECT_EQ(record, expected);
  series[2].samples = {4000};
  scattered->stop(sampled(), record);
  expected["scattered_atomics_per_ns"] = 0.25;
  expected["percent_of_scattered"] = 250.0;
  EXPECT_EQ(record, expected);
  scattered.reset();
  EXPECT_EQ(device_.held_, 0);
  for (const auto& [free, full, count] :
       {std::tuple(1351, false, 2u), {1350, false, 0u}, {1 << 30, true, 0u}}) {
    device_.free_ = std::size_t(free);
    device_.full_ = full;
    const std::unique_ptr<Instrument> instrument = make_scattered(sampling);
    std::vector<Series> found;
    instrument->start(found);
    EXPECT_EQ(found.size(), count) << free;
    Record none = Json::object();
    instrument->stop(sampled(), none);
    EXPECT_TRUE(none.empty());
  }
}

// Readings 50 ms apart at the least, of which each field has its middle elsewhere; of two the higher.
TEST_F(Instrumented, ClocksAreMediansWithTheirExtremesAndReasons) {
  EXPECT_EQ(added_by(make_clocks), (Json{{"clocks", {{"missing", "not a GPU"}}}}));
  auto nvml = std::make_unique<FakeNvml>();
  nvml->readings = {
      {1500, 3300, 41, 650'500, 0x140}, {1800, 3200, 45, 600'000, 0x8B}, {1200, 3100, 43, 700'000, 0x10}};
  FakeNvml& board = *nvml;
  meter_.use(std::move(nvml));
  const auto read = [&](int more) {
    board.next = 0;
    const Sampling sampling = this->sampling();
    const std::unique_ptr<Instrument> clocks = make_clocks(sampling);
    std::vector<Series> none;
    clocks->start(none);
    for (int i = 0; i < more; ++i) {
      clocks->read();  // too soon
      std::this_thread::sleep_for(std::chrono::milliseconds(51));
      clocks->read();
    }
    Record record = Json::object();
    clocks->stop(sampled(), record);
    return record["clocks"];
  };
  EXPECT_EQ(read(2), (Json{{"sm_mhz", 1500},
                           {"sm_mhz_low", 1200},
                           {"sm_mhz_high", 1800},
                           {"sm_mhz_most", 1980},
                           {"memory_mhz", 3200},
                           {"throttled_by",
                            {"application clock setting", "hardware slowdown", "sync boost",
                             "hardware thermal slowdown", "hardware power brake", "display clock setting"}},
                           {"temperature_c", 43},
                           {"power_w", 650.5},
                           {"readings", 3}}));
  board.readings[0].throttled = 0x4;
  board.readings[1].throttled = 0x20;
  const Json two = read(1);
  EXPECT_EQ(two["sm_mhz"], 1800);
  EXPECT_EQ(two["throttled_by"], (Json{"software power cap", "software thermal slowdown"}));
}

// One sample whose slot in the launch queue is not known may hold the cost of the costly one.
TEST_F(Instrumented, TheQueuesPlaceIsKnownAtAllSamplesOrNone) {
  const auto slot = [&](std::vector<double> found) {
    time_.samples = 0;
    time_.queue_slots = std::move(found);
    const Sampling sampling = this->sampling();
    const std::unique_ptr<Instrument> instrument = make_queue_slot(sampling);
    for (int i = 0; i < 3; ++i) {
      meter_.stopwatch()->sample(Mode::cold, false, [] {});
      instrument->read();
    }
    Record record = Json::object();
    instrument->stop(sampled(), record);
    return record.value("queue_slot_ns", Json());
  };
  EXPECT_EQ(slot({950, 960, 970}), 970);
  EXPECT_EQ(slot({950, 960}), Json());
  EXPECT_EQ(slot({}), Json());
}

}  // namespace
}  // namespace redbench
