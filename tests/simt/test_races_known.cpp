// What a block of tests/simt/races.cu knows of others, and what it does not.
#include "src/simt/happens_before.hpp"
#include "tests/simt/race_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

// Blocks 1 and 2 run one after the other on one OS thread: what block 1 has come to know block 2 has to come
// to by itself.
TEST(GlobalRaces, ABlockForgetsWhatTheOneBeforeItKnew) {
  const Grid grid{.blocks = 3, .threads = 1};
  EXPECT_EQ(report_of("race_uncounted", grid, {0}), "");
  EXPECT_EQ(
      report_of("race_uncounted", grid, {1}),
      "kernel race_uncounted, block 2, thread 0 (" + at("reads the first one's word") +
          "): race in global memory: reads 4 bytes at byte 0 of a buffer of 256 bytes of global memory, "
          "which thread 0 of block 0 wrote at " +
          at("the first leaves a word") + ", with no grid_sync and no memory fence with an atomic between");
}

// A volatile read may meet an atomic, but no plain write of its own block.
TEST(GlobalRaces, AVolatileReadRacesWithAPlainWrite) {
  EXPECT_EQ(report_of("race_volatile_read", {.threads = 2}, {0}), "");
  EXPECT_EQ(
      report_of("race_volatile_read", {.threads = 2}, {1}),
      "kernel race_volatile_read, block 0, thread 1 (" + at("a volatile look at it") +
          "): race in global memory: reads 4 bytes at byte 0 of a buffer of 256 bytes of global memory, "
          "which thread 0 wrote at " +
          at("a plain word") + ", with no barrier between");
}

// A struct that is copied as a range of bytes is no volatile one, of which any may win.
TEST(Races, CopiesOfAStructRace) {
  EXPECT_EQ(report_of("race_structs", {.threads = 32}, {0, 5, 7}), "");
  EXPECT_EQ(report_of("race_structs", {.threads = 32}, {1, 5, 7}),
            "kernel race_structs, block 0, thread 1 (" + at("a struct") +
                "): race in shared memory: writes 8 bytes at byte 4 of s, which thread 0 wrote at " +
                at("a struct") + ", with no barrier between");
}

// Both launches have their buffers at the same place. What block 0 let others know in the first orders
// nothing in the second.
TEST(GlobalRaces, WhatOneLaunchLetBlocksKnowTheNextDoesNot) {
  const Grid grid{.blocks = 3, .threads = 2};
  const std::unique_ptr<Device> device = watched();
  EXPECT_EQ(run_kernel(*device, "race_flags", grid, {0}, 64)[1], 7);
  const std::string error =
      message_of<DeviceError>([&] { run_kernel(*device, "race_flags", grid, {1}, 64); });
  const std::string reads = at("the third reads"), writes = at("the first writes");
  EXPECT_TRUE(has(error, {"kernel race_flags, block 2, thread 0", reads.c_str(), "thread 0 of block 0 wrote",
                          writes.c_str()}));
}

// The example of src/simt/happens_before.hpp.
TEST(ThreadClocks, GoUpAsAWarpMeets) {
  simt::ThreadClocks clocks;
  clocks.start_block(32);
  EXPECT_EQ(clocks.clock_of(0), 1u);
  EXPECT_FALSE(clocks.knows(1, 0, 1));
  clocks.join(0, 0b11);
  EXPECT_EQ(clocks.clock_of(0), 2u);
  EXPECT_TRUE(clocks.knows(1, 0, 1));
  EXPECT_FALSE(clocks.knows(0, 1, 2));
}

// Thread 0 has heard of thread 32 at a named barrier, and tells thread 1 by a __syncwarp.
TEST(ThreadClocks, AWarpHearsWhatOneOfItsLanesKnowsOfAnotherWarp) {
  simt::ThreadClocks clocks;
  clocks.start_block(64);
  simt::Thread first;
  simt::Thread* const waited[] = {&first};
  clocks.release(32, 1);
  clocks.acquire(1, waited);
  EXPECT_TRUE(clocks.knows(0, 32, 1));
  EXPECT_FALSE(clocks.knows(1, 32, 1));
  clocks.join(0, 0b11);
  EXPECT_TRUE(clocks.knows(1, 32, 1));
  EXPECT_FALSE(clocks.knows(2, 32, 1)) << "no part of it";
  EXPECT_FALSE(clocks.knows(1, 32, 2)) << "done after the barrier";
}

}  // namespace
}  // namespace redbench
