// What doctor says of machines that are not here.
#include <gmock/gmock.h>

#include "src/device/architectures.hpp"
#include "src/device/gpu_diagnosis.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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

/// The one finding that is not fine, as doctor prints it: nothing comes after it.
std::string complaint(const GpuSurvey& survey) {
  const std::vector<Finding> findings = judge_gpus(survey);
  std::size_t bad = 0;
  for (const Finding& finding : findings) {
    bad += !finding.ok;
    EXPECT_NE(finding.what, "");
    EXPECT_NE(finding.text, "");
    EXPECT_EQ(finding.remedy.empty(), finding.ok) << finding.what;
  }
  EXPECT_LE(bad, 1u);
  const Finding& last = findings.back();
  return last.ok ? "" : last.what + ": " + last.text + ": " + last.remedy;
}

/// Every finding, as doctor prints those that are fine.
std::vector<std::string> lines(const GpuSurvey& survey) {
  std::vector<std::string> all;
  for (const Finding& finding : judge_gpus(survey)) all.push_back(finding.what + ": " + finding.text);
  return all;
}

TEST(GpuDiagnosis, AMachineWhereAllIsThere) {
  EXPECT_THAT(lines(working()),
              ElementsAre("CUDA: toolkit 13.0.88 for sm_90", "GPU: /dev/nvidia0; NVRM version: 580.65",
                          "GPU driver: serves CUDA 13.0", "cuda:0: NVIDIA H100"));
  EXPECT_EQ(complaint(working()), "");
  GpuSurvey other = working();
  other.nodes = {"/dev/nvidia0", "/dev/nvidia1"};
  other.driver.clear();
  other.runtime_cuda = 13020;
  EXPECT_THAT(lines(other),
              ElementsAre("CUDA: toolkit 13.0.88 for sm_90", "GPU: /dev/nvidia0, /dev/nvidia1",
                          "GPU driver: serves CUDA 13.0, redbench has 13.2: machine code runs, PTX does not",
                          "cuda:0: NVIDIA H100"));
  other.driver_cuda = 13030;
  EXPECT_EQ(lines(other).at(2), "GPU driver: serves CUDA 13.3");
}

TEST(GpuDiagnosis, WithoutCudaInTheBuild) {
  GpuSurvey survey = working();
  survey.built_in = false;
  EXPECT_THAT(judge_gpus(survey)[0].remedy, HasSubstr("https://developer.nvidia.com/cuda-downloads"));
  survey.nvcc = "/opt/cuda/bin/nvcc";
  EXPECT_THAT(judge_gpus(survey)[0].remedy,
              testing::AllOf(HasSubstr("make CUDA=ON"), HasSubstr(survey.nvcc)));
  EXPECT_EQ(judge_gpus(survey).size(), 2u);  // and the machine's GPU, which is there
}

TEST(GpuDiagnosis, EachStepOfTheMachine) {
  GpuSurvey survey = working();
  survey.closed = survey.nodes;
  EXPECT_THAT(complaint(survey), HasSubstr("/dev/nvidia0 may not be opened by this user: join the group"));
  survey.nodes.clear();
  survey.closed.clear();
  EXPECT_THAT(complaint(survey), HasSubstr("there is no /dev/nvidia0: nvidia-modprobe"));
  survey.driver.clear();
  EXPECT_THAT(complaint(survey), HasSubstr("of 1 NVIDIA GPU on the PCI bus no driver is loaded: install"));
  survey.on_bus = 0;
  EXPECT_THAT(complaint(survey), HasSubstr("no NVIDIA GPU is on the PCI bus"));
}

TEST(GpuDiagnosis, TheDriverAgainstTheRuntime) {
  GpuSurvey survey = working();
  survey.driver_cuda = 0;
  EXPECT_THAT(complaint(survey), HasSubstr("libcuda.so.1 is not found"));
  survey.driver_cuda = 12080;
  EXPECT_THAT(complaint(survey), HasSubstr("serves CUDA 12.8, redbench is built with 13.0: install a newer"));
  survey.driver_cuda = 13000;
  survey.runtime_cuda = 13020;  // of the same major version: machine code runs
  EXPECT_EQ(complaint(survey), "");
  survey.architectures = "80-virtual";
  EXPECT_THAT(complaint(survey), HasSubstr("built for compute_80, which does not run there"));
  survey.driver_cuda = survey.runtime_cuda;
  EXPECT_EQ(complaint(survey), "");
}

TEST(GpuDiagnosis, EachGpuOnItsOwn) {
  GpuSurvey survey = working();
  survey.gpus.clear();
  survey.error = "no CUDA-capable device is detected";
  EXPECT_THAT(complaint(survey), HasSubstr("sees none: no CUDA-capable device is detected: "));
  survey.gpus = {{"cuda:0", "NVIDIA H100", 90, "", ""}, {"cuda:1", "NVIDIA A100", 80, "", ""}};
  EXPECT_THAT(complaint(survey),
              HasSubstr("cuda:1: NVIDIA A100; redbench is built for sm_90, which does not run "
                        "there: build it by make CUDA=ON CMAKE_FLAGS=-DCMAKE_CUDA_ARCHITECTURES=80"));
  survey.gpus[1] = {"cuda:1", "", 0, "out of memory", ""};
  EXPECT_THAT(complaint(survey), HasSubstr("cuda:1: cannot be opened: out of memory: nvidia-smi"));
  survey.gpus[1] = {"cuda:1", "NVIDIA H100", 90, "", "NVML does not start"};
  EXPECT_THAT(complaint(survey),
              HasSubstr("NVML: no clocks, temperature or energy of cuda:1: NVML does not start"));
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
  root.write("proc/driver/nvidia/version", "NVRM version: 580.65\nGCC version: 12\n");
  for (const char* node : {"nvidia3", "nvidia0", "nvidia6", "nvidiactl", "nvidia2", "nvidia10", "nvidia-uvm",
                           "nvidia4", "null", "nvidia1", "nvidia", "nvidia5"})
    root.write(std::string("dev/") + node, "");
  GpuSurvey survey;
  survey_machine(survey, root.path());
  EXPECT_EQ(survey.on_bus, 1);
  EXPECT_EQ(survey.driver, "NVRM version: 580.65");
  std::vector<std::string> nodes;
  for (const char* number : {"0", "1", "10", "2", "3", "4", "5", "6"})
    nodes.push_back(root.path() + "/dev/nvidia" + number);
  EXPECT_EQ(survey.nodes, nodes) << "in order, whatever that of the folder is";
  EXPECT_THAT(survey.closed, IsEmpty());
}

TEST(Architectures, WhatRunsWhere) {
  const auto code = [](const char* built, int capability) { return device_code(built, capability); };
  EXPECT_EQ(code("90", 90), DeviceCode::machine);
  EXPECT_EQ(code("90", 80), DeviceCode::none);
  EXPECT_EQ(code("90", 100), DeviceCode::ptx);
  EXPECT_EQ(code("80", 86), DeviceCode::machine);
  EXPECT_EQ(code("86", 80), DeviceCode::none);
  EXPECT_EQ(code("90-real", 100), DeviceCode::none);
  EXPECT_EQ(code("90-virtual", 90), DeviceCode::ptx);
  EXPECT_EQ(code("90a", 90), DeviceCode::machine);
  EXPECT_EQ(code("90a", 100), DeviceCode::none);
  EXPECT_EQ(code("100f", 103), DeviceCode::machine);
  EXPECT_EQ(code("100f", 120), DeviceCode::none);
  EXPECT_EQ(code("90-real;80-virtual", 90), DeviceCode::machine);
  EXPECT_EQ(code("90-real;80-virtual", 86), DeviceCode::ptx);
  EXPECT_EQ(code("all-major", 75), DeviceCode::machine);
  EXPECT_EQ(code("", 90), DeviceCode::none);
}

TEST(Architectures, ByTheirNames) {
  EXPECT_EQ(architecture_names("80;90-real;100-virtual"), "sm_80, sm_90, compute_100");
  EXPECT_EQ(architecture_names("all-major"), "all-major");
}

}  // namespace
}  // namespace redbench
