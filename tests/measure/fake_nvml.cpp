// An NVML with two GPUs, for the loader of src/measure/nvml.cpp: the second has no energy counter and tells
// no highest clock. Signatures as in the NVML API Reference Guide.
#include <unistd.h>

#include <cstring>

namespace {
char first, second;
struct Process {
  unsigned pid;
  unsigned long long memory;
  unsigned gpu_instance, compute_instance;
};
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
int nvmlDeviceGetUUID(void* device, char* text, unsigned length) {
  std::strncpy(text, device == &first ? "GPU-1111" : "GPU-2222", length);
  return success;
}
int nvmlDeviceGetPowerManagementLimit(void*, unsigned* milliwatts) {
  *milliwatts = 700'000;
  return success;
}
int nvmlDeviceGetPersistenceMode(void*, unsigned* mode) {
  *mode = 1;
  return not_supported;
}
int nvmlDeviceGetEccMode(void*, unsigned* now, unsigned* after_boot) {
  *now = 1;
  *after_boot = 0;
  return success;
}
int nvmlDeviceGetNvLinkState(void* device, unsigned link, unsigned* active) {
  *active = link < 2;
  return device == &first && link < 4 ? success : not_supported;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return success;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = index == 0 ? &first : &second;
  return success;
}
// On the first GPU this process and another, on the second three others.
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* count, Process* processes) {
  *count = device == &first ? 2 : 3;
  for (unsigned i = 0; i < *count; ++i) processes[i].pid = 1 + i;
  if (device == &first) processes[0].pid = unsigned(::getpid());
  return success;
}
int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  if (device != &first) return not_supported;
  *millijoules = 5'000'000'000'000;
  return success;
}
}
