#include "src/instruments/clocks.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <fstream>

namespace redbench {
namespace {

// NVML's C interface as far as it is used, from its reference manual (NVML API Reference Guide); nvml.h comes
// with the toolkit only.
using NvmlDevice = void*;
using NvmlStatus = int;  // 0: success
enum NvmlClock : unsigned { clock_sm = 1, clock_memory = 2 };
constexpr int temperature_of_gpu = 0;

struct ThrottleReason {
  unsigned long long bit;
  const char* name;
};
// nvmlClocksEventReasons; idle (bit 0) and clocks that the user set (bit 1) are no throttling of the chip.
constexpr ThrottleReason throttle_reasons[] = {
    {0x2, "application clock setting"},  {0x4, "software power cap"},
    {0x8, "hardware slowdown"},          {0x10, "sync boost"},
    {0x20, "software thermal slowdown"}, {0x40, "hardware thermal slowdown"},
    {0x80, "hardware power brake"},      {0x100, "display clock setting"}};

struct Reading {
  unsigned sm_mhz = 0, memory_mhz = 0, temperature_c = 0, power_mw = 0;
  unsigned long long throttled = 0;
};

template <class T, class Field>
T median_of_field(std::vector<Reading> readings, Field field) {
  const auto middle = readings.begin() + std::ptrdiff_t(readings.size() / 2);
  std::nth_element(readings.begin(), middle, readings.end(),
                   [&](const Reading& a, const Reading& b) { return field(a) < field(b); });
  return T(field(*middle));
}

}  // namespace

struct Clocks::Nvml {
  void* library = nullptr;
  NvmlDevice device = nullptr;
  NvmlStatus (*shutdown)() = nullptr;
  NvmlStatus (*clock_info)(NvmlDevice, unsigned, unsigned*) = nullptr;
  NvmlStatus (*most_clock_info)(NvmlDevice, unsigned, unsigned*) = nullptr;
  NvmlStatus (*throttled_by)(NvmlDevice, unsigned long long*) = nullptr;
  NvmlStatus (*temperature)(NvmlDevice, int, unsigned*) = nullptr;
  NvmlStatus (*power)(NvmlDevice, unsigned*) = nullptr;
  std::vector<Reading> readings;
  std::chrono::steady_clock::time_point last;

  ~Nvml() {
    if (shutdown) shutdown();
    if (library) dlclose(library);
  }

  template <class Function>
  bool find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }

  /// Empty, or why there are no readings.
  std::string open(const std::string& bus_id) {
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return "NVML (libnvidia-ml.so.1) is not on this machine";
    NvmlStatus (*init)() = nullptr;
    NvmlStatus (*by_bus_id)(const char*, NvmlDevice*) = nullptr;
    const bool complete =
        find(init, "nvmlInit_v2") && find(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2") &&
        find(clock_info, "nvmlDeviceGetClockInfo") && find(most_clock_info, "nvmlDeviceGetMaxClockInfo") &&
        find(throttled_by, "nvmlDeviceGetCurrentClocksThrottleReasons") &&
        find(temperature, "nvmlDeviceGetTemperature") && find(power, "nvmlDeviceGetPowerUsage");
    if (!complete) return "NVML on this machine lacks a function that is asked for";
    if (init() != 0) return "NVML does not start";
    find(shutdown, "nvmlShutdown");
    if (by_bus_id(bus_id.c_str(), &device) != 0) return "NVML does not know the GPU at " + bus_id;
    return {};
  }

  void take() {
    Reading reading;
    clock_info(device, clock_sm, &reading.sm_mhz);
    clock_info(device, clock_memory, &reading.memory_mhz);
    temperature(device, temperature_of_gpu, &reading.temperature_c);
    power(device, &reading.power_mw);
    throttled_by(device, &reading.throttled);
    readings.push_back(reading);
    last = std::chrono::steady_clock::now();
  }
};

Clocks::Clocks(const std::string& bus_id) {
  if (bus_id.empty()) {
    missing_ = "not a GPU";
    return;
  }
  nvml_ = std::make_unique<Nvml>();
  missing_ = nvml_->open(bus_id);
}

Clocks::~Clocks() = default;

void Clocks::start() {
  if (!missing_.empty()) return;
  nvml_->readings.clear();
  nvml_->take();
}

void Clocks::read() {
  constexpr std::chrono::milliseconds between(50);
  if (missing_.empty() && std::chrono::steady_clock::now() - nvml_->last >= between) nvml_->take();
}

Json Clocks::summary() const {
  if (!missing_.empty()) return {{"missing", missing_}};
  const std::vector<Reading>& readings = nvml_->readings;
  if (readings.empty()) return {{"missing", "nothing was read"}};
  unsigned most = 0, low = readings[0].sm_mhz, high = low;
  nvml_->most_clock_info(nvml_->device, clock_sm, &most);
  unsigned long long throttled = 0;
  for (const Reading& reading : readings) {
    low = std::min(low, reading.sm_mhz);
    high = std::max(high, reading.sm_mhz);
    throttled |= reading.throttled;
  }
  Json reasons = Json::array();
  for (const ThrottleReason& reason : throttle_reasons)
    if (throttled & reason.bit) reasons.push_back(reason.name);
  return {
      {"sm_mhz", median_of_field<unsigned>(readings, [](const Reading& r) { return r.sm_mhz; })},
      {"sm_mhz_low", low},
      {"sm_mhz_high", high},
      {"sm_mhz_most", most},
      {"memory_mhz", median_of_field<unsigned>(readings, [](const Reading& r) { return r.memory_mhz; })},
      {"throttled_by", reasons},
      {"temperature_c",
       median_of_field<unsigned>(readings, [](const Reading& r) { return r.temperature_c; })},
      {"power_w", median_of_field<unsigned>(readings, [](const Reading& r) { return r.power_mw; }) / 1000.0},
      {"readings", readings.size()}};
}

}  // namespace redbench
