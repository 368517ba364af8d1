// What a plan makes of instances that a test puts in place of a variant's own: what they ask of a queue, and
// devices that this program may not be built for.
#include <gtest/gtest.h>

#include <stdexcept>

#include "src/plan/cost.hpp"
#include "src/plan/plan.hpp"
#include "src/reference/oracle.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// A device of some kind that runs nothing.
struct Told : FakeDevice {
  explicit Told(Target target) : target_(target) {}
  Target target() const override { return target_; }
  LaunchFacts describe(const KernelCall& call) const override {
    LaunchFacts launch;
    launch.grid = call.grid;
    launch.resident_blocks = resident_blocks_;
    return launch;
  }
  void of_caches(std::size_t l2_bytes) { facts_.l2_bytes = l2_bytes; }
  void of_capability(int capability) { facts_.capability = capability; }

  int resident_blocks_ = 8;

 private:
  Target target_;
};

/// For as long as it lives the variant has this one instance for the kind of device.
class Replaced {
 public:
  Replaced(const char* variant, Target target, const Instance& instance)
      : slot_(const_cast<Variant*>(find_variant(variant))->instances[std::size_t(target)]), before_(slot_) {
    slot_ = {instance};
  }
  ~Replaced() { slot_ = before_; }
  Replaced(const Replaced&) = delete;

 private:
  std::vector<Instance>& slot_;
  const std::vector<Instance> before_;
};

Case planned(Device& kernels, Device& host, const char* type, Index n) {
  Config config;
  config.experiments.push_back(
      {"", "reduce", {"harris3"}, {{"n", {n}}, {"type", {type}}, {"operator", {"sum"}}}});
  return make_plan(config, {kernels, host}).cells.at(0).cases.at(0);
}

// 4000 bytes of inputs, 4 of the result, 256 for the scratch memory; three times what the caches hold, and
// 256 MiB. The host has the inputs and the result, and what it checks with.
TEST(PlanOnAGpu, LeavesRoomForTheCachesAndTheRuntime) {
  const Replaced instance(
      "reduce/harris3", Target::cuda,
      {Type::i32, Operator::sum, [](Queue& queue, const Operands&) { queue.scratch<int>(3); }, ""});
  Told gpu(Target::cuda), host(Target::host);
  gpu.of_caches(7000);
  gpu.free_ = 4000 + 4 + 256 + 3 * 7000 + 268'435'456;
  const Case fits = planned(gpu, host, "i32", 1000);
  EXPECT_EQ(fits.refusal, "");
  EXPECT_EQ(fits.device_bytes(), 4260u);
  --gpu.free_;
  EXPECT_EQ(planned(gpu, host, "i32", 1000).refusal, "needs 268460716 bytes, fake has 268460715 free");
  ++gpu.free_;
  const std::size_t of_host =
      4000 + 4 + std::size_t(fits.sizes.m) * reduction(Type::i32, Operator::sum).oracle->state_bytes;
  host.free_ = of_host;
  EXPECT_EQ(planned(gpu, host, "i32", 1000).refusal, "");
  --host.free_;
  EXPECT_EQ(planned(gpu, host, "i32", 1000).refusal,
            fmt::format("needs {} bytes of the host's memory, which has {} free", of_host, of_host - 1));
}

// The variant asks for 3.0; a device that has no such number is not asked for one.
TEST(PlanOnAGpu, NeedsTheCapabilityOfTheCard) {
  ASSERT_EQ(find_variant("triple_reduce/one_by_one")->card.minimum_capability, 30);
  Told kernels(Target::simt), host(Target::host);
  const auto refusal = [&](int capability) {
    kernels.of_capability(capability);
    Config config;
    config.experiments.push_back(
        {"", "triple_reduce", {"one_by_one"}, {{"n", {1000}}, {"type", {"i32"}}, {"operator", {"sum"}}}});
    return make_plan(config, {kernels, host}).cells.at(0).cases.at(0).refusal.substr(0, 28);
  };
  EXPECT_EQ(refusal(29), "needs compute capability 3.0");
  for (const int enough : {0, 30, 31}) EXPECT_NE(refusal(enough), "needs compute capability 3.0") << enough;
}

Index told_chain = 0;

// k roundings of f16, u = 2^-11, may come to k u / (1 - k u): with 1024 all of the answer. n values are added
// with n - 1, one after the other where no chain is stated, else no more than the chain.
TEST(PlanOfRounding, RefusesWhatMayLoseTheWholeAnswer) {
  const Replaced instance("reduce/harris3", Target::simt,
                          {Type::f16, Operator::sum,
                           [](Queue& queue, const Operands&) {
                             if (told_chain) queue.chain(told_chain);
                           },
                           ""});
  Told kernels(Target::simt), host(Target::host);
  const auto refusal = [&](Index n, Index chain) {
    told_chain = chain;
    return planned(kernels, host, "f16", n).refusal;
  };
  const auto rounds = [](int times) {
    return fmt::format(
        "rounds {} times in a row in f16, which may lose the whole answer: no result could be checked",
        times);
  };
  const std::string unstated = " (no shorter chain is stated with Queue::chain)";
  EXPECT_EQ(refusal(1024, 0), "");
  EXPECT_EQ(refusal(1025, 0), rounds(1024) + unstated);
  EXPECT_EQ(refusal(1200, 0), rounds(1199) + unstated);
  EXPECT_EQ(refusal(4000, 1), "");
  EXPECT_EQ(refusal(4000, 1023), "");
  EXPECT_EQ(refusal(4000, 1024), rounds(1024));
  EXPECT_EQ(refusal(4000, 2000), rounds(2000));
  EXPECT_EQ(refusal(1200, 5000), rounds(1199));
  EXPECT_EQ(refusal(1024, 5000), "");
}

// `run` may divide by it, where no block fits, too: what the plan refuses then is the launch as it is.
TEST(QueueOnFakes, AMultiprocessorHoldsABlockAtLeast) {
  Told device(Target::simt);
  const Parameters none;
  for (const auto& [holds, told] : {std::pair(0, 1), {1, 1}, {2, 2}, {7, 7}}) {
    device.resident_blocks_ = holds;
    Footprint footprint;
    CaseQueue queue(device, none, footprint);
    const KernelCall call{nullptr, nullptr, nullptr, {.blocks = 2, .threads = 256}};
    EXPECT_EQ(queue.resident_blocks(call), told);
    queue.submit(call);
    EXPECT_EQ(footprint.launches.at(0).resident_blocks, holds);
  }
}

TEST(QueueOnFakes, AParameterThatTheCardLacksIsNamed) {
  Told device(Target::simt);
  const Parameters none, some{{"block", 64}, {"blocks", 7}};
  Footprint footprint;
  const CaseQueue with_none(device, none, footprint), with_some(device, some, footprint);
  EXPECT_EQ(with_some.parameter("block"), 64);
  EXPECT_EQ(with_some.parameter("blocks"), 7);
  EXPECT_EQ(message_of<std::logic_error>([&] { with_some.parameter("bloc"); }),
            "`run` asks for the parameter `bloc`, its card has `block` or `blocks`");
  EXPECT_EQ(message_of<std::logic_error>([&] { with_none.parameter("block"); }),
            "`run` asks for the parameter `block`, its card has none");
}

/// A library of which each call asks for 300 bytes, and notes with what it is called.
struct WithLibrary : Told {
  WithLibrary() : Told(Target::cuda) {}
  std::size_t library_bytes(const Queue::LibraryCall&) override { return 300; }
  void execute_library(const Queue::LibraryCall&, void* temporary, std::size_t bytes) override {
    calls_.emplace_back(temporary, bytes);
  }
  std::vector<std::pair<void*, std::size_t>> calls_;
};

// Its memory is scratch memory among the rest, each piece from a multiple of 256 bytes on.
TEST(QueueOnFakes, ALibraryGetsTheMemoryThatWasPlannedForIt) {
  WithLibrary device;
  const Parameters none;
  Footprint planned;
  char memory[3];
  const std::vector<void*> scratch{&memory[0], &memory[1], &memory[2]};
  const auto run = [&](Queue& queue) {
    queue.scratch<double>(4);
    queue.library([](void*, std::size_t&, void*) { return 0; });
    queue.scratch<char>(257);
    queue.chain(5);
  };
  CaseQueue planning(device, none, planned);
  EXPECT_FALSE(planned.library);
  run(planning);
  EXPECT_TRUE(planning.planning());
  EXPECT_TRUE(planned.library);
  EXPECT_EQ(planned.chain, 5);
  EXPECT_EQ(planned.scratch, (std::vector<std::size_t>{32, 300, 257}));
  EXPECT_EQ(planned.scratch_bytes(), 256u + 512 + 512);
  EXPECT_TRUE(device.calls_.empty());
  CaseQueue executing(device, none, planned, scratch);
  run(executing);
  EXPECT_FALSE(executing.planning());
  EXPECT_EQ(device.calls_, (std::vector<std::pair<void*, std::size_t>>{{scratch[1], 300}}));
}

TEST(RoughDuration, ChangesItsUnit) {
  struct {
    double seconds;
    const char* text;
  } const cases[] = {{0.999, "less than a second"},
                     {1, "1 s"},
                     {89.4, "89 s"},
                     {90, "2 min"},
                     {149, "2 min"},
                     {151, "3 min"},
                     {5390, "90 min"},
                     {5400, "1.5 h"},
                     {36000, "10.0 h"}};
  for (const auto& [seconds, text] : cases) EXPECT_EQ(rough_duration(seconds), text) << seconds;
}

// A name, a file by its path alone, and any other one member of text by its name; all else as JSON.
TEST(AxisText, IsShortForNamesAndPaths) {
  struct {
    const char *json, *text;
  } const cases[] = {{R"("uniform")", "uniform"},
                     {"5", "5"},
                     {"null", "null"},
                     {R"({"file": "a/x.npy"})", "a/x.npy"},
                     {R"({"owners": "y.npy"})", "owners:y.npy"},
                     {R"({"file": 7})", R"({"file":7})"},
                     {R"({"file": "x", "more": "y"})", R"({"file":"x","more":"y"})"},
                     {R"(["x"])", R"(["x"])"},
                     {R"(["x", "y"])", R"(["x","y"])"},
                     {"{}", "{}"},
                     {"[]", "[]"}};
  for (const auto& [json, text] : cases) EXPECT_EQ(axis_text(Json::parse(json)), text);
}

}  // namespace
}  // namespace redbench
