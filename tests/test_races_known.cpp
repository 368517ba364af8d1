// What a block of tests/simt/races.cu knows of others, and what it does not.
#include "tests/race_support.hpp"

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

}  // namespace
}  // namespace redbench
