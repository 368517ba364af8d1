// Mode graph without a GPU: how often inputs are copied, where the copies lie, and what graphs over them
// measure.
#include "src/cell/rotation.hpp"

#include <gmock/gmock.h>

#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "tests/cell/cell_of.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// Its only "kernels" are library calls on the host, which it can capture.
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
  Nodes* captured_ = nullptr;
};

// Five times the L2 to exceed, by two copies at least; the room for copies besides the original; 900 launches
// of a graph and 16384 of all at most.
TEST(RotationSize, IsTheLeastOfWhatIsWantedAndEachLimit) {
  constexpr std::size_t mega = 1 << 20, giga = 1 << 30;
  struct {
    std::size_t bytes, l2, room, launches, copies, graphs;
    bool beyond;
  } const sizes[] = {{1000, 1000, mega, 1, 6, 1, true},   // five are not more
                     {1000, 1000, 4999, 1, 5, 1, false},  // just as much is not beyond
                     {1000, 999, 4000, 1, 5, 1, true},    // the original is one, too
                     {1000, 999, 3999, 1, 4, 1, false},
                     {100'000, 1000, giga, 1, 2, 1, true},  // one is read again and again
                     {100'000, 1000, 99'999, 1, 1, 1, false},
                     {300, 1000, mega, 60, 17, 2, true},    // 5000 / 300 are 16.7; 15 runs in a graph
                     {16, mega, giga, 7, 2340, 19, false},  // 128 runs in a graph
                     {16, mega, giga, 451, 36, 36, false},
                     {0, 1000, mega, 0, 5001, 6, false}};
  for (const auto& [bytes, l2, room, launches, copies, graphs, beyond] : sizes) {
    const RotationSize size = rotation_size(bytes, l2, room, launches);
    EXPECT_EQ(std::tuple(size.copies, size.graphs, size.beyond_l2), std::tuple(copies, graphs, beyond))
        << bytes << ' ' << l2 << ' ' << room << ' ' << launches;
    EXPECT_EQ(size.first(0), 0u);
    EXPECT_EQ(size.first(graphs), copies);
  }
}

TEST(Rotation, WhatCannotBeMeasuredInAModeIsKnownBeforeItRuns) {
  const FakeGpu gpu;
  Variant variant;
  Case case_;
  case_.variant = &variant;
  case_.footprint.launches.resize(900);
  EXPECT_EQ(why_refused_in(Mode::graph, case_, gpu), "");
  EXPECT_EQ(why_refused_in(Mode::graph, case_, *make_host()), "mode graph: only CUDA has graphs, not host");
  case_.footprint.launches.resize(901);
  EXPECT_EQ(why_refused_in(Mode::graph, case_, gpu),
            "mode graph: it launches 901 kernels, more than the 900 that the queue holds");
  variant.card.synchronizes = true;
  EXPECT_EQ(why_refused_in(Mode::graph, case_, gpu),
            "mode graph: it waits for the device inside `run`, which cannot be captured");
  EXPECT_EQ(why_refused_in(Mode::cold, case_, gpu), "");
  case_.refusal = "it is too large";
  for (const Mode mode : {Mode::graph, Mode::cold})
    EXPECT_EQ(why_refused_in(mode, case_, gpu), "it is too large");
}

/// What a rotation's case is given, and what lies there as it is captured.
struct Copy {
  Copy(const char* v, const char* l, const char* o) : values(v), labels(l), offsets(o) {}
  const char *values, *labels, *offsets;
  std::string held;
};

HostBuffer filled(std::size_t bytes, char byte) {
  HostBuffer buffer(bytes);
  std::memset(buffer.data.get(), byte, bytes);
  return buffer;
}

// Values, labels and offsets lie behind each other, each from a multiple of 256 bytes on: 1024 of 1000, 768
// of 600 and 256 of 200. A case finds its own in every copy.
TEST(Rotation, EachCopyIsOfAllInputs) {
  FakeGpu gpu;
  const Variant variant;
  Case case_;
  case_.variant = &variant;
  const auto copies = [&](std::size_t values, std::size_t labels, std::size_t offsets) {
    Inputs inputs;
    inputs.values = filled(values, 'v');
    inputs.labels = filled(labels, 'l');
    inputs.offsets = filled(offsets, 'o');
    Operands original;
    original.values = inputs.values.data.get();
    original.labels = inputs.labels.data.get();
    original.offsets = reinterpret_cast<const Index*>(inputs.offsets.data.get());
    original.result = &inputs;
    std::vector<Copy> found;
    int signs = 0;
    Rotation rotation(
        gpu, {&case_}, inputs, original,
        [&](const Case&, const Operands& x) {
          Copy& copy =
              found.emplace_back(static_cast<const char*>(x.values), static_cast<const char*>(x.labels),
                                 reinterpret_cast<const char*>(x.offsets));
          copy.held = std::string(copy.values, values) + std::string(copy.labels, labels) +
                      std::string(copy.offsets, offsets);
          EXPECT_EQ(x.result, &inputs);
        },
        [](const Case&, const std::string& why) { ADD_FAILURE() << why; }, [&] { ++signs; });
    EXPECT_EQ(found.size(), 1 + rotation.size().copies) << "once to count its launches";
    EXPECT_EQ(signs, 3) << "of life: tried, copied and captured";
    return found;
  };
  gpu.facts_.l2_bytes = 1800;
  for (const auto& [values, labels, offsets] : {std::tuple(1000u, 600u, 200u), {1000u, 0u, 200u}}) {
    const std::vector<Copy> all = copies(values, labels, offsets);
    EXPECT_EQ(gpu.held_, 0) << "a rotation that is over keeps no copies";
    ASSERT_EQ(all.size(), 1 + 5 * 1800 / (values + labels + offsets) + 1u);
    const std::string held = std::string(values, 'v') + std::string(labels, 'l') + std::string(offsets, 'o');
    const std::ptrdiff_t to_offsets = labels ? 1024 + 768 : 1024, stride = to_offsets + 256;
    EXPECT_EQ(gpu.asked_, (all.size() - 2) * std::size_t(stride)) << "the original is there already";
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].held, held) << i;
      if (i < 2) continue;  // the original, which is the first copy
      EXPECT_EQ(all[i].labels - all[i].values, 1024) << i;
      EXPECT_EQ(all[i].offsets - all[i].values, to_offsets) << i;
      EXPECT_EQ(all[i].values - all[2].values, std::ptrdiff_t(i - 2) * stride) << i;
    }
  }
  // A copy takes 2048 bytes, and 18725 but for their eighth, which is 16385, have room for 8 of them.
  gpu.facts_.l2_bytes = 1 << 20;
  for (const auto& [free, fit] : {std::pair(18725, 8u), {18723, 7u}}) {
    gpu.free_ = std::size_t(free);
    EXPECT_EQ(copies(1000, 600, 200).size(), 1 + 1 + fit);
  }
}

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
      *static_cast<i32*>(x.result) = sum_of(x);
      seen.push_back({x.values, gpu->launches_});
      return 0;
    });
}
/// Right on the first values that it ever sees.
void knows_one_copy(Queue& queue, const Operands& x) {
  sums<1>(queue, x);
  queue.library([x](void* temporary, std::size_t& bytes, void*) {
    bytes = 4;
    if (temporary && x.values != seen[0].values) *static_cast<i32*>(x.result) = 7;
    return 0;
  });
}
void waits(Queue& queue, const Operands& x) {
  sums<1>(queue, x);
  queue.on_host([] {});
}

std::map<Mode, int> held;              // pieces of memory at the last sample
std::map<Mode, bool> synchronizes_in;  // whether the stopwatch was given work that waits for the device

class TickingStopwatch : public FakeStopwatch {
 public:
  using FakeStopwatch::FakeStopwatch;
  double sample(Mode mode, bool synchronizes, const std::function<void()>& work) override {
    held[mode] = gpu->held_;
    synchronizes_in[mode] = synchronizes;
    return FakeStopwatch::sample(mode, synchronizes, work);
  }
  std::optional<double> tick_ns() const override { return 42; }
  std::optional<Median> empty_sample() const override { return Median{420, 399, 462}; }
};

class GraphMode : public testing::Test {
 protected:
  void SetUp() override {
    seen.clear();
    held.clear();
    synchronizes_in.clear();
    gpu = &gpu_;
  }
  std::vector<Record> records(const std::vector<Algorithm>& algorithms, Index n, const Card& card = {}) {
    CellOf cell(&gpu_, algorithms, n, Operator::sum, Type::i32, card);
    cell.options_.measure.modes = modes_;
    cell.options_.measure.max_samples = 6;
    cell.use<TickingStopwatch>(1000);
    const std::vector<Record> all = cell.records();
    signs_ = cell.signs_;
    return all;
  }
  /// What the launches of graphs read, by launch.
  static std::map<int, std::vector<const void*>> by_launch() {
    std::map<int, std::vector<const void*>> all;
    for (const Seen& run : seen)
      if (run.launch > 0) all[run.launch].push_back(run.values);
    return all;
  }

  FakeGpu gpu_;
  std::vector<Mode> modes_{Mode::graph};
  std::string signs_;
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
  EXPECT_EQ(record["empty_sample_ns"], 420);
  EXPECT_EQ(record["taken_off_ns"], 20) << "the runs share two events";
  EXPECT_EQ(record["taken_off_error_ns"], 2);
  const std::string start = "ii", first = "xi", captured = "i", copied = "i", again = "i", empty = "i",
                    samples = "xixixixixixixi", last = "i", poisoned = "xxii", after_timing = "xi";
  EXPECT_EQ(signs_, start + first + captured + copied + again + empty + samples + last + poisoned +
                        after_timing + "r");
  auto launches = by_launch();
  EXPECT_EQ(launches.size(), 8u) << "six, the last, and one on a poisoned result";
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
    EXPECT_DOUBLE_EQ(record["time_ns"], 1.3) << "1000 / 800, whichever graph it is, in tenths";
  }
  std::vector<const void*> order;
  for (auto& [launch, values] : by_launch()) {
    EXPECT_GE(values.size(), 800u);
    EXPECT_LE(values.size(), 802u) << "801, and a check after timing";
    // A check runs on the original alone.
    order.insert(order.end(), values.begin(), values.begin() + (launch % 5 ? 800 : 801));
  }
  ASSERT_GT(order.size(), 2 * 4001u);
  for (std::size_t i = 4001; i < order.size(); ++i) ASSERT_EQ(order[i], order[i - 4001]) << i;
  EXPECT_EQ(std::set(order.begin(), order.begin() + 4001).size(), 4001u);
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
  EXPECT_EQ(held, (std::map<Mode, int>{{Mode::graph, 3}, {Mode::cold, 2}}));
  EXPECT_EQ(synchronizes_in, (std::map<Mode, bool>{{Mode::graph, false}, {Mode::cold, false}}));
  EXPECT_EQ(gpu_.held_, 0);
  // The gap before the launch of what waits for the device itself is not taken for hidden.
  Card card;
  card.synchronizes = true;
  modes_ = {Mode::warm};
  const Record waiting = records({sums<1>}, 256, card).at(0);
  EXPECT_EQ(waiting["outcome"], "passed");
  EXPECT_TRUE(synchronizes_in[Mode::warm]);
  EXPECT_EQ(waiting["empty_sample_ns"], 420);
  EXPECT_EQ(both[1]["taken_off_error_ns"], 42) << "the further end";
  EXPECT_EQ(waiting["taken_off_ns"], 0);
}

TEST_F(GraphMode, TheResultOfTheLastCopyIsChecked) {
  const Record record = records({knows_one_copy}, 256).at(0);
  EXPECT_EQ(record["outcome"], "wrong");
  EXPECT_THAT(record["reason"].get<std::string>(), testing::StartsWith("the last sample: "));
}

// As many launches as fit behind the kernel that waits are a graph for each copy, of 16384 launches in all.
TEST_F(GraphMode, WhatCannotBeCapturedIsUnsupportedAndTheOthersAreMeasured) {
  const std::vector<Record> all = records({waits, sums<900>, sums<901>}, 256);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["outcome"], "unsupported");
  EXPECT_EQ(all[0]["reason"], "mode graph: it cannot be captured in a graph: it waits");
  EXPECT_EQ(all[1]["outcome"], "passed") << all[1];
  EXPECT_EQ(all[1]["graph_copies"], 18);
  EXPECT_EQ(all[1]["time_ns"], 1000);
  EXPECT_EQ(all[1]["clock_tick_ns"], 42);
  EXPECT_EQ(all[2]["outcome"], "unsupported");
  EXPECT_EQ(all[2]["reason"], "mode graph: it launches 901 kernels, more than the 900 that the queue holds");
}

}  // namespace
}  // namespace redbench
