// An NVML with two GPUs, for the loader of src/measure/nvml.cpp: the second has no energy counter and tells
// no highest clock. Signatures as in the NVML API Reference Guide.
#include <cstring>

namespace {
char first, second;
constexpr int success = 0, not_supported = 3, not_found = 6;
}  // namespace

extern "C" {
int nvmlInit_v2() { return success; }
int nvmlShutdown() { return success; }
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  *device = std::strcmp(bus_id, "0000:01:00.0") == 0 ? &first : &second;
  return std::strncmp(bus_id, "0000:0", 6) == 0 ? success : not_found;
}
int nvmlDeviceGetClockInfo(void*, unsigned kind, unsigned* mhz) {
  *mhz = kind == 1 ? 1755 : kind == 2 ? 3201 : 0;
  return success;
}
int nvmlDeviceGetMaxClockInfo(void* device, unsigned kind, unsigned* mhz) {
  if (device != &first) return not_supported;
  *mhz = kind == 1 ? 1980 : 0;
  return success;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  *reasons = 0x4;
  return success;
}
int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  *celsius = sensor == 0 ? 41 : 0;
  return success;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  *milliwatts = 650'500;
  return success;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  if (device != &first) return not_supported;
  *millijoules = 5'000'000'000'000;
  return success;
}
}
