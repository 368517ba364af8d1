// What a case is refused for that no card states: its launches, memory and rounding, and mistakes in its `run`.
#include "src/plan/refusals.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

#include "kernels/segreduce/one_length.hpp"
#include "src/reference/oracle.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

TEST(Launches, ThatTheDeviceCannotHold) {
  DeviceFacts gpu;
  gpu.name = "small";
  gpu.multiprocessors = 10;
  gpu.max_threads_per_block = 1024;
  gpu.shared_bytes_per_block = 49152;
  constexpr Index most = (Index(1) << 31) - 1;
  struct {
    Grid grid;
    int resident;
    std::size_t static_shared;
    const char *limiter, *refusal;
  } const rows[] = {{{.blocks = most, .threads = 1024, .shared_bytes = 49152}, 1, 0, "", ""},
                    {{.blocks = 30, .threads = 64, .cooperative = true}, 3, 0, "", ""},
                    {{.blocks = most + 1, .threads = 64},
                     3,
                     0,
                     "",
                     "a launch of 2147483648 blocks; a grid has 1 to 2^31 - 1"},
                    {{.threads = 1025}, 1, 0, "", "blocks of 1025 threads; small allows 1 to 1024"},
                    {{.threads = 64, .shared_bytes = 49152},
                     1,
                     1,
                     "",
                     "49153 bytes of shared memory per block; small allows 49152"},
                    {{.threads = 512},
                     0,
                     0,
                     "registers",
                     "no block of 512 threads fits a multiprocessor of small: too many registers"},
                    {{.threads = 512},
                     0,
                     0,
                     "shared memory",
                     "no block of 512 threads fits a multiprocessor of small: too much shared memory"},
                    {{.blocks = 31, .threads = 64, .cooperative = true},
                     3,
                     0,
                     "",
                     "31 blocks must be resident at once; small holds 30"}};
  for (const auto& row : rows) {
    LaunchFacts launch;
    launch.grid = row.grid;
    launch.static_shared_bytes = row.static_shared;
    launch.resident_blocks = row.resident;
    launch.limiter = row.limiter;
    EXPECT_EQ(launch_refusal(launch, gpu), row.refusal);
  }
}

/// A device of some kind with so much memory, which runs nothing.
struct SizedDevice : FakeDevice {
  explicit SizedDevice(Target target) : target_(target) { facts_ = make_simt("gtx480", {})->facts(); }
  Target target() const override { return target_; }
  LaunchFacts describe(const KernelCall& call) const override {
    if (!broken_.empty()) throw DeviceError(broken_);
    LaunchFacts launch;
    launch.kernel = "kernel";
    launch.grid = call.grid;
    launch.resident_blocks = 8;
    return launch;
  }
  DeviceFacts& facts_to_change() { return facts_; }
  std::string broken_;

 private:
  Target target_;
};

/// A variant has this one instance for the kind of device, until the end of the test.
class ReplacedInstance {
 public:
  ReplacedInstance(const char* variant, Target target, const Instance& instance)
      : slot_(const_cast<Variant*>(find_variant(variant))->instances[std::size_t(target)]), before_(slot_) {
    slot_ = {instance};
  }
  ~ReplacedInstance() { slot_ = before_; }
  ReplacedInstance(const ReplacedInstance&) = delete;

 private:
  std::vector<Instance>& slot_;
  const std::vector<Instance> before_;
};

void launch_of(Queue& queue, const Grid& grid) {
  CaseQueue::of(queue).submit({nullptr, nullptr, nullptr, grid});
}

class PlanMemory : public testing::Test {
 protected:
  Case planned(Device& kernels, const char* problem, const char* variant, const char* op,
               const std::vector<std::pair<std::string, std::vector<Json>>>& axes, const char* type = "i32") {
    Config config;
    config.experiments.push_back({"", problem, {variant}, {{"type", {type}}, {"operator", {op}}}});
    for (const auto& axis : axes) config.experiments[0].axes.push_back(axis);
    return make_plan(config, {kernels, host_}).cells.at(0).cases.at(0);
  }

  SizedDevice kernels_{Target::simt}, host_{Target::host};
};

// 4000 bytes of inputs, as they were made and as they are worked on, 4 of the result, 256 for each of two
// requests of scratch memory, for 4 values and 1.
TEST_F(PlanMemory, OfAKernelToTheByte) {
  const auto harris3 = [&] { return planned(kernels_, "reduce", "harris3", "sum", {{"n", {1000}}}); };
  EXPECT_THAT(harris3().footprint.scratch, ElementsAre(16, 4));
  EXPECT_EQ(harris3().device_bytes(), 4000u + 4 + 512);
  kernels_.free_ = 4000 + 4000 + 4 + 512;
  EXPECT_EQ(harris3().refusal, "");
  --kernels_.free_;
  EXPECT_EQ(harris3().refusal, "needs 8516 bytes, the device has 8515 free");
}

// On the host there are 28 bytes of values, 4000 of labels and 4000 of results, and a state for each of 7
// values; on a modelled device, which has its memory there, these inputs and results once more.
TEST_F(PlanMemory, OfTheHostToTheByte) {
  const auto naive = [&](const char* variant = "naive") {
    return planned(kernels_, "gather", variant, "right", {{"n", {1000}}, {"m", {7}}}).refusal;
  };
  const std::size_t states =
      7 * find_problem("gather")->pair(Type::i32, Operator::right)->oracle->state_bytes;
  const auto too_little = [&] {
    return fmt::format("needs {} bytes of the host's memory, which has {} free", 16056 + states,
                       16055 + states);
  };
  kernels_.free_ = 2 * 4028 + 4000;
  for (const char* variant : {"naive", "cpu_sequential"}) {  // a CPU algorithm works there
    host_.free_ = 4028 + 4000 + states + 4028 + 4000;
    EXPECT_EQ(naive(variant), "");
    --host_.free_;
    EXPECT_EQ(naive(variant), too_little());
  }
  --kernels_.free_;
  EXPECT_EQ(naive(), "needs 12056 bytes, the device has 12055 free");
  host_.free_ = 12055;
  EXPECT_EQ(naive("cpu_sequential"), "needs 12056 bytes, the device has 12055 free");
}

// 4000 bytes of inputs, 4 of the result, 256 for the scratch memory; three times what the caches hold, and
// 256 MiB of the runtime's. The host has the inputs and the result, and what it checks with.
TEST_F(PlanMemory, OfAGpuToTheByte) {
  const ReplacedInstance instance("reduce/harris3", Target::cuda,
                                  {Type::i32, Operator::sum,
                                   [](Queue& queue, const Operands&) {
                                     queue.scratch<int>(3);
                                     launch_of(queue, {});
                                   },
                                   ""});
  SizedDevice gpu(Target::cuda);
  gpu.facts_to_change().l2_bytes = 7000;
  const auto harris3 = [&] { return planned(gpu, "reduce", "harris3", "sum", {{"n", {1000}}}); };
  gpu.free_ = 4000 + 4 + 256 + 3 * 7000 + 268'435'456;
  const Case fits = harris3();
  EXPECT_EQ(fits.refusal, "");
  EXPECT_EQ(fits.device_bytes(), 4260u);
  const std::size_t of_host = 4004 + std::size_t(fits.sizes.m) * fits.input.pair->oracle->state_bytes;
  host_.free_ = of_host;
  EXPECT_EQ(harris3().refusal, "");
  --host_.free_;
  EXPECT_EQ(harris3().refusal,
            fmt::format("needs {} bytes of the host's memory, which has {} free", of_host, of_host - 1));
  --gpu.free_;
  EXPECT_EQ(harris3().refusal, "needs 268460716 bytes, the device has 268460715 free");
}

// k roundings of f16, u = 2^-11, may come to k u / (1 - k u): with 1024 all of the answer. n values are added
// with n - 1, one after the other where no chain is stated, else no more than the chain.
TEST_F(PlanMemory, RoundingsInARowAreTheChainsOrOfAllTerms) {
  static Index stated;
  const ReplacedInstance instance("reduce/harris3", Target::simt,
                                  {Type::f16, Operator::sum,
                                   [](Queue& queue, const Operands&) {
                                     if (stated) queue.chain(stated);
                                     launch_of(queue, {});
                                   },
                                   ""});
  for (const auto& [n, chain, rounds] : {std::array<Index, 3>{1024, 0, 0},
                                         {1025, 0, 1024},
                                         {1025, 1, 0},
                                         {9000, 1023, 0},
                                         {9000, 1024, 1024},
                                         {3000, 5000, 2999}}) {
    stated = chain;
    EXPECT_EQ(planned(kernels_, "reduce", "harris3", "sum", {{"n", {n}}}, "f16").refusal,
              rounds == 0
                  ? ""
                  : fmt::format("rounds {} times in a row in f16, which may lose the whole answer: no "
                                "result could be checked{}",
                                rounds, chain ? "" : " (no shorter chain is stated with Queue::chain)"))
        << n << ' ' << chain;
  }
}

// A variant that takes n / m for the length of all segments would give wrong results where one is shorter: 100 values in
// segments of 30 end with one of 10. An empty segment is a length of its own.
TEST_F(PlanMemory, AVariantForSegmentsOfOneLengthRefusesOthers) {
  static Index length;
  const ReplacedInstance instance("segreduce/tb2", Target::simt,
                                  {Type::i32, Operator::sum,
                                   [](Queue& queue, const Operands& operands) {
                                     const SegReduceOfOneLength<Sum<i32>> x(operands);
                                     x.needs_one_length(queue);
                                     length = x.length;
                                     launch_of(queue, {});
                                   },
                                   ""});
  TemporaryFolder folder;
  const auto file = [&](const char* key, const char* name, const std::vector<i64>& numbers) {
    return Json{{key, folder.write(name, npy_of<i64>("<i8", numbers))}};
  };
  const struct {
    Json segments;
    Index n, length;  // 0: refused
  } rows[] = {{"one", 100, 100},
              {"fixed:1", 100, 1},
              {"fixed:25", 100, 25},
              {"fixed:100", 100, 100},
              {"fixed:1000", 100, 100},
              {"uniform:5..5", 100, 5},
              {"fixed:30", 100, 0},
              {"fixed:25+empty", 100, 0},
              {"one+empty", 100, 0},
              {"uniform:10..50", 100, 0},
              {"geometric:0.5", 100, 0},
              {"one", 0, 0},
              {file("file", "equal.npy", {0, 2, 4, 6}), 6, 2},
              {file("file", "shorter.npy", {0, 3, 4, 6}), 6, 0},  // mean 2, too
              {file("owners", "pairs.npy", {0, 0, 1, 1}), 4, 2},
              {file("owners", "gap.npy", {0, 0, 2, 2}), 4, 0}};
  for (const auto& row : rows) {
    length = 0;
    const std::string refusal =
        planned(kernels_, "segreduce", "tb2", "sum",
                {{"n", {row.n}}, {"segments", {row.segments}}, {"given", {"offsets"}}})
            .refusal;
    EXPECT_EQ(refusal, row.length > 0 ? "" : "needs segments that all have one length, of at least one value")
        << row.segments;
    EXPECT_EQ(length, row.length) << row.segments;
  }
}

TEST_F(PlanMemory, WhatTheDeviceCannotDescribeIsRefused) {
  kernels_.broken_ = "no such kernel";
  EXPECT_EQ(planned(kernels_, "reduce", "harris3", "sum", {{"n", {1000}}}).refusal, "no such kernel");
  if (find_variant("reduce/harris3")->built_for(Target::cuda)) return;
  SizedDevice gpu(Target::cuda);
  EXPECT_EQ(planned(gpu, "reduce", "harris3", "sum", {{"n", {9}}}).refusal, "is not built for cuda");
}

// In a worker process, or for a run that is resumed: the user saw the error when the plan was made.
TEST_F(PlanMemory, AnInputThatFitsNoLongerRefusesItsCases) {
  Config config;
  config.path = "x.json";
  config.experiments.push_back({"",
                                "reduce",
                                {"harris3"},
                                {{"n", {6}},
                                 {"type", {"i32"}},
                                 {"operator", {"sum"}},
                                 {"values", {Json{{"file", fixture("i32.npy")}}}}}});
  const std::string why = fixture("i32.npy") + " holds 5 values, n asks for 6";
  const Plan again = replan(config, {kernels_, host_});
  ASSERT_EQ(again.cases(), 1u);
  EXPECT_EQ(again.cells[0].cases[0].refusal, why);
  EXPECT_EQ(again.runnable(), 0u);
  EXPECT_EQ(usage_error([&] { make_plan(config, {kernels_, host_}); }),
            "x.json: reduce n=6 type=i32 operator=sum: " + why);
}

// Such a record would be refused by every reader, with all others of its file.
TEST_F(PlanMemory, WhatNoRecordCanHoldIsRefusedAndLeftOut) {
  static void (*mistake)(Queue&);
  const ReplacedInstance instance(
      "reduce/harris3", Target::simt,
      {Type::i32, Operator::sum, [](Queue& queue, const Operands&) { mistake(queue); }, ""});
  const std::pair<void (*)(Queue&), const char*> rows[] = {
      {[](Queue& queue) { launch_of(queue, {.blocks = 0}); }, "launches kernel with 0 blocks; 1 to 2^31 - 1"},
      {[](Queue& queue) { launch_of(queue, {.threads = 0}); },
       "launches kernel with blocks of 0 threads; 1 or more"},
      {[](Queue& queue) { launch_of(queue, {.shared_bytes = std::size_t(-1)}); },
       "launches kernel with -1 bytes of shared memory; 0 or more"},
      {[](Queue& queue) { launch_of(queue, {.bytes_read = -1}); },
       "launches kernel with bytes_read = -1; a number from 0"},
      {[](Queue& queue) { launch_of(queue, {.bytes_written = std::nan("")}); },
       "launches kernel with bytes_written = nan; a number from 0"},
      {[](Queue& queue) { queue.scratch<int>(-5); }, "asks for -20 bytes of scratch memory; 0 or more"},
      {[](Queue& queue) { queue.chain(-7); }, "states a chain of -7 operators; 0 or more"},
      {[](Queue&) {}, "launches nothing while it is planned"},
      {[](Queue& queue) { launch_of(queue, {}), throw std::runtime_error("no"); },
       "throws while it is planned: no"},
      {[](Queue&) { throw 42; }, "throws what is no std::exception while it is planned"},
      {[](Queue& queue) {
         for (;;) launch_of(queue, {});
       },
       "throws while it is planned: it launches more than 1048576 kernels"},
      {[](Queue& queue) { queue.parameter("blok"); },
       "throws while it is planned: it asks for the parameter `blok`, its card has `block`"},
      {[](Queue& queue) { launch_of(queue, {.blocks = *static_cast<volatile int*>(queue.scratch<int>(1))}); },
       "ends with a signal while it is planned, when no memory is there: Segmentation fault"},
      {[](Queue&) { std::abort(); },
       "ends with a signal while it is planned, when no memory is there: Aborted"}};
  for (const auto& [run, refusal] : rows) {
    mistake = run;
    const Case harris3 = planned(kernels_, "reduce", "harris3", "sum", {{"n", {1000}}});
    EXPECT_EQ(harris3.refusal, std::string("kernels/reduce/harris3.cu: `run` ") + refusal);
    EXPECT_EQ(harris3.footprint.launches.size() + harris3.footprint.scratch.size(), 0u);
    EXPECT_EQ(harris3.footprint.chain, 0);
    EXPECT_TRUE(harris3.is_mistake);
  }
  // Too large is no mistake.
  mistake = [](Queue& queue) { queue.scratch<char>(Index(1) << 49), launch_of(queue, {}); };
  const Case large = planned(kernels_, "reduce", "harris3", "sum", {{"n", {1000}}});
  EXPECT_EQ(large.refusal, "needs 562949953421312 bytes of scratch memory");
  EXPECT_TRUE(!large.is_mistake && large.footprint.scratch.empty());
  mistake = [](Queue&) { std::exit(0); };
  EXPECT_EXIT(planned(kernels_, "reduce", "harris3", "sum", {{"n", {1000}}}),
              testing::ExitedWithCode(exit_usage),
              "redbench: kernels/reduce/harris3.cu: `run` ends the process while it is planned");
}

}  // namespace
}  // namespace redbench
