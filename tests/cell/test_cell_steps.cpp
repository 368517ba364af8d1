// What a cell does to its device, step by step, and what a watcher hears meanwhile.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

#include "src/cell/buffers.hpp"
#include "src/cell/cell.hpp"
#include "src/error.hpp"
#include "src/records/check.hpp"
#include "src/reference/planted.hpp"
#include "tests/cell/logged_device.hpp"
#include "tests/fake_meter.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

LoggedDevice* device = nullptr;  // of the test under way

template <class T>
T sum_of(const Operands& x) {
  const T* const values = static_cast<const T*>(x.values);
  return std::accumulate(values, values + x.n, T(0));
}
void sums(Queue& queue, const Operands& x) {
  queue.scratch<i32>(3);
  queue.on_host([&] {
    device->log_.push_back("run");
    *static_cast<u32*>(x.result) = sum_of<u32>(x);
  });
}
void zero(Queue& queue, const Operands& x) {
  queue.on_host([&] { *static_cast<u32*>(x.result) = 0; });
}
void sums_in_float(Queue& queue, const Operands& x) {
  queue.chain(x.n);
  queue.on_host([&] { *static_cast<float*>(x.result) = sum_of<float>(x); });
}
void fails(Queue& queue, const Operands&) {
  queue.scratch<i32>(3);
  queue.on_host([] { throw DeviceError("the case said no"); });
}
void loses_the_device(Queue& queue, const Operands&) {
  queue.on_host([] {
    device->lost_ = true;
    throw DeviceError("the case said no");
  });
}

using Algorithm = void (*)(Queue&, const Operands&);

/// A cell of host cases over 1000 values of 4 bytes.
class CellSteps : public testing::Test {
 protected:
  void SetUp() override {
    device = &device_;
    meters_.host.use(std::make_unique<FakeStopwatch>(time_, 1000));
    options_.measure.min_samples = options_.measure.max_samples = 1;
    options_.measure.timeout_s = 1e6;
  }

  void add(Algorithm run, Operator op = Operator::sum, Type type = Type::i32) {
    cell_.problem = find_problem("reduce");
    cell_.input = {type, op, n_, Json{{"values", "uniform"}}, 1, cell_.problem->pair(type, op)};
    const std::string name = fmt::format("reduce/case{}", cell_.cases.size());
    variants_.push_back(std::make_unique<Variant>());
    variants_.back()->name = name;
    variants_.back()->problem = "reduce";
    variants_.back()->code_hash = "hash";
    instances_.push_back(std::make_unique<Instance>(Instance{type, op, run, {}}));
    variants_.back()->instances[std::size_t(Target::host)] = {*instances_.back()};
    Case one{variants_.back().get(),  "host", cell_.input, {},
             instances_.back().get(), {},     {},          cell_.problem->sizes(cell_.input)};
    CaseQueue queue(device_, one.parameters, one.footprint);
    Operands operands;
    operands.n = n_;
    run(queue, operands);
    cell_.cases.push_back(one);
  }

  void run() {
    device_.log_.clear();
    records_.clear();
    run_cell(cell_, meters_, options_,
             {[&](const Case& one) { device_.log_.push_back("runs: " + one.variant->name); },
              [&] { device_.log_.push_back("idle"); },
              [&](Record record) {
                EXPECT_EQ(mistake_in(record), "");
                device_.log_.push_back(fmt::format(
                    "{} {} {}: {}", record["variant"].get<std::string>(), record["mode"].get<std::string>(),
                    record["outcome"].get<std::string>(), record["reason"].dump()));
                records_.push_back(std::move(record));
              }});
  }

  LoggedDevice device_;
  Meters meters_{{device_, device_}};
  FakeTime time_;
  Cell cell_;
  CellOptions options_;
  Index n_ = 1000;
  std::vector<Record> records_;
  std::vector<std::unique_ptr<Variant>> variants_;
  std::vector<std::unique_ptr<Instance>> instances_;
};

Lines operator+(Lines first, const Lines& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}
std::string text(const Lines& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

/// A red zone is painted and closed.
Lines zone(const std::string& place) { return {"fill " + place + " with 7a", "forbid " + place}; }

// Of the buffers 4000 bytes of values begin behind a zone of 1024, then come labels and offsets, of which
// there are none, and a result of 4. A zone begins with the last byte in use and ends 1024 behind the next
// multiple of 256.
const Lines restored =
    Lines{"fill A 1024 4000 with 00", "fill A 8192 4 with 00", "fill A 8196 1276 with 00"} +
    zone("A 0 1024") + zone("A 5024 1120") + zone("A 6144 1024") + zone("A 7168 1024") + zone("A 8196 1276") +
    Lines{"upload A 1024 4000"};
const Lines zones_of_buffers{"download A 0 1024", "download A 5024 1120", "download A 6144 1024",
                             "download A 7168 1024", "download A 8196 1276"};
const Lines zones_of_scratch{"download B 0 1024", "download B 1036 1268"};
const Lines result{"download A 8192 4"}, values{"download A 1024 4000"};
const Lines guarded = zone("B 0 1024") + zone("B 1036 1268");

/// Of 12 bytes of scratch memory.
Lines cut(const std::string& poison) {
  return Lines{"fill B 1024 12 with " + poison, "fill B 1036 1268 with " + poison} + guarded;
}
/// A case on a poisoned result.
Lines judged(const std::string& poison) {
  return Lines{"runs: reduce/case0", "fill A 8192 4 with ff"} + cut(poison) + Lines{"run", "finish"} +
         result + zones_of_buffers + zones_of_scratch + Lines{"idle"} + values;
}
const Lines started = Lines{"idle", "idle", "A has 9472"} + restored + Lines{"B has 2304"};
const Lines ended{"B is released", "A is released"};

TEST_F(CellSteps, ACaseIsJudgedOnPoisonBetweenRedZones) {
  options_.timing = false;
  add(sums);
  run();
  EXPECT_EQ(text(device_.log_),
            text(started + judged("ff") + Lines{"reduce/case0 cold passed: null"} + ended));
}

// Five empty samples, one of the case and its last, whose result is looked at; one on a poisoned result and
// scratch memory as it was left, around which the zones are new; then a check like the first, on other
// poison.
TEST_F(CellSteps, ATimedCaseIsLookedAtThreeTimes) {
  add(sums);
  run();
  const Lines sample{"runs: reduce/case0", "run", "idle"};
  EXPECT_EQ(text(device_.log_),
            text(started + judged("ff") + Lines(5, "idle") + sample + sample + result + zones_of_buffers +
                 Lines{"idle", "runs: reduce/case0", "fill A 8192 4 with ff"} + guarded + sample +
                 Lines{"finish"} + result + zones_of_buffers + zones_of_scratch + Lines{"idle"} +
                 judged("7f") + Lines{"reduce/case0 cold passed: null"} + ended));
}

// After a failure the device is asked whether it still answers, and the inputs are made anew for the next.
TEST_F(CellSteps, AFailureIsCleanedUpAfter) {
  options_.timing = false;
  add(fails);
  run();
  EXPECT_EQ(
      text(device_.log_),
      text(started + Lines{"runs: reduce/case0", "fill A 8192 4 with ff"} + cut("ff") + Lines{"finish"} +
           restored + Lines{"idle", R"(reduce/case0 cold failed: "the case said no")"} + ended));
}

// The case that lost it is told in all modes that are wanted of it, the other not at all.
TEST_F(CellSteps, ALostDeviceEndsTheCell) {
  options_.measure.modes = {Mode::cold, Mode::warm};
  add(loses_the_device);
  add(sums);
  EXPECT_EQ(message_of<DeviceError>([&] { run(); }), "the device is lost");
  const auto tail = [&](std::size_t count) {
    return text(Lines(device_.log_.end() - std::ptrdiff_t(count), device_.log_.end()));
  };
  const std::string cold = R"(reduce/case0 cold failed: "the case said no")",
                    warm = R"(reduce/case0 warm failed: "the case said no")";
  EXPECT_EQ(records_.size(), 2u);
  EXPECT_EQ(tail(5), text(Lines{"finish", cold, warm} + ended));
  device_.lost_ = false;
  options_.wanted = [](const Case&, Mode mode) { return mode == Mode::warm; };
  EXPECT_EQ(message_of<DeviceError>([&] { run(); }), "the device is lost");
  ASSERT_EQ(records_.size(), 1u);
  EXPECT_EQ(records_[0]["mode"], "warm");
}

// Which pages it has is known once all of it was filled: first the inputs' and the result's, then scratch.
TEST_F(CellSteps, MemoryInOtherPagesThanTheCardsIsUnsupported) {
  add(sums);
  variants_[0]->card.pages = Pages::huge;
  options_.measure.modes = {Mode::cold, Mode::warm};
  options_.timing = false;
  const auto asked = [&](std::map<char, std::string> wrong) {
    device_.wrong_pages_ = std::move(wrong);
    run();
    const auto begin = std::find_if(device_.log_.begin(), device_.log_.end(),
                                    [](const std::string& line) { return line.starts_with("pages of"); });
    std::vector<std::string> reasons;
    for (const Record& record : records_) reasons.push_back(record["reason"].dump());
    const auto asked_until = std::min(begin + 5, device_.log_.end());
    return text(Lines(begin, asked_until)) + "\n" + text(reasons);
  };
  EXPECT_EQ(asked({{'A', "inputs in small pages"}, {'B', "scratch in small pages"}}),
            "pages of A\nfill B 0 2304 with 00\nfill B 0 1024 with 7a\nforbid B 0 1024\n"
            "reduce/case0 cold unsupported: \"inputs in small pages\"\n"
            "\"inputs in small pages\"\n\"inputs in small pages\"");
  EXPECT_EQ(device_.log_.at(2) + ", " + device_.log_.at(3), "huge pages, A has 9472");
  EXPECT_EQ(asked({{'D', "scratch in small pages"}}),
            "pages of C\nfill D 0 2304 with 00\nfill D 0 1024 with 7a\nforbid D 0 1024\npages of D\n"
            "\"scratch in small pages\"\n\"scratch in small pages\"");
  EXPECT_EQ(asked({}),
            "pages of E\nfill F 0 2304 with 00\nfill F 0 1024 with 7a\nforbid F 0 1024\npages of F\nnull");
  EXPECT_EQ(records_[0]["outcome"], "passed");
}

// Without a profiler there is nothing to count, which is not the same as nothing counted.
TEST_F(CellSteps, WithoutTimeThereIsTheErrorAlone) {
  options_.timing = false;
  add(sums_in_float, Operator::sum, Type::f32);
  run();
  ASSERT_EQ(records_.size(), 1u);
  EXPECT_EQ(records_[0]["outcome"], "passed") << records_[0];
  EXPECT_GT(records_[0]["error"].get<double>(), 0);
  // 999 roundings of 2^-24 of a sum between 400 and 600.
  EXPECT_GT(records_[0]["error_bound"].get<double>(), 999 * 0x1p-24 * 400);
  EXPECT_LT(records_[0]["error_bound"].get<double>(), 999 * 0x1p-24 * 600);
  EXPECT_TRUE(records_[0]["counters"].is_null());
  EXPECT_TRUE(records_[0]["trace"].is_null());
  cell_.cases.clear();
  add(zero);
  run();
  EXPECT_EQ(records_.at(0)["outcome"], "wrong");
  EXPECT_TRUE(records_[0]["error"].is_null());
  EXPECT_TRUE(records_[0]["error_bound"].is_null());
}

std::vector<Index> places;  // at which a value was not the identity of a maximum
void notes_places(Queue& queue, const Operands& x) {
  queue.on_host([&] {
    const i32* const values = static_cast<const i32*>(x.values);
    const i32 identity = std::numeric_limits<i32>::min();
    if (std::count(values, values + x.n, identity) == x.n - 1)
      places.push_back(std::find_if(values, values + x.n, [=](i32 v) { return v != identity; }) - values);
    *static_cast<i32*>(x.result) = *std::max_element(values, values + x.n);
  });
}

// Values are planted at the borders of the fewest and the most shares that a cell's first launches make; one
// block shares nothing out, and what comes after the first launch reads no inputs.
TEST_F(CellSteps, ValuesArePlantedAtTheBordersOfFirstLaunches) {
  for (const std::vector<Index>& blocks :
       std::vector<std::vector<Index>>{{7, 3}, {2, 300}, {1, 20}, {30}, {}}) {
    add(notes_places, Operator::max);
    std::vector<LaunchFacts>& launches = cell_.cases.back().footprint.launches;
    launches.resize(blocks.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      launches[i].kernel = "tree";
      launches[i].grid.blocks = blocks[i];
      launches[i].limiter = "warps";
    }
  }
  places.clear();
  run();
  ASSERT_EQ(records_.size(), 5u);
  for (const Record& record : records_) EXPECT_EQ(record["outcome"], "passed") << record;
  std::vector<Index> expected;
  for (const Index place : planting_places(1000, 1, {2, 30})) expected.insert(expected.end(), 5, place);
  EXPECT_EQ(places, expected) << "each case in turn";
  cell_.cases.resize(3);
  cell_.cases.erase(cell_.cases.begin(), cell_.cases.begin() + 2);
  places.clear();
  run();
  EXPECT_EQ(places, planting_places(1000, 1, {}));
  places.clear();
  options_.timing = false;
  run();
  EXPECT_EQ(places, std::vector<Index>()) << "without time a case is judged on its own values alone";
}

// A run that resumes has the others' records.
TEST_F(CellSteps, ARefusalIsToldInTheModesThatAreWanted) {
  add(sums);
  cell_.cases[0].refusal = "it is too large";
  options_.measure.modes = {Mode::cold, Mode::warm};
  options_.wanted = [](const Case&, Mode mode) { return mode == Mode::warm; };
  run();
  EXPECT_EQ(text(device_.log_), R"(reduce/case0 warm unsupported: "it is too large")");
  options_.wanted = {};
  run();
  EXPECT_EQ(text(device_.log_), text(Lines{R"(reduce/case0 cold unsupported: "it is too large")",
                                           R"(reduce/case0 warm unsupported: "it is too large")"}));
}

// Judged on other values, a case's inputs are not compared with what was uploaded: that was done on its own.
TEST_F(CellSteps, OtherValuesAreNotReadBack) {
  add(notes_places, Operator::max);
  options_.measure.modes = {Mode::warm};
  options_.wanted = [](const Case&, Mode) { return true; };
  run();
  EXPECT_EQ(std::count(device_.log_.begin(), device_.log_.end(), values[0]), 2) << "before and after timing";
  EXPECT_EQ(records_.at(0)["outcome"], "passed");
}

// Beyond 64 MiB what is read back comes in pieces, the last of which is what is left.
TEST(CellBuffersSteps, LargeInputsAreReadBackInPieces) {
  constexpr std::size_t piece = std::size_t(64) << 20;
  LoggedDevice logged;
  Inputs inputs;
  inputs.values = HostBuffer(piece + 12);
  std::memset(inputs.values.data.get(), 3, inputs.values.bytes);
  inputs.labels = HostBuffer(8);
  std::memset(inputs.labels.data.get(), 5, 8);
  const CellBuffers buffers(logged, inputs, 4);
  logged.log_.clear();
  EXPECT_TRUE(buffers.inputs_intact());
  // The values end 244 bytes before a multiple of 256, and a zone of 1024 behind that is the label's.
  EXPECT_EQ(text(logged.log_), "download A 1024 67108864\ndownload A 67109888 12\ndownload A 67111168 8");
  const_cast<std::byte*>(static_cast<const std::byte*>(buffers.operands().labels))[7] = std::byte(6);
  EXPECT_FALSE(buffers.inputs_intact());
  EXPECT_EQ(buffers.input_bytes(), piece + 20);
}

/// One way of reading, which fails once it was chosen.
std::vector<Mover> failing_movers(const Move& move) {
  if (move.written) return {};
  return {{"fast", [tries = std::make_shared<int>(0)] {
             if (++*tries > 6) throw DeviceError("it said no");  // loaded, and tried five times
           }}};
}

// No case is to blame for a ceiling that cannot be sampled.
TEST_F(CellSteps, ACeilingThatFailsEndsTheCell) {
  n_ = 2000;
  add(sums);
  meters_.host.use(failing_movers);
  EXPECT_EQ(message_of<DeviceError>([&] { run(); }), "measuring the ceiling (read): it said no");
  EXPECT_TRUE(records_.empty());
}

class TickingStopwatch : public FakeStopwatch {
 public:
  using FakeStopwatch::FakeStopwatch;
  std::optional<double> tick_ns() const override { return 32; }
};

// Instruments read after each sample that is kept, and run a case themselves once all were taken.
TEST_F(CellSteps, InstrumentsTakePartInEachRound) {
  add(sums);
  meters_.host.use(std::make_unique<TickingStopwatch>(time_, 1000));
  options_.measure.digests = 3;
  for (int i = 0; i < 8; ++i) time_.queue_slots.push_back(950 + i);  // of five empty samples and three more
  run();
  ASSERT_EQ(records_.size(), 1u);
  const Record& record = records_[0];
  EXPECT_EQ(record["outcome"], "passed") << record;
  EXPECT_EQ(record["queue_slot_ns"], 956) << "of the last sample that is kept";
  EXPECT_EQ(record["clock_tick_ns"], 32);
  EXPECT_EQ(record["time_low_ns"].is_null(), record["time_high_ns"].is_null());
  EXPECT_EQ(record["result_digests"][0].size(), 3u);
  const Lines run_of_it{"runs: reduce/case0", "run", "finish", "idle", "download A 8192 4"};
  const Lines end(device_.log_.end() - 18, device_.log_.end());
  EXPECT_EQ(text(end),
            text(run_of_it + run_of_it + run_of_it + Lines{"reduce/case0 cold passed: null"} + ended));
}

}  // namespace
}  // namespace redbench
