// The modelled GPUs and their occupancy, against figures that the papers print and NVIDIA's calculator gives.
#include "src/measure/stopwatch.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

LaunchFacts occupancy(const char* model, int threads, std::size_t shared_bytes, int registers = 0) {
  LaunchFacts launch;
  launch.grid = {.threads = threads, .shared_bytes = shared_bytes};
  model_occupancy(modelled(model)->facts(), registers, launch);
  return launch;
}

TEST(SimtModels, OccupancyOfMartin2012OnGtx480) {
  // Martin 2012, tables I and II.
  const std::size_t matrix = 32 * 33 * 4;
  EXPECT_EQ(occupancy("gtx480", 256, matrix).resident_blocks, 6);
  EXPECT_EQ(occupancy("gtx480", 256, matrix).limiter, "warps");
  EXPECT_DOUBLE_EQ(occupancy("gtx480", 256, matrix).occupancy, 1);
  EXPECT_EQ(occupancy("gtx480", 288, 2 * matrix).resident_blocks, 5);
  EXPECT_NEAR(occupancy("gtx480", 288, 2 * matrix).occupancy, 0.94, 0.005);
  EXPECT_EQ(occupancy("gtx480", 256, 2 * matrix).resident_blocks, 5);
  EXPECT_NEAR(occupancy("gtx480", 256, 2 * matrix).occupancy, 0.83, 0.005);
  EXPECT_EQ(occupancy("gtx480", 256, 2 * matrix).limiter, "shared memory");
  EXPECT_EQ(occupancy("gtx480", 288, 4 * matrix).resident_blocks, 2);
  EXPECT_DOUBLE_EQ(occupancy("gtx480", 288, 4 * matrix).occupancy, 0.375);  // printed as 38 %
}

TEST(SimtModels, OccupancyByBlocksRegistersAndReservedBytes) {
  EXPECT_EQ(occupancy("gtx480", 32, 0).resident_blocks, 8);
  EXPECT_EQ(occupancy("gtx480", 32, 0).limiter, "blocks");
  // 63 registers x 32 lanes = 2016, rounded to 2048: 16 warps of 32768, so 2 blocks of 8 warps.
  EXPECT_EQ(occupancy("gtx480", 256, 0, 63).resident_blocks, 2);
  EXPECT_EQ(occupancy("gtx480", 256, 0, 63).limiter, "registers");
  // a100: 167936 bytes, and each block takes 1 KiB more than it asks for: 163 KiB fits once, 16 KiB nine
  // times.
  EXPECT_EQ(occupancy("a100", 64, 163 * 1024).resident_blocks, 1);
  EXPECT_EQ(occupancy("a100", 64, 16 * 1024).resident_blocks, 9);
  EXPECT_EQ(occupancy("h200", 256, 0).resident_blocks, 8);
  EXPECT_EQ(occupancy("rtx3070", 1024, 0).resident_blocks, 1);
}

TEST(SimtModels, AllModelsLoadAndSayWhoTheyAre) {
  for (const char* model : {"gtx480", "k20x", "gtx690", "rtx3070", "a100", "h200"}) {
    auto device = modelled(model);
    EXPECT_EQ(device->name(), std::string("simt:") + model);
    EXPECT_EQ(device->slug(), std::string("simt-") + model);
    EXPECT_EQ(device->facts().name, model);
    EXPECT_EQ(device->facts().banks, 32);
    EXPECT_EQ(make_stopwatch(*device), nullptr);
  }
}

TEST(SimtModels, AnUnknownModelNamesTheNearest) {
  try {
    make_simt("gtx48", {});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_TRUE(has(error.what(), {"gtx48", "gtx480", "a100"}));
  }
}

TEST(SimtModels, TheNumberOfOsThreadsIsChecked) {
  for (const char* text : {"0", "-1", "two", "3x", "99999"}) {
    setenv("REDBENCH_SIMT_THREADS", text, 1);
    EXPECT_THROW(make_simt("gtx480", {}), UsageError) << text;
  }
  unsetenv("REDBENCH_SIMT_THREADS");
}

}  // namespace
}  // namespace redbench
