// What orders accesses of several modelled GPUs, which share a range of addresses and its shadow.
#include <gtest/gtest.h>

#include "src/simt/block_shadow.hpp"

namespace redbench::simt {
namespace {

constexpr const char* ordered = "";

/// Thread 0 of block 0 of each GPU: what it does at clock 1, in order.
class GpusShadow : public testing::Test {
 protected:
  struct Gpu {
    BlockStamp stamp;
    KnownReleases known;
  };
  GpusShadow() {
    shadow_.start_launch();
    for (unsigned gpu = 0; gpu < 2; ++gpu) launch(gpu);
  }
  void launch(unsigned gpu) {
    of_[gpu].stamp = {
        .phase = 0, .clock = 1, .thread = 0, .gpu = gpu & 7, .launch = shadow_.start_launch(gpu) & 511};
    of_[gpu].known = shadow_.releases().handed_on(gpu);
  }
  void end(unsigned gpu) { shadow_.releases().hand_on(gpu, of_[gpu].known); }

  std::string enter(unsigned gpu, AccessKind kind, bool in_system = false) {
    of_[gpu].stamp.in_system = in_system;
    const Access access{.kind = kind, .bytes = 4, .address = word_, .where = word_, .in_system = in_system};
    const auto found = shadow_.enter({0u, 0u, of_[gpu].stamp, of_[gpu].known}, access);
    return found ? "races with GPU " + std::to_string(found->gpu) : ordered;
  }
  std::string write(unsigned gpu) { return enter(gpu, AccessKind::write); }
  std::string read(unsigned gpu) { return enter(gpu, AccessKind::read); }
  /// All that the thread did and knows.
  void release(unsigned gpu, bool in_system) {
    Release release{of_[gpu].stamp, {}};
    release.known[0] = of_[gpu].stamp.clock;
    const BlockName block = name_of(0, of_[gpu].stamp);
    of_[gpu].known[block] = shadow_.releases().add(block, release);
    shadow_.releases().publish(flag_, of_[gpu].known, gpu, in_system);
    of_[gpu].stamp.clock = of_[gpu].stamp.clock + 1;
  }
  void acquire(unsigned gpu) { shadow_.releases().acquire(flag_, of_[gpu].known, gpu); }

  static inline const char word_[4] = {}, flag_[4] = {};
  BlockShadow shadow_;
  Gpu of_[2];
};

TEST_F(GpusShadow, AReleaseOfSystemScopeAloneOrdersTwo) {
  EXPECT_EQ(write(0), ordered);
  EXPECT_EQ(read(1), "races with GPU 0") << "block 0 of the other";
  release(0, false);
  acquire(1);
  EXPECT_EQ(read(1), "races with GPU 0") << "a fence of the device";
  release(0, true);
  EXPECT_EQ(read(1), "races with GPU 0") << "nobody has acquired it";
  acquire(1);
  EXPECT_EQ(read(1), ordered);
  EXPECT_EQ(write(0), "races with GPU 1") << "the reader has released nothing";
}

// The bug: that the second launch of a GPU stores a flag is no news of what its first one did, or the next launch has
// forgotten what the one before learnt.
TEST_F(GpusShadow, LaunchesOfOneFollowEachOther) {
  EXPECT_EQ(write(0), ordered);
  end(0);
  launch(0);
  EXPECT_EQ(read(0), ordered);
  release(0, true);
  acquire(1);
  end(1);
  launch(1);
  EXPECT_EQ(read(1), ordered);
}

TEST_F(GpusShadow, WhatAGridHasMetSinceIsReleasedByAnyBlock) {
  EXPECT_EQ(write(0), ordered);
  of_[0].stamp.grid = 1;
  const Release release{{.thread = 9, .gpu = 0, .launch = of_[0].stamp.launch, .grid = 1}, {}};
  const BlockName other = name_of(5, release.at);
  shadow_.releases().publish(flag_, {{other, shadow_.releases().add(other, release)}}, 0, true);
  acquire(1);
  EXPECT_EQ(read(1), ordered);
}

TEST_F(GpusShadow, AtomicsOfTwoMeetInSystemScopeAlone) {
  for (const bool first : {false, true})
    for (const bool second : {false, true}) {
      shadow_.start_launch();
      EXPECT_EQ(enter(0, AccessKind::atomic, first), ordered);
      EXPECT_EQ(enter(1, AccessKind::atomic, second), first && second ? ordered : "races with GPU 0");
    }
}

TEST_F(GpusShadow, OrdersAllOnceTheyHaveMet) {
  EXPECT_EQ(write(0), ordered);
  shadow_.start_launch();
  EXPECT_EQ(write(1), ordered);
}

}  // namespace
}  // namespace redbench::simt
