// The queue's state before a sample (src/measure/queue_slot.hpp), with times of a probe that the test makes
// up: what is launched where is counted on the GPU.
#include "src/measure/queue_slot.hpp"

#include <cstdint>
#include <functional>
#include <set>

#include "tests/gpu/gpu_test.hpp"

namespace redbench {
namespace {

#ifndef REDBENCH_WITH_CUDA

// The queue that is looked at is CUDA's own: without it there is no GPU either.
class QueueSlotOnGpu : public GpuTest {};
TEST_F(QueueSlotOnGpu, IsBuiltWithCudaAlone) {}

#else

class QueueSlotOnGpu : public GpuTest {
 protected:
  using Call = std::function<void()>;

  /// Finds the place of a queue in which the launch after `costly` costs 700 ns more; none does for -1.
  static int find(QueueSlot& slot, int costly) {
    int calls = 0;
    slot.find([&](const Call& pad, const Call& work) {
      ++calls;
      pad();
      const int place = int(launch_count() % QueueSlot::period);
      work();
      return place == costly ? 1700.0 : 1000.0;
    });
    return calls;
  }

  /// Pads, and says how many launches that took.
  static std::uint64_t padded(QueueSlot& slot) {
    const std::uint64_t before = launch_count();
    slot.pad();
    return launch_count() - before;
  }

  void launch() const { movers(device(), {.from = {{memory_, 4096}}}).front().enqueue(); }

  void SetUp() override {
    GpuTest::SetUp();
    if (!gpu().device) return;
    memory_ = device().allocate(4096);
    device().fill(memory_, 1, 4096);
  }
  void TearDown() override {
    if (memory_) device().release(memory_);
  }

  void* memory_ = nullptr;
};

TEST_F(QueueSlotOnGpu, ALaunchIsCounted) {
  const std::uint64_t before = launch_count();
  launch();
  EXPECT_EQ(launch_count(), before + 1);
}

TEST_F(QueueSlotOnGpu, AMemsetMayHaveLaunched) {
  const std::uint64_t before = uncounted_launches();
  device().fill(memory_, 1, 4096);
  EXPECT_GT(uncounted_launches(), before);
}

// The kernel that waits is the probe's first, two places before what is launched behind the pads.
TEST_F(QueueSlotOnGpu, WhatFollowsThePadsIsAtOnePlaceWhateverWentBefore) {
  for (int costly = 0; costly < QueueSlot::period; ++costly) {
    QueueSlot slot;
    find(slot, costly);
    ASSERT_TRUE(slot.cost_ns());
    EXPECT_DOUBLE_EQ(*slot.cost_ns(), 700);
    for (int others = 0; others < 2 * QueueSlot::period; ++others) {
      for (int i = 0; i < others; ++i) launch();
      const std::uint64_t pads = padded(slot);
      EXPECT_GE(pads, 8u);
      EXPECT_LE(pads, 11u);
      EXPECT_EQ(launch_count() % QueueSlot::period, std::uint64_t(costly + 2) % QueueSlot::period)
          << costly << ", " << others;
    }
  }
}

TEST_F(QueueSlotOnGpu, WithoutACostlyPlaceThePadsTakeEachInTurn) {
  QueueSlot slot;
  find(slot, -1);
  EXPECT_FALSE(slot.cost_ns());
  std::set<std::uint64_t> places;
  for (int i = 0; i < QueueSlot::period; ++i) {
    EXPECT_GE(padded(slot), 8u);
    places.insert(launch_count() % QueueSlot::period);
  }
  EXPECT_EQ(places.size(), std::size_t(QueueSlot::period));
}

// A memset of the driver's may be a launch that nobody counts.
TEST_F(QueueSlotOnGpu, ThePlaceIsSoughtAgainOnlyWhereItMayHaveMoved) {
  QueueSlot slot;
  EXPECT_EQ(find(slot, 1), 5 * QueueSlot::period);
  launch();
  EXPECT_EQ(find(slot, 2), 0);
  device().fill(memory_, 1, 4096);
  EXPECT_EQ(find(slot, 2), 5 * QueueSlot::period);
  slot.pad();
  EXPECT_EQ(launch_count() % QueueSlot::period, 0u);
}

#endif

}  // namespace
}  // namespace redbench
