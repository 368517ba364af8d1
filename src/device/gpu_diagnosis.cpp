#include "src/device/gpu_diagnosis.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "src/text/counted.hpp"
#include "src/text/first_line.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    found.push_back(entry->path());
  std::sort(found.begin(), found.end());
  return found;
}

bool is_gpu_node(const std::string& name) {
  const std::string_view number = std::string_view(name).substr(name.starts_with("nvidia") ? 6 : name.size());
  return name == "dxg" || (!number.empty() && std::all_of(number.begin(), number.end(),
                                                          [](unsigned char c) { return std::isdigit(c); }));
}

/// An entry such as "100f-virtual". Without suffix it has machine code and PTX; `real` leaves PTX out,
/// `virtual` machine code.
struct Architecture {
  std::string name;  // "100f"
  int capability;    // 100; 0 for "all", "all-major" and "native"
  bool machine, ptx;
};

std::vector<Architecture> parse(const std::string& architectures) {
  std::vector<Architecture> parsed;
  std::istringstream list(architectures);
  for (std::string entry; std::getline(list, entry, ';');) {
    const std::size_t dash = entry.rfind('-');
    const std::string kind = dash == entry.npos ? "" : entry.substr(dash + 1);
    const bool machine = kind != "virtual", ptx = kind != "real";
    const std::string name = machine && ptx ? entry : entry.substr(0, dash);
    parsed.push_back({name, std::atoi(name.c_str()), machine, ptx});
  }
  return parsed;
}

DeviceCode code_of(const Architecture& built, int capability) {
  const bool family = built.capability / 10 == capability / 10 && built.capability <= capability;
  if (built.capability == 0)
    return DeviceCode::machine;  // for every GPU, or for those of the building machine
  if (built.name.ends_with('a') ? built.capability != capability : built.name.ends_with('f') && !family)
    return DeviceCode::none;
  if (built.machine && family) return DeviceCode::machine;
  return built.ptx && built.capability <= capability ? DeviceCode::ptx : DeviceCode::none;
}

std::string cuda_version(int number) { return fmt::format("{}.{}", number / 1000, number % 1000 / 10); }

Finding found(std::string what, std::string text) { return {true, std::move(what), std::move(text), {}}; }
Finding missing(std::string what, std::string cost, std::string remedy) {
  return {false, std::move(what), std::move(cost), std::move(remedy)};
}

Finding judge_build(const GpuSurvey& survey) {
  if (survey.built_in)
    return found("CUDA",
                 fmt::format("toolkit {} for {}", survey.toolkit, architecture_names(survey.architectures)));
  return missing("CUDA", "not built in, so no times from a GPU",
                 survey.nvcc.empty()
                     ? "install NVIDIA's CUDA toolkit, 12 or later "
                       "(https://developer.nvidia.com/cuda-downloads), then build redbench by make CUDA=ON"
                     : "in redbench's source, make CUDA=ON builds it in with " + survey.nvcc);
}

Finding judge_machine(const GpuSurvey& survey) {
  constexpr const char* container = "a container is started with --gpus all (NVIDIA Container Toolkit)";
  if (!survey.closed.empty())
    return missing("GPU", fmt::format("{} may not be opened by this user", fmt::join(survey.closed, ", ")),
                   "join the group that owns it (ls -l names it), and log in again");
  if (!survey.nodes.empty())
    return found("GPU", fmt::format("{}{}{}", fmt::join(survey.nodes, ", "),
                                    survey.driver.empty() ? "" : "; ", survey.driver));
  if (!survey.driver.empty())
    return missing("GPU", "the driver is loaded, but there is no /dev/nvidia0",
                   fmt::format("nvidia-modprobe -u -c 0 makes it; {}", container));
  if (survey.on_bus > 0)
    return missing(
        "GPU driver",
        fmt::format("of {} on the PCI bus no driver is loaded", counted(survey.on_bus, "NVIDIA GPU")),
        fmt::format("install NVIDIA's driver, until nvidia-smi lists the GPU; {}", container));
  return missing(
      "GPU", "no NVIDIA GPU is on the PCI bus, so no times from a GPU",
      "simt models one, host times the CPU algorithms; scripts/bundle.sh carries a build to a machine "
      "that has one");
}

Finding judge_driver(const GpuSurvey& survey) {
  const std::string served = cuda_version(survey.driver_cuda), needed = cuda_version(survey.runtime_cuda);
  if (survey.driver_cuda == 0)
    return missing("GPU driver", "its library libcuda.so.1 is not found",
                   "install it in the driver's version (Debian: libcuda1); a container has it with "
                   "NVIDIA_DRIVER_CAPABILITIES=compute,utility");
  if (survey.driver_cuda / 1000 < survey.runtime_cuda / 1000)
    return missing("GPU driver", fmt::format("serves CUDA {}, redbench is built with {}", served, needed),
                   fmt::format("install a newer driver, or build with a toolkit of {} or earlier", served));
  return found("GPU driver",
               fmt::format("serves CUDA {}{}", served,
                           survey.driver_cuda < survey.runtime_cuda
                               ? fmt::format(", redbench has {}: machine code runs, PTX does not", needed)
                               : ""));
}

Finding judge_gpu(const GpuSurvey& survey, const GpuSurvey::Gpu& gpu) {
  if (!gpu.error.empty())
    return missing(gpu.name, "cannot be opened: " + gpu.error,
                   "nvidia-smi shows who holds it and in which mode");
  const DeviceCode code = device_code(survey.architectures, gpu.capability);
  if (code == DeviceCode::machine || (code == DeviceCode::ptx && survey.driver_cuda >= survey.runtime_cuda))
    return found(gpu.name, gpu.description);
  return missing(
      gpu.name,
      fmt::format("{}; redbench is built for {}, which does not run there", gpu.description,
                  architecture_names(survey.architectures)),
      fmt::format("build it by make CUDA=ON CMAKE_FLAGS=-DCMAKE_CUDA_ARCHITECTURES={}", gpu.capability));
}

}  // namespace

DeviceCode device_code(const std::string& architectures, int capability) {
  DeviceCode best = DeviceCode::none;
  for (const Architecture& built : parse(architectures)) best = std::max(best, code_of(built, capability));
  return best;
}

std::string architecture_names(const std::string& architectures) {
  std::string names;
  for (const Architecture& built : parse(architectures)) {
    if (!names.empty()) names += ", ";
    names += (built.capability == 0 ? "" : built.machine ? "sm_" : "compute_") + built.name;
  }
  return names;
}

void survey_machine(GpuSurvey& survey, const std::string& root) {
  const fs::path system = root;
  for (const fs::path& device : entries(system / "sys/bus/pci/devices"))
    survey.on_bus += first_line(device / "vendor") == "0x10de" &&       // NVIDIA
                     first_line(device / "class").starts_with("0x03");  // a display controller
  survey.driver = first_line(system / "proc/driver/nvidia/version");
  for (const fs::path& node : entries(system / "dev")) {
    if (!is_gpu_node(node.filename().string())) continue;
    survey.nodes.push_back(node.string());
    if (::access(node.c_str(), R_OK | W_OK) != 0) survey.closed.push_back(node.string());
  }
}

std::vector<Finding> judge_gpus(const GpuSurvey& survey) {
  std::vector<Finding> findings{judge_build(survey), judge_machine(survey)};
  if (!survey.built_in || !findings.back().ok) return findings;
  findings.push_back(judge_driver(survey));
  if (!findings.back().ok) return findings;
  if (survey.gpus.empty())
    findings.push_back(missing("GPU", "the CUDA runtime sees none: " + survey.error,
                               "nvidia-smi must list it, and CUDA_VISIBLE_DEVICES must not hide it"));
  for (const GpuSurvey::Gpu& gpu : survey.gpus) {
    findings.push_back(judge_gpu(survey, gpu));
    if (!gpu.board.empty()) findings.push_back({true, gpu.name + " board", gpu.board, ""});
    if (!gpu.no_nvml.empty())
      findings.push_back(
          missing("NVML", fmt::format("no clocks, temperature or energy of {}: {}", gpu.name, gpu.no_nvml),
                  "libnvidia-ml.so.1 comes with the driver (Debian: libnvidia-ml1); a container has it "
                  "with NVIDIA_DRIVER_CAPABILITIES=compute,utility"));
  }
  return findings;
}

}  // namespace redbench
