// What doctor says of machines that are not here.
#include <gmock/gmock.h>

#include <filesystem>
#include <functional>

#include "src/device/gpu_diagnosis.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// An H100 with all that it needs.
GpuSurvey working() {
  GpuSurvey survey;
  survey.built_in = true;
  survey.toolkit = "13.0.88";
  survey.architectures = "90";
  survey.on_bus = 1;
  survey.driver = "NVRM version: 580.65";
  survey.nodes = {"/dev/nvidia0"};
  survey.driver_cuda = survey.runtime_cuda = 13000;
  survey.gpus = {{"cuda:0", "NVIDIA H100", 90, "", ""}};
  return survey;
}

// A step that fails is the last finding, but for the build and GPUs, of which each stands by itself.
TEST(GpuDiagnosis, EachStepIsFoundOrMissingWithARemedy) {
  const struct {
    const char* machine;
    std::function<void(GpuSurvey&)> change;
  } machines[] = {
      {"all is there", [](GpuSurvey&) {}},
      {"two nodes, an older driver of the same major version",
       [](GpuSurvey& s) {
         s.nodes = {"/dev/nvidia0", "/dev/nvidia1"};
         s.driver.clear();
         s.runtime_cuda = 13020;
       }},
      {"no CUDA in the build", [](GpuSurvey& s) { s.built_in = false; }},
      {"no CUDA in the build, but nvcc",
       [](GpuSurvey& s) {
         s.built_in = false;
         s.nvcc = "/opt/cuda/bin/nvcc";
       }},
      {"two closed nodes",
       [](GpuSurvey& s) {
         s.nodes = {"/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2"};
         s.closed = {"/dev/nvidia0", "/dev/nvidia2"};
       }},
      {"no node", [](GpuSurvey& s) { s.nodes.clear(); }},
      {"no driver",
       [](GpuSurvey& s) {
         s.nodes.clear();
         s.driver.clear();
         s.on_bus = 3;
       }},
      {"no GPU",
       [](GpuSurvey& s) {
         s.nodes.clear();
         s.driver.clear();
         s.on_bus = 0;
       }},
      {"no driver library", [](GpuSurvey& s) { s.driver_cuda = 0; }},
      {"an older driver of another major version", [](GpuSurvey& s) { s.driver_cuda = 12080; }},
      {"PTX alone for a driver of this version", [](GpuSurvey& s) { s.architectures = "80-virtual"; }},
      {"PTX alone for an older driver",
       [](GpuSurvey& s) {
         s.architectures = "80-virtual";
         s.runtime_cuda = 13020;
       }},
      {"the runtime sees no GPU",
       [](GpuSurvey& s) {
         s.gpus.clear();
         s.error = "no CUDA-capable device is detected";
       }},
      {"three GPUs with a fault each", [](GpuSurvey& s) {
         s.gpus = {{"cuda:0", "", 0, "out of memory", ""},
                   {"cuda:1", "NVIDIA A100", 80, "", ""},
                   {"cuda:2", "NVIDIA H100", 90, "", "NVML does not start"}};
       }}};
  std::string text;
  for (const auto& machine : machines) {
    GpuSurvey survey = working();
    machine.change(survey);
    text += std::string("# ") + machine.machine + "\n";
    for (const Finding& finding : judge_gpus(survey)) {
      EXPECT_EQ(finding.remedy.empty(), finding.ok) << machine.machine;
      text += (finding.ok ? "fine     " : "missing  ") + finding.what + ": " + finding.text + "\n";
      if (!finding.ok) text += "         " + finding.remedy + "\n";
    }
  }
  expect_golden("device/gpu_findings.txt", text);
}

TEST(GpuDiagnosis, FindsWhatTheSystemsFilesSay) {
  const TemporaryFolder root;
  GpuSurvey none;
  survey_machine(none, root.path());
  EXPECT_EQ(none.on_bus, 0);
  EXPECT_EQ(none.driver, "");
  EXPECT_THAT(none.nodes, IsEmpty());

  const auto device = [&](const std::string& address, const char* vendor, const char* device_class) {
    root.write("sys/bus/pci/devices/" + address + "/vendor", vendor);
    root.write("sys/bus/pci/devices/" + address + "/class", device_class);
  };
  device("0000:01:00.0", "0x10de\n", "0x030200\n");
  device("0000:01:00.1", "0x10de\n", "0x040300\n");  // the sound of the same card
  device("0000:02:00.0", "0x1002\n", "0x030000\n");  // another maker's
  device("0000:03:00.0", "0x10de\n", "0x030000\n");
  root.write("proc/driver/nvidia/version", "NVRM version: 580.65\nGCC version: 12\n");
  // The node of a GPU in the Windows Subsystem for Linux has no number.
  for (const char* node : {"nvidia3", "nvidiactl", "nvidia10", "nvidia-uvm", "null", "nvidia", "nvidia1x",
                           "nvidia0", "snvidia1", "1", "dxg", "dxgx"})
    root.write(std::string("dev/") + node, "");
  std::filesystem::create_symlink("/nowhere", root.path() + "/dev/nvidia8");
  GpuSurvey survey;
  survey_machine(survey, root.path());
  EXPECT_EQ(survey.on_bus, 2);
  EXPECT_EQ(survey.driver, "NVRM version: 580.65");
  const std::string dev = root.path() + "/dev/";
  EXPECT_THAT(survey.nodes,
              ElementsAre(dev + "dxg", dev + "nvidia0", dev + "nvidia10", dev + "nvidia3", dev + "nvidia8"));
  EXPECT_THAT(survey.closed, ElementsAre(dev + "nvidia8")) << "it leads to nothing";
}

// CUDA C++ Programming Guide, "Binary Compatibility" and "Family-Specific Features".
TEST(Architectures, WhatRunsWhere) {
  const auto code = [](const char* built, int capability) { return device_code(built, capability); };
  EXPECT_EQ(code("90", 90), DeviceCode::machine);
  EXPECT_EQ(code("90", 80), DeviceCode::none);
  EXPECT_EQ(code("90", 100), DeviceCode::ptx);
  EXPECT_EQ(code("80", 86), DeviceCode::machine);
  EXPECT_EQ(code("86", 80), DeviceCode::none);
  EXPECT_EQ(code("90-real", 100), DeviceCode::none);
  EXPECT_EQ(code("90-virtual", 90), DeviceCode::ptx);
  EXPECT_EQ(code("90a", 100), DeviceCode::none);
  EXPECT_EQ(code("100f", 103), DeviceCode::machine);
  EXPECT_EQ(code("100f", 120), DeviceCode::none);
  EXPECT_EQ(code("90-real;80-virtual", 86), DeviceCode::ptx);
  EXPECT_EQ(code("all-major", 75), DeviceCode::machine);
  EXPECT_EQ(code("", 90), DeviceCode::none);
  EXPECT_EQ(architecture_names("80;90-real;100-virtual;all-major"), "sm_80, sm_90, compute_100, all-major");
}

}  // namespace
}  // namespace redbench
