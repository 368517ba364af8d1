// NVML as it is found on a machine: with a library in its place, with a wrong one, with none.
#include <gtest/gtest.h>

#include "src/measure/nvml.hpp"

namespace redbench {
namespace {

std::unique_ptr<Nvml> fake(const char* bus_id = "0000:01:00.0") {
  return open_nvml(bus_id, REDBENCH_FAKE_NVML);
}

TEST(Nvml, ReadsWhatTheLibrarySays) {
  const std::unique_ptr<Nvml> nvml = fake();
  ASSERT_EQ(nvml->missing(), "");
  const Nvml::Reading reading = nvml->read();
  EXPECT_EQ(reading.sm_mhz, 1755u);
  EXPECT_EQ(reading.memory_mhz, 3201u);
  EXPECT_EQ(reading.temperature_c, 41u);
  EXPECT_EQ(reading.power_mw, 650'500u);
  EXPECT_EQ(reading.throttled, 0x4u);
  EXPECT_EQ(nvml->most_sm_mhz(), 1980u);
  EXPECT_EQ(nvml->energy_mj(), 5'000'000'000'000u);
}

TEST(Nvml, ABoardThatDoesNotCountHasNoEnergy) {
  const std::unique_ptr<Nvml> nvml = fake("0000:02:00.0");
  EXPECT_EQ(nvml->missing(), "");
  EXPECT_EQ(nvml->energy_mj(), std::nullopt);
  EXPECT_EQ(nvml->most_sm_mhz(), 0u) << "it does not tell that either";
}

// It does not tell the VBIOS, MIG and the PCIe link, and fails for persistence.
TEST(Nvml, ABoardIsWhatTheLibraryTellsOfIt) {
  Json first{{"uuid", "GPU-1111"}, {"power_limit_mw", 700'000}, {"ecc", 1}, {"nvlinks", 2}, {"gpus", 2},
             {"processes", 1},     {"processes_elsewhere", 3}};
  EXPECT_EQ(fake()->board(), first);
  const Json second = fake("0000:02:00.0")->board();
  EXPECT_FALSE(second.contains("nvlinks")) << "none of its links is told of";
  EXPECT_EQ(second["processes"], 3);
  EXPECT_EQ(second["processes_elsewhere"], 1);
}

TEST(Nvml, WhatIsMissingIsSaid) {
  EXPECT_EQ(open_nvml("")->missing(), "not a GPU");
  EXPECT_EQ(open_nvml("0000:01:00.0", "libno-such.so.1")->missing(),
            "NVML (libno-such.so.1) is not on this machine");
  EXPECT_EQ(open_nvml("0000:01:00.0", "libm.so.6")->missing(),
            "NVML on this machine lacks a function that redbench needs");
  EXPECT_EQ(fake("0001:01:00.0")->missing(), "NVML does not know the GPU at 0001:01:00.0");
}

}  // namespace
}  // namespace redbench
