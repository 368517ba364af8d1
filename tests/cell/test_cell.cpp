// A cell in, its records out: outcomes, times and what the instruments add, by clocks made up by the test.
#include "src/cell/cell.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/records/columns.hpp"
#include "tests/cell/cell_of.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using Lines = std::vector<std::string>;

void fails_later(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    if (++runs == 4) throw DeviceError("the device said no, later");
    *static_cast<i32*>(x.result) = sum_of(x);
  });
}

void expect_no_time(const Record& record) {
  for (const char* field :
       {"time_ns", "samples_ns", "bandwidth_gb_per_s", "percent_of_ceiling", "ns_per_input"})
    EXPECT_TRUE(record[field].is_null()) << field;
}

TEST(Cell, ARightCaseHasItsTimesAndTheirMeaning) {
  const Record record = CellOf({right}).only();
  EXPECT_EQ(record["outcome"], "passed");
  ASSERT_EQ(record["samples_ns"].size(), 1u);
  EXPECT_EQ(record["samples_ns"][0], std::vector<double>(9, 1000)) << "eight, and the one that is checked";
  EXPECT_EQ(record["forks"], 1);
  EXPECT_EQ(record["time_ns"], 1000);
  EXPECT_EQ(record["time_low_ns"], 1000);
  EXPECT_EQ(record["time_high_ns"], 1000);
  EXPECT_DOUBLE_EQ(record["bandwidth_gb_per_s"], (4.0 * 1000 + 4) / 1000);
  EXPECT_EQ(record["ns_per_input"], 1);
  EXPECT_EQ(record["stopped"], "precise");
  EXPECT_EQ(record["error"], 0);
}

TEST(Cell, EveryModeAndCaseThatIsWantedIsARecord) {
  CellOf cell({right, right});
  cell.options_.measure.modes = {Mode::cold, Mode::warm};
  const auto made = [&] {
    Lines all;
    for (const Record& record : cell.records())
      all.push_back(record["variant"].get<std::string>().substr(7) + " " + record["mode"].get<std::string>());
    return all;
  };
  EXPECT_EQ(made(), (Lines{"case0 cold", "case0 warm", "case1 cold", "case1 warm"}));
  cell.options_.wanted = [&](const Case& case_, Mode mode) {
    return (case_.variant->name == "reduce/case1") == (mode == Mode::warm);
  };
  EXPECT_EQ(made(), (Lines{"case0 cold", "case1 warm"}));
}

TEST(Cell, EachCaseTwiceInEveryRound) {
  CellOf cell({right, right});
  for (const Record& record : cell.records()) EXPECT_TRUE(record["again_ns"].is_null());
  cell.options_.measure.twice = true;
  for (const Record& record : cell.records()) {
    ASSERT_EQ(record["again_ns"].size(), 1u);
    EXPECT_EQ(record["again_ns"][0].size(), record["samples_ns"][0].size()) << "the last round, too";
  }
}

TEST(Cell, AFailureCostsItsCaseAlone) {
  CellOf cell({fails, zero, skips<Sum<i32>, -1, -1>, fails_later});
  const std::vector<Record> records = cell.records();
  EXPECT_EQ(records.at(0)["outcome"], "failed");
  EXPECT_EQ(records.at(0)["reason"], "the device said no");
  EXPECT_EQ(records.at(1)["outcome"], "wrong");
  EXPECT_EQ(records.at(2)["outcome"], "passed");
  EXPECT_EQ(records.at(3)["outcome"], "failed");
  EXPECT_EQ(records.at(3)["reason"], "the device said no, later");
  for (const std::size_t i : {0, 1, 3}) expect_no_time(records.at(i));
}

// Without a profiler there is nothing to count, which is not the same as nothing counted.
TEST(Cell, WithoutTimingACaseIsCheckedOnly) {
  CellOf cell({skips<Sum<f32>, -1, -1>}, 1000, Operator::sum, Type::f32);
  cell.options_.timing = false;
  Record record = cell.only();
  EXPECT_EQ(record["outcome"], "passed") << record;
  expect_no_time(record);
  EXPECT_GT(record["error"].get<double>(), 0);
  // 999 roundings of 2^-24 of a sum between 400 and 600.
  EXPECT_GT(record["error_bound"].get<double>(), 999 * 0x1p-24 * 400);
  EXPECT_LT(record["error_bound"].get<double>(), 999 * 0x1p-24 * 600);
  EXPECT_TRUE(record["counters"].is_null() && record["trace"].is_null());
  CellOf wrong({zero});
  wrong.options_.timing = false;
  record = wrong.only();
  EXPECT_EQ(record["outcome"], "wrong");
  EXPECT_TRUE(record["error"].is_null() && record["error_bound"].is_null());
}

TEST(Cell, ARefusedCaseIsARecordInEachModeThatIsWanted) {
  CellOf cell({right});
  cell.cell_.cases[0].refusal = "needs more than there is";
  cell.options_.measure.modes = {Mode::cold, Mode::warm};
  EXPECT_EQ(cell.outcomes(), Lines(2, "unsupported: needs more than there is"));
  cell.options_.wanted = [](const Case&, Mode mode) { return mode == Mode::warm; };
  EXPECT_EQ(cell.only()["mode"], "warm");
  EXPECT_EQ(cell.signs_, "r") << "nothing is made for it";
  EXPECT_EQ(cell.only()["session"], 0) << "derived fields are those of any record";
}

/// Can be lost, and have its memory in other pages than it was asked for.
class FailingDevice : public FakeDevice {
 public:
  void finish() override {
    if (lost_) throw DeviceError("the device is lost");
  }
  void* allocate_in(Pages pages, std::size_t bytes) override {
    asked_.push_back(pages);
    return allocate(bytes);
  }
  std::string wrong_pages(void*) override {
    const std::string why = wrong_pages_.at(looked_at_++ % wrong_pages_.size());
    return why;
  }
  bool lost_ = false;
  std::vector<Pages> asked_;
  Lines wrong_pages_{""};  // of one piece of memory after the other
  std::size_t looked_at_ = 0;
};
FailingDevice* device = nullptr;  // of the test under way

void loses_the_device(Queue& queue, const Operands&) {
  queue.on_host([] {
    device->lost_ = true;
    throw DeviceError("the case said no");
  });
}

// The case that lost it has its records in all modes that are wanted of it, the other none.
TEST(Cell, ALostDeviceEndsTheCell) {
  FailingDevice failing;
  device = &failing;
  CellOf cell(device, {loses_the_device, right});
  cell.options_.measure.modes = {Mode::cold, Mode::warm};
  Lines heard;
  cell.heard_ = [&](const std::string& words) { heard.push_back(words); };
  const auto last_words = [&](std::size_t count) {
    failing.lost_ = false;
    heard.clear();
    EXPECT_EQ(message_of<DeviceError>([&] { cell.records(); }), "the device is lost");
    return Lines(heard.end() - std::ptrdiff_t(count), heard.end());
  };
  const std::string cold = R"(reduce/case0 cold failed: "the case said no")",
                    warm = R"(reduce/case0 warm failed: "the case said no")";
  EXPECT_EQ(last_words(3), (Lines{"runs: reduce/case0", cold, warm}));
  cell.options_.wanted = [](const Case&, Mode mode) { return mode == Mode::warm; };
  EXPECT_EQ(last_words(2), (Lines{"runs: reduce/case0", warm}));
}

// First the pages of the inputs and the result are looked at, then those of scratch memory.
TEST(Cell, MemoryInOtherPagesThanTheCardsIsUnsupported) {
  FailingDevice failing;
  Card card;
  card.pages = Pages::huge;
  CellOf cell(&failing, {right}, 1000, Operator::sum, Type::i32, card);
  cell.options_.measure.modes = {Mode::cold, Mode::warm};
  failing.wrong_pages_ = {"inputs in small pages", "inputs in small pages"};
  EXPECT_EQ(cell.outcomes(), Lines(2, "unsupported: inputs in small pages"));
  EXPECT_EQ(failing.asked_, std::vector<Pages>(2, Pages::huge));
  failing.wrong_pages_ = {"", "scratch in small pages"};
  failing.looked_at_ = 0;
  EXPECT_EQ(cell.outcomes(), Lines(2, "unsupported: scratch in small pages"));
  failing.wrong_pages_ = {""};
  EXPECT_EQ(cell.outcomes(), Lines(2, "passed"));
}

/// One way of reading, which fails once it was chosen.
std::vector<Mover> failing_movers(const Move& move) {
  if (move.written) return {};
  return {{"fast", [tries = std::make_shared<int>(0)] {
             if (++*tries > 6) throw DeviceError("it said no");  // loaded, and tried five times
           }}};
}

// No case is to blame for a ceiling that cannot be sampled.
TEST(Cell, ACeilingThatFailsEndsTheCell) {
  CellOf cell({right}, 2000);
  cell.meters_.host.use(failing_movers);
  EXPECT_EQ(message_of<DeviceError>([&] { cell.records(); }), "measuring the ceiling (read): it said no");
  EXPECT_EQ(std::count(cell.signs_.begin(), cell.signs_.end(), 'r'), 0);
}

class TickingStopwatch : public FakeStopwatch {
 public:
  using FakeStopwatch::FakeStopwatch;
  std::optional<double> tick_ns() const override { return 32; }
};

// Instruments read after each sample that is kept, and run a case themselves once all were taken.
TEST(Cell, InstrumentsTakePartInEachRound) {
  CellOf cell({right});
  cell.use<TickingStopwatch>(1000);
  cell.options_.measure.min_samples = cell.options_.measure.max_samples = 1;
  cell.options_.measure.digests = 3;
  cell.time_.queue_slots = {950, 951, 952};
  const Record record = cell.only();
  EXPECT_EQ(record["outcome"], "passed") << record;
  EXPECT_EQ(record["queue_slot_ns"], 951) << "of the last sample that is kept";
  EXPECT_EQ(record["clock_tick_ns"], 32);
  EXPECT_EQ(record["result_digests"][0].size(), 3u);
  EXPECT_TRUE(cell.signs_.ends_with("xixixir")) << cell.signs_;
}

// A sample at less than the highest clock is taken again.
TEST(Cell, ASampleAtALowClockIsTakenAgain) {
  CellOf cell({right}, 512);
  cell.options_.measure.max_samples = 6;
  cell.time_.mhz = {2000, 1990, 1000, 1980, 1000, 1000, 1000, 1000, 1970, 1985, 1975};
  Record record = cell.only();
  ASSERT_EQ(record["outcome"], "passed") << record;
  EXPECT_EQ(record["samples_ns"], Json::parse("[[1000, 1000, 1000, 2000, 1000, 1000, 1000]]"))
      << "what is taken again is dropped; the third repeat stays, slow as it is";
  EXPECT_EQ(record["samples_repeated"], 4);
  EXPECT_EQ(record["samples_slow"], 1);
  EXPECT_EQ(record["sm_clock_mhz"], 1980);
  record = CellOf({right}).only();
  for (const char* field : {"sm_clock_mhz", "samples_repeated", "samples_slow"})
    EXPECT_TRUE(record[field].is_null()) << field << " without a clock";
}

// What seems to execute is killed after `hang_s`, which may be less than what comes between two samples, or
// than to make other values and put back its own. Inputs of 2 KiB have no ceilings.
TEST(Cell, NoCaseExecutesBetweenSamples) {
  CellOf cell({skips<Sum<f32>, -1, -1>}, 512, Operator::sum, Type::f32);
  cell.options_.measure.max_samples = 6;
  ASSERT_EQ(cell.only()["outcome"], "passed");
  const std::string start = "ii", first = "xi", made = "i", judged = "xi", put_back = "i", empty = "i",
                    samples = "xixixixixixixi", last = "i", poisoned = "xxii", after_timing = "xi";
  EXPECT_EQ(cell.signs_, start + first + made + judged + put_back + empty + samples + last + poisoned +
                             after_timing + "r");
}

/// The cells of a config's only experiment on the host, measured by fake clocks.
class CellOfProblem {
 public:
  explicit CellOfProblem(const std::string& experiment) {
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
              [&](const Case&, Mode, Record record) {
                time_.log += 'r';
                EXPECT_EQ(why_not_a_record(record), "");
                records.push_back(std::move(record));
              }});
    return records;
  }
  Record first() {
    const Record record = records().at(0);
    EXPECT_EQ(record["outcome"], "passed") << record;
    return record;
  }

  TemporaryFolder folder_;
  OpenDevices open_{"host"};
  Plan plan_;
  FakeTime time_;
  std::vector<Move> moves_;
  Meters meters_{open_.devices()};
  CellOptions options_;
};

TEST(Cell, CeilingsMoveTheBytesOfAllInputsAndTheResult) {
  CellOfProblem owners(R"("segreduce", "variants": "cpu_serial",
                          "axes": {"n": "2^16", "type": "f64", "operator": "min", "segments": "one"})");
  Record record = owners.first();
  const std::size_t doubles = 8 << 16, of_owners = 4 << 16;
  EXPECT_EQ(owners.moves_.at(0).bytes_read(), doubles + of_owners);
  EXPECT_EQ(record["bytes_read"], double(doubles + of_owners));
  EXPECT_TRUE(record["ceiling_mix_gb_per_s"].is_null());
  EXPECT_NEAR(record["percent_of_ceiling"], 100 * double(doubles + of_owners + 8) / 1000 / 2000, 1e-9);

  CellOfProblem segments(R"("segreduce", "variants": "cpu_serial",
                            "axes": {"n": "2^16", "type": "i32", "operator": "sum", "segments": "fixed:4",
                                     "given": "offsets"})");
  record = segments.first();
  const std::size_t values = 4 << 16, offsets = 8 * ((1 << 14) + 1), results = 4 << 14;
  EXPECT_EQ(segments.moves_.at(3).bytes_read(), (values + offsets) / 16 * 16);
  EXPECT_EQ(segments.moves_.at(3).bytes_written(), results);
  EXPECT_NEAR(record["percent_of_ceiling"], 100 * double(values + offsets + results) / 1000 / 800, 1e-9);
}

// The words that atomics go to are m, not n. Owners are labels in order, which go nowhere at random.
TEST(Cell, AHistogramIsHeldAgainstAtomicsOverItsLabels) {
  CellOfProblem cell(
      R"("histogram", "variants": "cpu_serial", "axes": {"n": "2^12", "m": 1000, "type": "u32"})");
  std::vector<Scatter> scatters;
  cell.meters_.host.use(fake_scattered(cell.time_, 8, 2, scatters));
  cell.options_.measure.scattered = true;
  const Record record = cell.first();
  ASSERT_EQ(scatters.size(), 1u);
  EXPECT_EQ(scatters[0].accesses, 4096);
  EXPECT_EQ(scatters[0].words, 1000);
  EXPECT_DOUBLE_EQ(record["percent_of_scattered"], 100 * 4.096 / 2) << "in 1000 ns";
  CellOfProblem owners(R"("segreduce", "variants": "cpu_serial", "axes": {"n": "2^10", "segments": "one"})");
  owners.options_.measure.scattered = true;
  EXPECT_TRUE(owners.first()["percent_of_scattered"].is_null());
}

// Energy is read after the last sample of the cell, as it would disturb the others; a device that fails in
// its batch costs the case its time.
TEST(Cell, EnergyComesAfterTheLastSampleOfTheCell) {
  CellOfProblem cell(R"("reduce", "variants": "cpu_*", "axes": {"n": "2^10"})");
  cell.options_.measure.energy = true;
  auto nvml = std::make_unique<FakeNvml>();
  nvml->counter = [&cell]() -> std::optional<std::uint64_t> {
    cell.time_.log += 'e';
    if (std::ranges::count(cell.time_.log, 'e') > 1) throw DeviceError("the device said no");
    return std::nullopt;
  };
  cell.meters_.host.use(std::move(nvml));
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]["energy_missing"], "NVML has no energy counter for this GPU");
  EXPECT_EQ(records[1]["outcome"], "failed");
  EXPECT_EQ(records[1]["reason"], "the device said no");
  expect_no_time(records[1]);
  EXPECT_EQ(cell.time_.log.substr(cell.time_.log.find('e')), "erer") << cell.time_.log;
}

// The zones around one case's scratch memory lie within another's.
TEST(Cell, CasesHaveEachTheirOwnScratchMemory) {
  CellOfProblem cell(R"("gather", "variants": "cpu_sorted",
                        "axes": {"n": "2^10", "m": 1024, "sort_bits": [2, 9]})");
  const std::vector<Record> records = cell.records();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_NE(records[0]["scratch_bytes"], records[1]["scratch_bytes"]);
  for (const Record& record : records) EXPECT_EQ(record["outcome"], "passed") << record["reason"];
}

}  // namespace
}  // namespace redbench
