// Devices by the name that a user writes, and what the host says of itself.
#include <gtest/gtest.h>

#include "src/device/device.hpp"
#include "src/measure/stopwatch.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

std::string refusal(const std::string& name) {
  return usage_error([&] { open_device(name); });
}

TEST(OpenDevice, ByName) {
  EXPECT_EQ(open_device("host")->name(), "host");
  EXPECT_EQ(open_device("simt:gtx480")->name(), "simt:gtx480");
  EXPECT_EQ(open_device("simt")->target(), Target::simt);
  EXPECT_EQ(open_device("auto")->target(), cuda_device_count() > 0 ? Target::cuda : Target::simt);
}

TEST(OpenDevice, AnUnknownNameHasItsNearestMatch) {
  EXPECT_NE(refusal("hsot").find("did you mean `host`?"), std::string::npos) << refusal("hsot");
  EXPECT_NE(refusal("simt:gtx48O").find("gtx480"), std::string::npos) << refusal("simt:gtx48O");
  for (const char* name : {"", "host:1", "auto:0", "Cuda"}) EXPECT_NE(refusal(name), "") << name;
}

TEST(OpenDevice, AGpuThatIsNotThereIsRefusedWithTheReason) {
  for (const char* name : {"cuda:99", "cuda:", "cuda:x", "cuda:-1", "cuda:1x"})
    EXPECT_NE(refusal(name).find(std::string("`") + name + "`"), std::string::npos) << refusal(name);
}

TEST(Host, TellsItsLimits) {
  const std::unique_ptr<Device> host = make_host();
  EXPECT_GE(host->facts().multiprocessors, 1);
  EXPECT_GE(host->facts().l2_bytes, std::size_t(1) << 18);
  EXPECT_GT(host->facts().memory_bytes, host->facts().l2_bytes);
  EXPECT_GT(host->free_bytes(), 0u);
}

TEST(Host, TellsALibraryCallToWhoeverListens) {
  const std::unique_ptr<Device> host = make_host();
  const auto call = [](void*, std::size_t&, void*) { return 0; };
  int launches = 0;
  host->execute_library(call, nullptr, 0);
  host->listen([&] { ++launches; });
  host->execute_library(call, nullptr, 0);
  EXPECT_EQ(launches, 1);
  host->listen({});
  host->execute_library(call, nullptr, 0);
  EXPECT_EQ(launches, 1);
}

TEST(Host, TimesWhatItIsGiven) {
  const std::unique_ptr<Device> host = make_host();
  const std::unique_ptr<Stopwatch> stopwatch = make_stopwatch(*host);
  int runs = 0;
  EXPECT_GT(stopwatch->sample(Mode::cold, false, [&] { ++runs; }), 0);
  EXPECT_EQ(runs, 1);
  stopwatch->sample(Mode::warm, false, [&] { ++runs; });
  EXPECT_EQ(runs, 3) << "warm runs the work once before";
}

}  // namespace
}  // namespace redbench
