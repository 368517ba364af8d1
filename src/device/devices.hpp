// The devices of a run: one for kernels, and the host for CPU algorithms.
#pragma once

#include <memory>
#include <string>

#include "src/device/device.hpp"
#include "src/registry.hpp"

namespace redbench {

/// On the host alone, both are the host.
struct Devices {
  Device& kernels;
  Device& host;
  Device& of(const Variant& variant) const { return variant.on_host() ? host : kernels; }
};

/// Owns the devices of a run.
struct OpenDevices {
  explicit OpenDevices(const std::string& name, const SimtOptions& options = {});
  Devices devices() { return {*kernels, host ? *host : *kernels}; }

  std::unique_ptr<Device> kernels;
  std::unique_ptr<Device> host;  // null where `kernels` is the host
};

}  // namespace redbench
