// What a queue notes while it plans, and does while it executes.
#include <gmock/gmock.h>

#include <stdexcept>

#include "src/error.hpp"
#include "tests/fake_device.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

/// Has the limits of a GTX 480, runs nothing, and notes what is uploaded to it and asked of its library.
struct NotingDevice : FakeDevice {
  explicit NotingDevice(Target target) : target_(target) { facts_ = make_simt("gtx480", {})->facts(); }
  Target target() const override { return target_; }
  void upload(void* to, const void*, std::size_t bytes) override { uploads_.emplace_back(to, bytes); }
  LaunchFacts describe(const KernelCall& call) const override {
    LaunchFacts launch;
    launch.grid = call.grid;
    launch.registers = registers_;
    launch.resident_blocks = 8;
    return launch;
  }
  std::size_t library_bytes(const Queue::LibraryCall&) override {
    ++questions_;
    return 300;
  }
  void execute_library(const Queue::LibraryCall&, void* temporary, std::size_t bytes) override {
    library_calls_.emplace_back(temporary, bytes);
  }

  std::vector<std::pair<void*, std::size_t>> uploads_, library_calls_;
  int registers_ = 0, questions_ = 0;

 private:
  Target target_;
};

const Parameters no_parameters;

// 40 registers for each of 256 threads: three such blocks fit the 32768 of a multiprocessor. Of 1024 threads
// one block has all with 32 registers; no thread of 256 may have 129.
TEST(Queue, ACardsRegistersAreForDevicesThatDoNotKnowThem) {
  NotingDevice device(Target::simt);
  const auto resident = [&](int threads, int assumed) {
    Footprint footprint;
    CaseQueue queue(device, no_parameters, footprint);
    if (assumed) queue.assume_registers(assumed);
    const KernelCall call{nullptr, nullptr, nullptr, {.blocks = 2, .threads = threads}};
    queue.submit(call);
    const int blocks = footprint.launches.at(0).resident_blocks;
    EXPECT_EQ(queue.resident_blocks(call), std::max(1, blocks)) << "`run` may divide by it";
    return blocks;
  };
  EXPECT_EQ(resident(256, 40), 3);
  EXPECT_EQ(resident(256, 0), 8) << "as the device describes it";
  EXPECT_EQ(resident(256, 1), 6) << "48 warps";
  EXPECT_EQ(resident(1024, 32), 1);
  EXPECT_EQ(resident(256, 129), 0);
  device.registers_ = 1;
  EXPECT_EQ(resident(256, 40), 8) << "the device knows them";
}

TEST(Queue, AParameterThatTheCardLacksIsNamed) {
  NotingDevice device(Target::simt);
  const Parameters some{{"block", 64}, {"blocks", 7}};
  Footprint footprint;
  const CaseQueue queue(device, some, footprint);
  EXPECT_EQ(queue.parameter("blocks"), 7);
  EXPECT_EQ(message_of<std::logic_error>([&] { queue.parameter("bloc"); }),
            "it asks for the parameter `bloc`, its card has `block` or `blocks`");
}

// A library's memory is scratch memory among the rest, each piece from a multiple of 256 bytes on. A question
// costs the host time, which is a variant's own where its launches do not hide it.
TEST(Queue, ALibraryGetsTheMemoryThatWasPlannedForIt) {
  NotingDevice device(Target::cuda);
  Footprint planned;
  char memory[3];
  const std::vector<void*> scratch{&memory[0], &memory[1], &memory[2]};
  const auto run = [&](Queue& queue) {
    queue.scratch<double>(4);
    queue.library([](void*, std::size_t&, void*) { return 0; });
    queue.scratch<char>(257);
    queue.chain(5);
  };
  CaseQueue planning(device, no_parameters, planned);
  run(planning);
  EXPECT_TRUE(planning.planning());
  EXPECT_EQ(planned.library_calls, std::vector<std::size_t>{0});
  EXPECT_EQ(planned.chain, 5);
  EXPECT_THAT(planned.scratch, ElementsAre(32, 300, 257));
  EXPECT_EQ(planned.scratch_bytes(), 256u + 512 + 512);
  EXPECT_TRUE(device.library_calls_.empty());
  CaseQueue executing(device, no_parameters, planned, scratch);
  run(executing);
  EXPECT_FALSE(executing.planning());
  EXPECT_EQ(device.questions_, 1) << "an execution asks";
  EXPECT_THAT(device.library_calls_, ElementsAre(std::pair<void*, std::size_t>(scratch[1], 300)));
  EXPECT_EQ(message_of<DeviceError>([&] { executing.scratch<int>(1); }),
            "asked for more scratch than planned");
}

// On the modelled device what was asked for so far counts as written by the step; others have finished before
// it, but for the host.
TEST(Queue, AStepOfTheHostWritesTheScratchThatWasAskedFor) {
  for (const Target target : {Target::simt, Target::host, Target::cuda}) {
    NotingDevice device(target);
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
    CaseQueue planning(device, no_parameters, planned);
    run(planning);
    EXPECT_EQ(steps + finished, 0);
    CaseQueue queue(device, no_parameters, planned, scratch);
    run(queue);
    EXPECT_EQ(steps, 1);
    EXPECT_EQ(finished, target == Target::host ? 0 : 1);
    if (target == Target::simt)
      EXPECT_THAT(device.uploads_, ElementsAre(std::pair(scratch[0], 40u), std::pair(scratch[1], 7u)));
    else EXPECT_TRUE(device.uploads_.empty());
  }
}

}  // namespace
}  // namespace redbench
