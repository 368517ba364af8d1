#include "src/measure/nvml.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace redbench {
namespace {

// The part of NVML's C interface that is used here (NVML API Reference Guide): nvml.h comes with the toolkit
// only.
using NvmlDevice = void*;
using NvmlStatus = int;  // 0: success
enum NvmlClock : unsigned { clock_sm = 1, clock_memory = 2 };
constexpr int temperature_of_gpu = 0;
constexpr unsigned most_nvlinks = 18;  // NVML_NVLINK_MAX_LINKS

/// nvmlProcessInfo_t
struct NvmlProcess {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};

class LoadedNvml final : public Nvml {
 public:
  LoadedNvml(const std::string& bus_id, const std::string& library) : missing_(open(bus_id, library)) {}
  ~LoadedNvml() override {
    if (shutdown_) shutdown_();
    if (library_) dlclose(library_);
  }

  std::string missing() const override { return missing_; }

  Reading read() override {
    Reading reading;
    clock_info_(device_, clock_sm, &reading.sm_mhz);
    clock_info_(device_, clock_memory, &reading.memory_mhz);
    temperature_(device_, temperature_of_gpu, &reading.temperature_c);
    power_(device_, &reading.power_mw);
    throttled_by_(device_, &reading.throttled);
    return reading;
  }

  unsigned most_sm_mhz() override {
    unsigned most = 0;
    most_clock_info_(device_, clock_sm, &most);
    return most;
  }

  std::optional<std::uint64_t> energy_mj() override {
    unsigned long long energy = 0;
    if (!energy_ || energy_(device_, &energy) != 0) return std::nullopt;
    return energy;
  }

  Json board() override {
    Json board = Json::object();
    for (const auto& [name, function] :
         {std::pair("uuid", "nvmlDeviceGetUUID"), {"vbios", "nvmlDeviceGetVbiosVersion"}}) {
      std::array<char, 96> text{};
      if (call(function, device_, text.data(), unsigned(text.size()))) board[name] = text.data();
    }
    for (const auto& [name, function] : {std::pair("power_limit_mw", "nvmlDeviceGetPowerManagementLimit"),
                                         {"persistence", "nvmlDeviceGetPersistenceMode"},
                                         {"pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration"},
                                         {"pcie_width", "nvmlDeviceGetCurrPcieLinkWidth"}})
      if (unsigned number = 0; call(function, device_, &number)) board[name] = number;
    for (const auto& [name, function] :
         {std::pair("ecc", "nvmlDeviceGetEccMode"), {"mig", "nvmlDeviceGetMigMode"}})
      if (unsigned now = 0, after_boot = 0; call(function, device_, &now, &after_boot)) board[name] = now;
    add_nvlinks(board);
    add_neighbours(board);
    return board;
  }

 private:
  /// Calls a function of the library by its name. False where that does not have it, or where it fails.
  template <class... Arguments>
  bool call(const char* name, Arguments... arguments) {
    NvmlStatus (*function)(Arguments...) = nullptr;
    return find(function, name) && function(arguments...) == 0;
  }

  void add_nvlinks(Json& board) {
    unsigned up = 0;
    bool told = false;
    for (unsigned link = 0; link < most_nvlinks; ++link)
      if (unsigned active = 0; call("nvmlDeviceGetNvLinkState", device_, link, &active)) {
        told = true;
        up += active;
      }
    if (told) board["nvlinks"] = up;
  }

  void add_neighbours(Json& board) {
    unsigned gpus = 0;
    if (!call("nvmlDeviceGetCount_v2", &gpus)) return;
    board["gpus"] = gpus;
    unsigned here = 0, elsewhere = 0;
    for (unsigned i = 0; i < gpus; ++i) {
      NvmlDevice gpu = nullptr;
      std::array<NvmlProcess, 256> processes{};
      auto count = unsigned(processes.size());
      if (!call("nvmlDeviceGetHandleByIndex_v2", i, &gpu) ||
          !call("nvmlDeviceGetComputeRunningProcesses_v3", gpu, &count, processes.data()))
        return;
      const auto others =
          std::count_if(processes.begin(), processes.begin() + count,
                        [](const NvmlProcess& process) { return process.pid != unsigned(::getpid()); });
      (gpu == device_ ? here : elsewhere) += unsigned(others);
    }
    board["processes"] = here;
    board["processes_elsewhere"] = elsewhere;
  }

  template <class Function>
  bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library_, name));
    return function != nullptr;
  }

  /// Empty, or why there are no readings.
  std::string open(const std::string& bus_id, const std::string& library) {
    if (bus_id.empty()) return "not a GPU";
    library_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library_) return "NVML (" + library + ") is not on this machine";
    NvmlStatus (*init)() = nullptr;
    NvmlStatus (*by_bus_id)(const char*, NvmlDevice*) = nullptr;
    const bool complete =
        find(init, "nvmlInit_v2") && find(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2") &&
        find(clock_info_, "nvmlDeviceGetClockInfo") && find(most_clock_info_, "nvmlDeviceGetMaxClockInfo") &&
        find(throttled_by_, "nvmlDeviceGetCurrentClocksThrottleReasons") &&
        find(temperature_, "nvmlDeviceGetTemperature") && find(power_, "nvmlDeviceGetPowerUsage");
    if (!complete) return "NVML on this machine lacks a function that redbench needs";
    find(energy_, "nvmlDeviceGetTotalEnergyConsumption");  // GPUs before Volta have none
    if (init() != 0) return "NVML does not start";
    find(shutdown_, "nvmlShutdown");
    if (by_bus_id(bus_id.c_str(), &device_) != 0) return "NVML does not know the GPU at " + bus_id;
    return {};
  }

  void* library_ = nullptr;
  NvmlDevice device_ = nullptr;
  NvmlStatus (*shutdown_)() = nullptr;
  NvmlStatus (*clock_info_)(NvmlDevice, unsigned, unsigned*) = nullptr;
  NvmlStatus (*most_clock_info_)(NvmlDevice, unsigned, unsigned*) = nullptr;
  NvmlStatus (*throttled_by_)(NvmlDevice, unsigned long long*) = nullptr;
  NvmlStatus (*temperature_)(NvmlDevice, int, unsigned*) = nullptr;
  NvmlStatus (*power_)(NvmlDevice, unsigned*) = nullptr;
  NvmlStatus (*energy_)(NvmlDevice, unsigned long long*) = nullptr;
  std::string missing_;
};

}  // namespace

std::unique_ptr<Nvml> open_nvml(const std::string& bus_id, const std::string& library) {
  return std::make_unique<LoadedNvml>(bus_id, library);
}

}  // namespace redbench
