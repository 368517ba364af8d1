// What stands between this program and an NVIDIA GPU. First everything is found, then judged, so that a test
// can judge machines that are not there.
#pragma once

#include <string>
#include <vector>

namespace redbench {

struct GpuSurvey {
  // Of the build.
  bool built_in = false;      // the rest of this part is only there where it is
  std::string toolkit;        // "13.0.88"
  std::string architectures;  // as CMAKE_CUDA_ARCHITECTURES has them
  std::string nvcc;           // its path on this machine; empty where there is none

  // Of the machine.
  int on_bus = 0;                   // NVIDIA's GPUs on the PCI bus
  std::string driver;               // what the kernel's module says of itself; empty where it is not loaded
  std::vector<std::string> nodes;   // "/dev/nvidia0", or "/dev/dxg" under Windows
  std::vector<std::string> closed;  // those that this user may not open

  // Of the CUDA runtime, where it is built in. Versions are major * 1000 + minor * 10.
  int driver_cuda = 0;   // the newest that the driver serves; 0 where there is no driver library
  int runtime_cuda = 0;  // the one that the program is linked with
  std::string error;     // why the runtime sees no GPU
  struct Gpu {
    std::string name;         // "cuda:0"
    std::string description;  // what it is
    int capability = 0;       // major * 10 + minor
    std::string error;        // why it cannot be opened; empty where it can
    std::string no_nvml;      // why NVML tells nothing of it; empty where it does
  };
  std::vector<Gpu> gpus;
};

/// The part of the machine, from the system's files. `root` is where they are: "/", or a test's folder.
void survey_machine(GpuSurvey& survey, const std::string& root = "/");

struct Finding {
  bool ok = true;
  std::string what;    // "GPU driver"
  std::string text;    // what there is, or what its lack costs
  std::string remedy;  // how to get it; empty where it is there
};

/// A finding for each step from build to kernel, up to the one that is in the way of the next.
std::vector<Finding> judge_gpus(const GpuSurvey& survey);

}  // namespace redbench
