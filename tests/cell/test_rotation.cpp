// Mode graph without a GPU: a device whose only "kernels" are library calls on the host, which it can
// capture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "src/cell/cell.hpp"
#include "src/cell/rotation.hpp"
#include "src/error.hpp"
#include "src/records/check.hpp"
#include "tests/fake_device.hpp"
#include "tests/fake_meter.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

class FakeGpu : public FakeDevice {
 public:
  FakeGpu() { facts_.l2_bytes = 4096; }
  Target target() const override { return Target::cuda; }
  std::string name() const override { return "cuda:0"; }
  void execute_library(const Queue::LibraryCall& call, void* temporary, std::size_t bytes) override {
    const std::function<void()> node = [call, temporary, bytes] {
      std::size_t given = bytes;
      call(temporary, given, nullptr);
    };
    if (captured_) captured_->push_back(node);
    else node();
  }
  std::size_t library_bytes(const Queue::LibraryCall& call) override {
    std::size_t bytes = 0;
    call(nullptr, bytes, nullptr);
    return bytes;
  }
  void finish() override {
    if (captured_) throw Refusal("it cannot be captured in a graph: it waits");
  }

  std::unique_ptr<Graph> capture(const std::function<void()>& work) override {
    Nodes nodes;
    captured_ = &nodes;
    try {
      work();
    } catch (...) {
      captured_ = nullptr;
      throw;
    }
    captured_ = nullptr;
    return std::make_unique<Replayed>(std::move(nodes), launches_);
  }

  void* allocate(std::size_t bytes) override {
    ++held_;
    asked_ = bytes;
    return FakeDevice::allocate(bytes);
  }
  void release(void* memory) override {
    held_ -= memory != nullptr;
    FakeDevice::release(memory);
  }

  using FakeDevice::facts_;
  int launches_ = 0;       // of graphs
  int held_ = 0;           // pieces of memory
  std::size_t asked_ = 0;  // bytes of the last of them

 private:
  using Nodes = std::vector<std::function<void()>>;
  struct Replayed : Graph {
    Replayed(Nodes nodes, int& launches) : all(std::move(nodes)), counter(launches) {}
    void launch() override {
      ++counter;
      for (const auto& node : all) node();
    }
    std::size_t nodes() const override { return all.size(); }
    Nodes all;
    int& counter;
  };
  Nodes* captured_ = nullptr;
};

FakeGpu* gpu = nullptr;  // of the test under way

/// One run of a case.
struct Seen {
  const void* values;
  int launch;  // of a graph, by number
};
std::vector<Seen> seen;

template <int nodes>
void sums(Queue& queue, const Operands& x) {
  for (int i = 0; i < nodes; ++i)
    queue.library([x](void* temporary, std::size_t& bytes, void*) {
      bytes = 4;
      if (!temporary) return 0;
      const i32* const values = static_cast<const i32*>(x.values);
      *static_cast<u32*>(x.result) = std::accumulate(values, values + x.n, u32(0));
      seen.push_back({x.values, gpu->launches_});
      return 0;
    });
}
/// Right on the first values that it ever sees.
void knows_one_copy(Queue& queue, const Operands& x) {
  queue.library([x](void* temporary, std::size_t& bytes, void*) {
    bytes = 4;
    if (!temporary) return 0;
    if (seen.empty()) seen.push_back({x.values, 0});
    const i32* const values = static_cast<const i32*>(x.values);
    *static_cast<u32*>(x.result) =
        x.values == seen[0].values ? std::accumulate(values, values + x.n, u32(0)) : 7;
    return 0;
  });
}
void waits(Queue& queue, const Operands& x) {
  sums<1>(queue, x);
  queue.on_host([] {});
}

/// A clock that ticks, and notes how much memory the device has given while it samples.
class TickingStopwatch : public FakeStopwatch {
 public:
  TickingStopwatch(FakeTime& time, std::map<Mode, int>& held, std::map<Mode, bool>& waits)
      : FakeStopwatch(time, 1000), held_(held), waits_(waits) {}
  double sample(Mode mode, bool synchronizes, const std::function<void()>& work) override {
    held_[mode] = gpu->held_;
    waits_[mode] = synchronizes;
    return FakeStopwatch::sample(mode, synchronizes, work);
  }
  std::optional<double> tick_ns() const override { return 42; }

 private:
  std::map<Mode, int>& held_;
  std::map<Mode, bool>& waits_;
};

class GraphMode : public testing::Test {
 protected:
  void SetUp() override {
    seen.clear();
    gpu = &gpu_;
  }

  std::vector<Record> records(const std::vector<void (*)(Queue&, const Operands&)>& runs, Index n,
                              const Card& card = {}) {
    Cell cell;
    cell.problem = find_problem("reduce");
    cell.input = {Type::i32, Operator::sum,
                  n,         Json{{"values", "uniform"}},
                  1,         cell.problem->pair(Type::i32, Operator::sum)};
    std::vector<Variant> variants;
    std::vector<Instance> instances;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      variants.push_back(Variant{"reduce/case" + std::to_string(i), "reduce", {}, "", "hash", {}});
      variants.back().card = card;
      instances.push_back({Type::i32, Operator::sum, runs[i], {}});
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      variants[i].instances[std::size_t(Target::cuda)] = {instances[i]};
      Case one{&variants[i],  "cuda:0", cell.input, {},
               &instances[i], {},       {},         cell.problem->sizes(cell.input)};
      CaseQueue queue(gpu_, one.parameters, one.footprint);
      Operands operands;
      operands.n = n;
      runs[i](queue, operands);
      cell.cases.push_back(one);
    }
    CellOptions options;
    options.measure.modes = modes_;
    options.measure.min_samples = options.measure.max_samples = 6;
    options.measure.timeout_s = 1e6;
    const std::unique_ptr<Device> host = make_host();
    Meters meters({gpu_, *host});
    meters.kernels.use(std::make_unique<TickingStopwatch>(time_, held_, waits_));
    std::vector<Record> records;
    run_cell(cell, meters, options,
             {[&](const Case&) { signs_ += 'x'; }, [&] { signs_ += 'i'; },
              [&](Record record) {
                signs_ += 'r';
                EXPECT_EQ(mistake_in(record), "");
                records.push_back(std::move(record));
              }});
    return records;
  }

  /// What the launches of graphs read, by launch.
  static std::map<int, std::vector<const void*>> by_launch() {
    std::map<int, std::vector<const void*>> all;
    for (const Seen& one : seen) all[one.launch].push_back(one.values);
    return all;
  }

  FakeGpu gpu_;
  FakeTime time_;
  std::vector<Mode> modes_{Mode::graph};
  std::map<Mode, int> held_;    // at the last sample
  std::map<Mode, bool> waits_;  // whether its work was said to wait for the device itself
  std::string signs_;           // of life: x as a case begins to execute, i as none does, r with its record
};

// 256 values are 1 KiB, of which 21 exceed five times 4 KiB.
TEST_F(GraphMode, ASampleRunsOverEachCopyAndItsTimeIsThatOfOneRun) {
  const Record record = records({sums<1>}, 256).at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  EXPECT_EQ(record["mode"], "graph");
  EXPECT_EQ(record["graph_copies"], 21);
  EXPECT_EQ(record["graph_bytes"], 21 * 1024);
  EXPECT_EQ(record["graph_beyond_l2"], true);
  EXPECT_DOUBLE_EQ(record["time_ns"], 47.6) << "1000 / 21, in tenths";
  EXPECT_TRUE(record["percent_of_ceiling"].is_null());
  EXPECT_EQ(record["clock_tick_ns"], 2) << "42 / 21";
  const std::string start = "ii", first = "xi", captured = "i", copied = "i", again = "i", empty = "iiiii",
                    samples = "xixixixixixixi", last = "i", poisoned = "xxii", after_timing = "xi";
  EXPECT_EQ(signs_, start + first + captured + copied + again + empty + samples + last + poisoned +
                        after_timing + "r");
  auto launches = by_launch();
  EXPECT_EQ(launches.size(), 9u) << "before any; six, the last, and one on a poisoned result";
  launches.erase(0);
  launches.rbegin()->second.resize(21);  // then comes the check after timing
  for (const auto& [launch, values] : launches) {
    EXPECT_EQ(values.size(), 21u) << launch;
    EXPECT_EQ(std::set(values.begin(), values.end()).size(), 21u) << launch;
  }
}

// 4001 copies of a page: five graphs of at most 900, whoever launches them.
TEST_F(GraphMode, WhatOneGraphCannotHoldIsSharedOutAndNoCopyIsReadAgainBeforeTheOthers) {
  gpu_.facts_.l2_bytes = 800 * 256;
  for (const Record& record : records({sums<1>, sums<1>}, 64)) {
    ASSERT_EQ(record["outcome"], "passed") << record;
    EXPECT_EQ(record["graph_copies"], 4001);
    EXPECT_EQ(record["graph_beyond_l2"], true);
    EXPECT_DOUBLE_EQ(record["time_ns"], 1.3) << "1000 / 800, whichever graph it is, in tenths";
  }
  std::vector<const void*> order;
  for (auto& [launch, values] : by_launch()) {
    if (launch == 0) continue;
    EXPECT_GE(values.size(), 800u);
    EXPECT_LE(values.size(), 802u) << "801, and a check after timing";
    // A check runs on the original alone.
    order.insert(order.end(), values.begin(), values.begin() + (launch % 5 ? 800 : 801));
  }
  ASSERT_GT(order.size(), 2 * 4001u);
  for (std::size_t i = 4001; i < order.size(); ++i) ASSERT_EQ(order[i], order[i - 4001]) << i;
  EXPECT_EQ(std::set(order.begin(), order.begin() + 4001).size(), 4001u);
}

TEST_F(GraphMode, LaunchesAreCountedNotRuns) {
  gpu_.facts_.l2_bytes = 800 * 256;
  for (const Record& record : records({sums<1>, sums<3>}, 64))
    ASSERT_EQ(record["outcome"], "passed") << record;
  auto launches = by_launch();
  launches.erase(0);
  for (const auto& [launch, values] : launches)
    EXPECT_LE(values.size(), 900u + 3) << "with a check after timing";
}

TEST_F(GraphMode, WhereTheCopiesDoNotFitTheRecordSaysSo) {
  gpu_.free_ = 8 * 1024;  // 7 KiB without its eighth
  const Record record = records({sums<1>}, 256).at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  EXPECT_EQ(record["graph_copies"], 8);
  EXPECT_EQ(record["graph_bytes"], 8 * 1024);
  EXPECT_EQ(record["graph_beyond_l2"], false);
}

// The inputs, the result and the scratch memory are what is left.
TEST_F(GraphMode, TheNextModeHasTheMemoryOfTheCopies) {
  modes_ = {Mode::graph, Mode::cold};
  const std::vector<Record> both = records({sums<1>}, 256);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1]["mode"], "cold");
  EXPECT_EQ(both[1]["outcome"], "passed") << both[1];
  EXPECT_EQ(both[1]["clock_tick_ns"], 42);
  EXPECT_TRUE(both[1]["graph_copies"].is_null());
  EXPECT_EQ(held_, (std::map<Mode, int>{{Mode::graph, 3}, {Mode::cold, 2}}));
  EXPECT_EQ(waits_, (std::map<Mode, bool>{{Mode::graph, false}, {Mode::cold, false}}));
  EXPECT_EQ(gpu_.held_, 0);
}

TEST_F(GraphMode, TheResultOfTheLastCopyIsChecked) {
  const Record record = records({knows_one_copy}, 256).at(0);
  EXPECT_EQ(record["outcome"], "wrong");
  EXPECT_THAT(record["reason"].get<std::string>(), testing::StartsWith("the last sample: "));
}

TEST_F(GraphMode, WhatCannotBeCapturedIsUnsupportedAndTheOthersAreMeasured) {
  const std::vector<Record> all = records({waits, sums<1>, sums<901>}, 256);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["outcome"], "unsupported");
  EXPECT_EQ(all[0]["reason"], "mode graph: it cannot be captured in a graph: it waits");
  EXPECT_EQ(all[1]["outcome"], "unsupported");
  EXPECT_EQ(all[1]["reason"], "mode graph: it launches 901 kernels, more than the 900 that the queue holds");
  EXPECT_EQ(all[2]["outcome"], "passed") << all[2];
}

// So many launches fit behind the kernel that waits: a graph for each copy, of 16384 launches in all.
TEST_F(GraphMode, WhatTheQueueJustHoldsIsMeasured) {
  const Record record = records({sums<900>}, 256).at(0);
  ASSERT_EQ(record["outcome"], "passed") << record;
  EXPECT_EQ(record["graph_copies"], 18);
  EXPECT_EQ(record["graph_bytes"], 18 * 1024);
  EXPECT_EQ(record["graph_beyond_l2"], false);
  EXPECT_EQ(record["time_ns"], 1000);
  EXPECT_EQ(record["clock_tick_ns"], 42);
  const Variant variant;
  Case one{&variant, "cuda:0", {}, {}, nullptr, {}, {}, {}};
  one.footprint.launches.resize(900);
  EXPECT_EQ(refusal_in(Mode::graph, one, gpu_), "");
  one.footprint.launches.resize(901);
  EXPECT_EQ(refusal_in(Mode::graph, one, gpu_),
            "mode graph: it launches 901 kernels, more than the 900 that the queue holds");
  EXPECT_EQ(refusal_in(Mode::cold, one, gpu_), "");
  one.refusal = "too large";
  EXPECT_EQ(refusal_in(Mode::graph, one, gpu_), "too large");
}

// What waits for the device itself is said to, so that the gap before its launch is not taken for hidden.
TEST_F(GraphMode, TheClockIsToldOfWhatWaits) {
  Card card;
  card.synchronizes = true;
  modes_ = {Mode::warm};
  EXPECT_EQ(records({sums<1>}, 256, card).at(0)["outcome"], "passed");
  EXPECT_EQ(waits_, (std::map<Mode, bool>{{Mode::warm, true}}));
}

TEST_F(GraphMode, WhatWaitsAndWhatHasNoGraphsIsUnsupportedBeforeItRuns) {
  Card card;
  card.synchronizes = true;
  const Record record = records({sums<1>}, 256, card).at(0);
  EXPECT_EQ(record["outcome"], "unsupported");
  EXPECT_EQ(record["reason"], "mode graph: it waits for the device inside `run`, which cannot be captured");
  EXPECT_TRUE(seen.empty());
  const Variant variant;
  const Case one{&variant, "host", {}, {}, nullptr, {}, {}, {}};
  const std::unique_ptr<Device> host = make_host();
  EXPECT_EQ(refusal_in(Mode::graph, one, *host), "mode graph: only CUDA has graphs, not host");
  EXPECT_EQ(refusal_in(Mode::warm, one, *host), "");
}

/// A rotation of two cases over 1 KiB of values, which are 21 copies; `execute` is told which of them runs.
Rotation rotation_of_two(FakeGpu& device, const std::function<void(int)>& execute, int& signs) {
  static const Variant variant;
  static const std::vector<Case> cases(2, {&variant, "cuda:0", {}, {}, nullptr, {}, {}, {}});
  Inputs inputs;
  inputs.values = HostBuffer(1024);
  std::memset(inputs.values.data.get(), 1, 1024);
  return Rotation(
      device, {&cases[0], &cases[1]}, inputs, {},
      [&](const Case& one, const Operands&) { execute(int(&one - cases.data())); },
      [](const Case&, const std::string&) {}, [&] { ++signs; });
}

// To capture a case may take a driver long: between two of them the watcher must hear something.
TEST_F(GraphMode, EachCaptureIsASignOfLife) {
  int signs = 0;
  rotation_of_two(gpu_, [](int) { throw Refusal("not this one"); }, signs);
  EXPECT_EQ(signs, 2) << "both were tried, and none is left to be copied for";
  signs = 0;
  rotation_of_two(
      gpu_,
      [](int number) {
        if (number == 1) throw Refusal("not this one");
      },
      signs);
  EXPECT_EQ(signs, 4) << "both were tried, the inputs copied, one captured";
}

// The cases that follow need the memory.
TEST_F(GraphMode, ADeviceThatFailsInACaptureKeepsNoCopies) {
  int runs = 0, held_then = 0, signs = 0;
  const auto fails_on_copies = [&](int) {
    if (++runs <= 2) return;  // each case once on the original
    held_then = gpu_.held_;
    throw DeviceError("out of graphs");
  };
  EXPECT_THROW(rotation_of_two(gpu_, fails_on_copies, signs), DeviceError);
  EXPECT_EQ(held_then, 1);
  EXPECT_EQ(gpu_.held_, 0);
}

TEST_F(GraphMode, ARotationThatIsOverKeepsNoCopies) {
  int signs = 0;
  {
    const Rotation rotation = rotation_of_two(gpu_, [](int) {}, signs);
    EXPECT_EQ(gpu_.held_, 1);
    EXPECT_EQ(gpu_.asked_, 20 * 1024u) << "the first copy is the original";
  }
  EXPECT_EQ(gpu_.held_, 0);
}

}  // namespace
}  // namespace redbench
