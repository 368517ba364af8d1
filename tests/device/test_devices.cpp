// Devices by the name that a user writes.
#include <gtest/gtest.h>

#include "src/build_facts.hpp"
#include "src/device/devices.hpp"
#include "src/text/nearest.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

std::string refusal(const std::string& name) {
  return usage_error([&] { open_device(name); });
}

TEST(OpenDevice, ByName) {
  EXPECT_EQ(open_device("host")->name(), "host");
  EXPECT_EQ(open_device("simt:gtx480")->name(), "simt:gtx480");
  EXPECT_EQ(open_device("simt")->name(), "simt:h200");
  EXPECT_EQ(open_device("auto")->target(), cuda_device_count() > 0 ? Target::cuda : Target::simt);
  // Results lie in folders of these names.
  EXPECT_EQ(open_device("host")->slug(), "host");
  EXPECT_EQ(open_device("simt:gtx480")->slug(), "simt-gtx480");
}

// CPU algorithms run on the host whatever runs kernels; a run on the host has one device.
TEST(OpenDevice, TheHostIsBesideEveryOtherDevice) {
  OpenDevices host("host"), simt("simt:k20x");
  EXPECT_EQ(&host.devices().kernels, &host.devices().host);
  EXPECT_EQ(host.devices().host.name(), "host");
  EXPECT_EQ(simt.devices().kernels.name(), "simt:k20x");
  EXPECT_EQ(simt.devices().host.name(), "host");
}

TEST(OpenDevice, AnUnknownNameHasItsNearestMatchAndAllThatThereAre) {
  std::vector<std::string> known{"auto",        "host",      "simt",      "simt:a100",    "simt:gtx480",
                                 "simt:gtx690", "simt:h200", "simt:k20x", "simt:rtx3070", "cuda"};
  for (int gpu = 0; gpu < cuda_device_count(); ++gpu) known.push_back("cuda:" + std::to_string(gpu));
  const std::string rest = "; known are " + alternatives(known);
  EXPECT_EQ(refusal("nope"), "device `nope` is not known" + rest);
  EXPECT_EQ(refusal("hsot"), "device `hsot` is not known; did you mean `host`?" + rest);
  EXPECT_EQ(refusal("host:1"), "device `host:1` is not known; did you mean `host`?" + rest);
  EXPECT_EQ(refusal("auto:0"), "device `auto:0` is not known; did you mean `auto`?" + rest);
  for (const char* name : {"", "Cuda", "simt:gtx48O", "simt:"}) EXPECT_NE(refusal(name), "") << name;
}

TEST(OpenDevice, AGpuThatIsNotThereIsRefusedWithTheReason) {
  const bool is_built = std::string_view(build_facts.cuda_compiler) != "none";
  if (!is_built) {
    EXPECT_EQ(cuda_device_count(), 0);
  }
  for (const std::string name : {"cuda:", "cuda:x", "cuda:-1", "cuda:1x"})
    EXPECT_EQ(
        refusal(name),
        "device `" + name + "`: " +
            (is_built ? "after `cuda:` comes a device's number, as in `cuda:0`, or several: `cuda:0,2-3`, "
                        "`cuda:all`"
                      : "this redbench is built without CUDA (configure it with -DREDBENCH_CUDA=ON); "
                        "`simt` and `host` are there"));
  EXPECT_NE(refusal("cuda:99").find("device `cuda:99`: "), std::string::npos) << refusal("cuda:99");
}

TEST(Boards, ShareARunAndAreNamedAsOne) {
  EXPECT_TRUE(OpenDevices("simt:gtx480").boards.empty());
  EXPECT_NE(usage_error([] { OpenDevices nameless("simt::4"); }), "");
  const OpenDevices two("simt:gtx480:2");
  EXPECT_EQ(two.kernels->name(), "simt:gtx480");
  ASSERT_EQ(two.boards.size(), 2u);
  EXPECT_EQ(two.boards[1].number, 1);
  EXPECT_EQ(two.boards[1].name, "simt:gtx480 (2 of 2)");
}

TEST(Boards, AreRefusedWhereTheyCannotBeWhatTheirNameSays) {
  const auto refusal_of = [](const char* name) { return usage_error([&] { OpenDevices{name}; }); };
  for (const std::string count : {"0", "65", "99999999", "99999999999999999999"})
    EXPECT_EQ(refusal_of(("simt:h200:" + count).c_str()),
              "device `simt:h200:" + count + "`: 1 to 64 modelled GPUs may share a run, not " + count);
  EXPECT_EQ(refusal_of("cuda:0,0"), "device `cuda:0,0`: names cuda:0 twice");
  EXPECT_EQ(refusal_of("cuda:0-2,1"), "device `cuda:0-2,1`: names cuda:1 twice");
  for (const char* name : {"cuda:0,", "cuda:2-1", "cuda:0-", "cuda:0,9999999", "simt:none:2", "simt:h200:-1",
                           "host:2", "cuda:all:2"})
    EXPECT_NE(refusal_of(name), "") << name;
  if (cuda_device_count() == 0) {
    EXPECT_EQ(refusal_of("cuda:all").substr(0, 19), "device `cuda:all`: ");
  }
}

TEST(OpenDevice, AModelledGpuRunsNoLibrary) {
  const std::unique_ptr<Device> simt = open_device("simt");
  int calls = 0;
  const auto call = [&](void*, std::size_t&, void*) { return ++calls, 0; };
  const std::string why = "a library call has no kernel of ours that the modelled device could run";
  EXPECT_EQ(message_of<DeviceError>([&] { simt->library_bytes(call); }), why);
  EXPECT_EQ(message_of<DeviceError>([&] { simt->execute_library(call, nullptr, 0); }), why);
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace redbench
