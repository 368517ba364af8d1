// What doctor says of machines that are not here.
#include <gmock/gmock.h>

#include <filesystem>

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
  device("0000:03:00.0", "0x10de\n", "0x030000\n");
  device("0000:04:00.0", "0x10de\n", "0x068000\n");  // a bridge
  device("0000:05:00.0", "0x8086\n", "0x020000\n");
  root.write("proc/driver/nvidia/version", "NVRM version: 580.65\nGCC version: 12\n");
  for (const char* node : {"nvidia3", "nvidia0", "nvidia6", "nvidiactl", "nvidia2", "nvidia10", "nvidia-uvm",
                           "nvidia4", "null", "nvidia1", "nvidia", "nvidia5"})
    root.write(std::string("dev/") + node, "");
  GpuSurvey survey;
  survey_machine(survey, root.path());
  EXPECT_EQ(survey.on_bus, 2);
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

// Each with what to do about it.
TEST(GpuDiagnosis, EveryComplaintIsWhole) {
  const auto first = [](GpuSurvey survey) {
    const Finding finding = judge_gpus(survey).at(0);
    return finding.what + ": " + finding.text + ": " + finding.remedy;
  };
  GpuSurvey survey = working();
  survey.built_in = false;
  EXPECT_EQ(first(survey),
            "CUDA: not built in, so no times from a GPU: install NVIDIA's CUDA toolkit, 12 or later "
            "(https://developer.nvidia.com/cuda-downloads), then build redbench by make CUDA=ON");
  survey.nvcc = "/opt/nvcc";
  EXPECT_EQ(first(survey),
            "CUDA: not built in, so no times from a GPU: in redbench's source, make CUDA=ON "
            "builds it in with /opt/nvcc");

  const std::string container = "a container is started with --gpus all (NVIDIA Container Toolkit)";
  survey = working();
  survey.nodes = {"/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia2"};
  survey.closed = {"/dev/nvidia0", "/dev/nvidia2"};
  EXPECT_EQ(
      complaint(survey),
      "GPU: /dev/nvidia0, /dev/nvidia2 may not be opened by this user: join the group that owns it (ls -l "
      "names it), and log in again");
  survey.nodes.clear();
  survey.closed.clear();
  EXPECT_EQ(complaint(survey),
            "GPU: the driver is loaded, but there is no /dev/nvidia0: nvidia-modprobe -u -c 0 makes it; " +
                container);
  survey.driver.clear();
  survey.on_bus = 3;
  EXPECT_EQ(complaint(survey),
            "GPU driver: of 3 NVIDIA GPUs on the PCI bus no driver is loaded: install "
            "NVIDIA's driver, until nvidia-smi lists the GPU; " +
                container);
  survey.on_bus = 1;
  EXPECT_EQ(complaint(survey),
            "GPU driver: of 1 NVIDIA GPU on the PCI bus no driver is loaded: install "
            "NVIDIA's driver, until nvidia-smi lists the GPU; " +
                container);
  survey.on_bus = 0;
  EXPECT_EQ(
      complaint(survey),
      "GPU: no NVIDIA GPU is on the PCI bus, so no times from a GPU: simt models one, host times the CPU "
      "algorithms; scripts/bundle.sh carries a build to a machine that has one");

  survey = working();
  survey.driver_cuda = 0;
  EXPECT_EQ(complaint(survey),
            "GPU driver: its library libcuda.so.1 is not found: install it in the driver's version (Debian: "
            "libcuda1); a container has it with NVIDIA_DRIVER_CAPABILITIES=compute,utility");
  survey.driver_cuda = 12080;
  survey.runtime_cuda = 13020;
  EXPECT_EQ(
      complaint(survey),
      "GPU driver: serves CUDA 12.8, redbench is built with 13.2: install a newer driver, or build with "
      "a toolkit of 12.8 or earlier");

  survey = working();
  survey.gpus.clear();
  survey.error = "none is visible";
  EXPECT_EQ(complaint(survey),
            "GPU: the CUDA runtime sees none: none is visible: nvidia-smi must list it, and "
            "CUDA_VISIBLE_DEVICES must not hide it");
  survey.gpus = {{"cuda:0", "", 0, "out of memory", ""}};
  EXPECT_EQ(complaint(survey),
            "cuda:0: cannot be opened: out of memory: nvidia-smi shows who holds it and in "
            "which mode");
  survey.gpus = {{"cuda:0", "NVIDIA A100", 80, "", ""}};
  EXPECT_EQ(complaint(survey),
            "cuda:0: NVIDIA A100; redbench is built for sm_90, which does not run there: build it by make "
            "CUDA=ON CMAKE_FLAGS=-DCMAKE_CUDA_ARCHITECTURES=80");
  survey.gpus = {{"cuda:0", "NVIDIA H100", 90, "", ""},
                 {"cuda:1", "NVIDIA H100", 90, "", "it does not start"}};
  EXPECT_EQ(
      complaint(survey),
      "NVML: no clocks, temperature or energy of cuda:1: it does not start: libnvidia-ml.so.1 comes with "
      "the driver (Debian: libnvidia-ml1); a container has it with "
      "NVIDIA_DRIVER_CAPABILITIES=compute,utility");
}

// The node of a GPU in the Windows Subsystem for Linux has no number; one that nobody may open is closed.
TEST(GpuDiagnosis, NodesAreGpusByTheirNames) {
  const TemporaryFolder root;
  for (const char* node : {"dxg", "dxgx", "nvidia", "nvidia1x", "nvidiax1", "nvidia7", "1", "snvidia1"})
    root.write(std::string("dev/") + node, "");
  std::filesystem::create_symlink("/nowhere", root.path() + "/dev/nvidia8");
  GpuSurvey survey;
  survey_machine(survey, root.path());
  const std::string dev = root.path() + "/dev/";
  EXPECT_THAT(survey.nodes, ElementsAre(dev + "dxg", dev + "nvidia7", dev + "nvidia8"));
  EXPECT_THAT(survey.closed, ElementsAre(dev + "nvidia8")) << "it leads to nothing";
}

}  // namespace
}  // namespace redbench
