// Small kernels for the tests of the modelled GPU, by name. All have one signature, so that a test can say in
// one line what goes in and what must come out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/device/device.hpp"

namespace redbench {

using TestKernel = void (*)(const int* in, int* out, int n);

/// The call's own invoke, as `launch` would make it for simt.
struct TestKernelEntry {
  TestKernel kernel;
  void (*invoke)(const void* function, void** arguments);
};
std::map<std::string, TestKernelEntry>& test_kernels();

struct TestKernelRegistration {
  TestKernelRegistration(const char* name, TestKernel kernel, void (*invoke)(const void*, void**)) {
    test_kernels()[name] = {kernel, invoke};
  }
};

/// Runs test kernel `name` on `device`; gives `outputs` ints, which are -1 where the kernel wrote nothing.
inline std::vector<int> run_kernel(Device& device, const std::string& name, const Grid& grid,
                                   std::vector<int> in, int outputs) {
  const auto [kernel, invoke] = test_kernels().at(name);
  const std::size_t in_bytes = in.size() * sizeof(int), out_bytes = std::size_t(outputs) * sizeof(int);
  std::vector<int> out(outputs, -1);
  struct Buffer {
    Device& device;
    void* memory;
    ~Buffer() { device.release(memory); }
  } device_in{device, device.allocate(in_bytes)}, device_out{device, device.allocate(out_bytes)};
  device.upload(device_in.memory, in.data(), in_bytes);
  device.upload(device_out.memory, out.data(), out_bytes);
  int n = int(in.size());
  void* arguments[] = {&device_in.memory, &device_out.memory, &n};
  device.execute({reinterpret_cast<const void*>(kernel), arguments, invoke, grid});
  device.finish();
  device.download(out.data(), device_out.memory, out_bytes);
  return out;
}

}  // namespace redbench

/// Defines and registers a test kernel; its body follows, with `in`, `out` and `n`.
#define TEST_KERNEL(name)                                                                         \
  __global__ void name(const int* in, int* out, int n);                                           \
  static const TestKernelRegistration registration_##name(#name, name,                            \
                                                          detail::invoke<const int*, int*, int>); \
  __global__ void name([[maybe_unused]] const int* in, [[maybe_unused]] int* out, [[maybe_unused]] int n)
