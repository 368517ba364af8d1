// Diagnoses why this program cannot use an NVIDIA GPU. A survey collects the facts of build and machine, and
// is judged afterwards, so that tests can judge made-up machines.
#pragma once

#include <string>
#include <vector>

namespace redbench {

struct GpuSurvey {
  // Of the build.
  bool built_in = false;      // with CUDA; the next two are set only then
  std::string toolkit;        // "13.0.88"
  std::string architectures;  // as CMAKE_CUDA_ARCHITECTURES has them
  std::string nvcc;           // its path on this machine; empty where there is none

  // Of the machine.
  int on_bus = 0;                   // NVIDIA's GPUs on the PCI bus
  std::string driver;               // version line of the kernel module; empty where it is not loaded
  std::vector<std::string> nodes;   // "/dev/nvidia0", or "/dev/dxg" under Windows
  std::vector<std::string> closed;  // those that this user may not open

  // Of the CUDA runtime, where it is built in. Versions are major * 1000 + minor * 10.
  int driver_cuda = 0;   // the newest that the driver supports; 0: no driver library
  int runtime_cuda = 0;  // the one that the program is linked with
  std::string error;     // why the runtime sees no GPU
  struct Gpu {
    std::string name;         // "cuda:0"
    std::string description;  // what it is
    int capability = 0;       // major * 10 + minor
    std::string error;        // why it cannot be opened; empty where it can
    std::string no_nvml;      // why NVML cannot read it; empty where it can
    std::string board;        // what NVML tells of it and of who else is there; empty where it tells nothing
  };
  std::vector<Gpu> gpus;
};

/// Fills in the part of the machine from the system's files below `root`: "/", or a test's folder.
void survey_machine(GpuSurvey& survey, const std::string& root = "/");

struct Finding {
  bool ok = true;
  std::string what;    // "GPU driver"
  std::string text;    // what was found, or what is missing and what that costs
  std::string remedy;  // how to get it; empty where `ok`
};

/// A finding for each step from the build to a GPU that runs kernels, up to the first one that fails.
std::vector<Finding> judge_gpus(const GpuSurvey& survey);

enum class DeviceCode {
  none,     // does not run there
  ptx,      // runs after just-in-time compilation by the driver
  machine,  // runs as it is
};

/// The code that a build for `architectures`, written as CMAKE_CUDA_ARCHITECTURES ("80;90-real;100a"), has
/// for a GPU of a compute capability (major * 10 + minor). Rules: CUDA C++ Programming Guide, "Binary
/// Compatibility", "PTX Compatibility", "Family-Specific Features".
DeviceCode device_code(const std::string& architectures, int capability);

/// "sm_80, sm_90"; "compute_80" where there is PTX alone.
std::string architecture_names(const std::string& architectures);

}  // namespace redbench
