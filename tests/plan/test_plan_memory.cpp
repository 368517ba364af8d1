// What a plan asks of devices that are told what they have: memory to the byte, launches, and what a queue
// does beside them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "src/error.hpp"
#include "src/plan/plan.hpp"
#include "src/reference/oracle.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

/// A device of some kind, with the limits of a GTX 480, that runs nothing and notes what is uploaded to it.
struct Told : FakeDevice {
  explicit Told(Target target = Target::host) : target_(target) { facts_ = make_simt("gtx480", {})->facts(); }
  Target target() const override { return target_; }
  void upload(void* to, const void* from, std::size_t bytes) override {
    uploads_.emplace_back(to, from, bytes);
  }
  LaunchFacts describe(const KernelCall& call) const override {
    if (!broken_.empty()) throw DeviceError(broken_);
    LaunchFacts launch;
    launch.grid = call.grid;
    launch.registers = registers_;
    launch.resident_blocks = 8;
    return launch;
  }

  DeviceFacts& facts_to_change() { return facts_; }

  std::vector<std::tuple<void*, const void*, std::size_t>> uploads_;
  std::string broken_;
  int registers_ = 0;

 private:
  Target target_;
};

/// A variant of the program, which is as it was once the test is over.
class Changed {
 public:
  explicit Changed(const char* name) : variant_(const_cast<Variant&>(*find_variant(name))) {}
  ~Changed() { variant_.instances = before_; }
  Changed(const Changed&) = delete;
  Changed& operator=(const Changed&) = delete;
  std::vector<Instance>& instances(Target target) { return variant_.instances[std::size_t(target)]; }

 private:
  Variant& variant_;
  const std::array<std::vector<Instance>, 3> before_ = variant_.instances;
};

class PlanMemory : public testing::Test {
 protected:
  Case planned(const char* problem, const char* variant, const char* op,
               std::vector<std::pair<std::string, std::vector<Json>>> more) {
    Config config;
    config.experiments.push_back({"", problem, {variant}, {{"type", {"i32"}}, {"operator", {op}}}});
    for (auto& axis : more) config.experiments[0].axes.push_back(axis);
    return make_plan(config, {kernels_, host_}).cells.at(0).cases.at(0);
  }

  Told kernels_{Target::simt}, host_;
};

// 4000 bytes of inputs, as they were made and as they are worked on, 4 of the result, 256 for each of two
// requests of scratch memory.
TEST_F(PlanMemory, OfAKernelToTheByte) {
  const auto harris3 = [&] { return planned("reduce", "harris3", "sum", {{"n", {1000}}}); };
  EXPECT_THAT(harris3().footprint.scratch, ElementsAre(16, 4));
  kernels_.free_ = 4000 + 4000 + 4 + 512;
  EXPECT_EQ(harris3().refusal, "");
  --kernels_.free_;
  EXPECT_EQ(harris3().refusal, "needs 8516 bytes, fake has 8515 free");
}

// On the host there are 28 bytes of values, 4000 of labels and 4000 of results, and a state for each of 7
// values; on a modelled device, which has its memory there, these inputs and results once more.
TEST_F(PlanMemory, OfTheHostToTheByte) {
  const auto naive = [&] { return planned("gather", "naive", "right", {{"n", {1000}}, {"m", {7}}}); };
  const std::size_t states =
      7 * find_problem("gather")->pair(Type::i32, Operator::right)->oracle->state_bytes;
  kernels_.free_ = 2 * 4028 + 4000;
  EXPECT_EQ(naive().footprint.scratch_bytes(), 0u);
  host_.free_ = 4028 + 4000 + states + 4028 + 4000;
  EXPECT_EQ(naive().refusal, "");
  --host_.free_;
  EXPECT_EQ(naive().refusal, fmt::format("needs {} bytes of the host's memory, which has {} free",
                                         16056 + states, 16055 + states));
  --kernels_.free_;
  EXPECT_EQ(naive().refusal, "needs 12056 bytes, fake has 12055 free");
  // A CPU algorithm works there.
  const auto cpu = [&] { return planned("gather", "cpu_sequential", "right", {{"n", {1000}}, {"m", {7}}}); };
  host_.free_ = 16056 + states;
  EXPECT_EQ(cpu().refusal, "");
  --host_.free_;
  EXPECT_EQ(cpu().refusal, fmt::format("needs {} bytes of the host's memory, which has {} free",
                                       16056 + states, 16055 + states));
  host_.free_ = 12055;
  EXPECT_EQ(cpu().refusal, "needs 12056 bytes, fake has 12055 free");
}

// Besides inputs, result and scratch there are its cache three times, and 256 MiB of the runtime's. The
// inputs as they were made are on the host.
TEST_F(PlanMemory, OfAGpuToTheByte) {
  Told gpu(Target::cuda);
  Changed harris3("reduce/harris3");
  harris3.instances(Target::cuda) = harris3.instances(Target::simt);
  gpu.facts_to_change().l2_bytes = 1'000'000;
  const auto planned = [&] {
    Config config;
    config.experiments.push_back(
        {"", "reduce", {"harris3"}, {{"n", {1000}}, {"type", {"i32"}}, {"operator", {"sum"}}}});
    return make_plan(config, {gpu, host_}).cells.at(0).cases.at(0);
  };
  gpu.free_ = 4000 + 4 + 512 + 3'000'000 + 268'435'456;
  EXPECT_EQ(planned().refusal, "");
  EXPECT_EQ(planned().device_bytes(), 4516u);
  const std::size_t of_host =
      4004 + std::size_t(planned().sizes.m) * planned().input.pair->oracle->state_bytes;
  host_.free_ = of_host;
  EXPECT_EQ(planned().refusal, "");
  --host_.free_;
  EXPECT_EQ(planned().refusal,
            fmt::format("needs {} bytes of the host's memory, which has {} free", of_host, of_host - 1));
  --gpu.free_;
  EXPECT_EQ(planned().refusal, "needs 271439972 bytes, fake has 271439971 free");
}

// A modelled device or a CPU may not say what it can.
TEST_F(PlanMemory, ACapabilityThatIsNotKnownIsHeldAgainstNoCard) {
  const auto refusal = [&](int capability) {
    kernels_.facts_to_change().capability = capability;
    return planned("reduce", "shuffle_two_pass", "sum", {{"n", {1000}}}).refusal;
  };
  EXPECT_EQ(refusal(0), "");
  EXPECT_EQ(refusal(30), "");
  EXPECT_EQ(refusal(29), "needs compute capability 3.0, gtx480 has 2.9");
}

// 1024 roundings of f16, each of 2^-11, may come to k u / (1 - k u), all of the answer; without a chain there
// are as many as terms but one.
TEST_F(PlanMemory, RoundingsInARowAreTheChainsOrOfAllTerms) {
  static Index chain = 0;
  Changed harris3("reduce/harris3");
  for (Instance& instance : harris3.instances(Target::simt))
    instance.run = [](Queue& queue, const Operands&) {
      if (chain > 0) queue.chain(chain);
    };
  const auto refusal = [&](Index n, Index of_chain, const char* op = "sum") {
    chain = of_chain;
    Config config;
    config.experiments.push_back(
        {"", "reduce", {"harris3"}, {{"n", {n}}, {"type", {"f16"}}, {"operator", {op}}}});
    return make_plan(config, {kernels_, host_}).cells.at(0).cases.at(0).refusal;
  };
  const std::string lost =
      " times in a row in f16, which may lose the whole answer: no result could be checked";
  EXPECT_EQ(refusal(1024, 0), "");
  EXPECT_EQ(refusal(1025, 0), "rounds 1024" + lost + " (no shorter chain is stated with Queue::chain)");
  EXPECT_EQ(refusal(1025, 1), "");
  EXPECT_EQ(refusal(9000, 1023), "");
  EXPECT_EQ(refusal(9000, 1024), "rounds 1024" + lost);
  EXPECT_EQ(refusal(3000, 5000), "rounds 2999" + lost) << "it has no more terms";
  EXPECT_EQ(refusal(9000, 0, "max"), "");
}

TEST_F(PlanMemory, WhatTheDeviceCannotTellIsARefusal) {
  kernels_.broken_ = "no such kernel";
  EXPECT_EQ(planned("reduce", "harris3", "sum", {{"n", {1000}}}).refusal, "no such kernel");
}

TEST_F(PlanMemory, AProgramWithoutKernelsForAGpuSaysSo) {
  Told gpu(Target::cuda);
  if (find_variant("reduce/harris3")->built_for(Target::cuda)) GTEST_SKIP() << "this one has them";
  Config config;
  config.experiments.push_back(
      {"", "reduce", {"harris3"}, {{"n", {9}}, {"type", {"i32"}}, {"operator", {"sum"}}}});
  const Case one = make_plan(config, {gpu, host_}).cells.at(0).cases.at(0);
  EXPECT_EQ(one.refusal, "is not built for cuda");
  EXPECT_EQ(one.instance, nullptr);
}

// In a worker process, or for a run to go on with: the user was told when the plan was made.
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
  const Plan told = told_plan(config, {kernels_, host_});
  ASSERT_EQ(told.cases(), 1u);
  EXPECT_EQ(told.cells[0].cases[0].refusal, why);
  EXPECT_EQ(told.runnable(), 0u);
  EXPECT_EQ(usage_error([&] { make_plan(config, {kernels_, host_}); }),
            "x.json: reduce n=6 type=i32 operator=sum: " + why);
}

// 40 registers for each of 256 threads: three such blocks fit the 32768 of a multiprocessor.
TEST(QueueOnFakes, ACardsRegistersAreForDevicesThatDoNotKnowThem) {
  Told device(Target::simt);
  const Parameters none;
  const auto described = [&](int assumed) {
    Footprint footprint;
    CaseQueue queue(device, none, footprint);
    if (assumed) queue.assume_registers(assumed);
    const KernelCall call{nullptr, nullptr, nullptr, {.blocks = 2, .threads = 256}};
    queue.submit(call);
    EXPECT_EQ(queue.resident_blocks(call), footprint.launches.at(0).resident_blocks);
    return std::pair(footprint.launches.at(0).resident_blocks, footprint.launches.at(0).limiter);
  };
  EXPECT_EQ(described(40), std::pair(3, std::string("registers")));
  EXPECT_EQ(described(0), std::pair(8, std::string()));
  EXPECT_EQ(described(1), std::pair(6, std::string("warps")));
  device.registers_ = 1;
  EXPECT_EQ(described(40), std::pair(8, std::string())) << "it knows them";
  device.registers_ = 0;
  for (const auto& [threads, resident] : {std::pair(1024, 1), {256, 0}}) {
    // 1024 threads of 32 registers are all that there are; of 256 threads no more than 128 each.
    Footprint footprint;
    CaseQueue queue(device, none, footprint);
    queue.assume_registers(resident ? 32 : 129);
    const KernelCall call{nullptr, nullptr, nullptr, {.blocks = 2, .threads = threads}};
    queue.submit(call);
    EXPECT_EQ(footprint.launches.at(0).resident_blocks, resident);
    EXPECT_EQ(queue.resident_blocks(call), 1) << "`run` may divide by it";
  }
}

// On the modelled device what was asked for so far counts as written by the step; on others it is left alone.
TEST(QueueOnFakes, AStepOfTheHostWritesTheScratchThatWasAskedFor) {
  const Parameters none;
  for (const Target target : {Target::simt, Target::host, Target::cuda}) {
    Told device(target);
    int finished = 0, steps = 0;
    device.finished_ = [&] { ++finished; };
    Footprint planned;
    char memory[3];
    const std::vector<void*> scratch{&memory[0], &memory[1], &memory[2]};
    const auto run = [&](Queue& queue) {
      queue.scratch<int>(10);
      queue.scratch<char>(7);
      queue.on_host([&] { ++steps; });
      queue.scratch<int>(5);
    };
    CaseQueue planning(device, none, planned);
    run(planning);
    EXPECT_THAT(planned.scratch, ElementsAre(40, 7, 20));
    EXPECT_EQ(steps, 0);
    EXPECT_EQ(finished, 0);
    CaseQueue queue(device, none, planned, scratch);
    run(queue);
    EXPECT_EQ(steps, 1);
    EXPECT_EQ(finished, target == Target::host ? 0 : 1);
    if (target == Target::simt)
      EXPECT_THAT(device.uploads_, ElementsAre(std::tuple(scratch[0], scratch[0], 40u),
                                               std::tuple(scratch[1], scratch[1], 7u)));
    else EXPECT_TRUE(device.uploads_.empty());
    EXPECT_EQ(message_of<DeviceError>([&] { queue.scratch<int>(1); }), "asked for more scratch than planned");
  }
}

}  // namespace
}  // namespace redbench
