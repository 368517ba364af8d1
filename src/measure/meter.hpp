// The measuring tools of a device: stopwatch, NVML, movers, scattered accesses. Each is made at its first
// use, as it takes time to start or memory.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/device/devices.hpp"
#include "src/measure/movers.hpp"
#include "src/measure/nvml.hpp"
#include "src/measure/scattered.hpp"
#include "src/measure/stopwatch.hpp"

namespace redbench {

/// The measuring tools of one device.
class Meter {
 public:
  explicit Meter(Device& device) : device_(device) {}

  Device& device() const { return device_; }
  /// Null for a device that has no times (simt). Throws DeviceError.
  Stopwatch* stopwatch() {
    if (!stopwatch_) stopwatch_ = make_stopwatch(device_);
    return stopwatch_.get();
  }
  Nvml& nvml() {
    if (!nvml_) nvml_ = open_nvml(device_.bus_id());
    return *nvml_;
  }
  std::vector<Mover> movers(const Move& move) const {
    return movers_ ? movers_(move) : redbench::movers(device_, move);
  }
  /// The name of the mover that a search has found the fastest for a move of these bytes, in memory of these pages and in this
  /// mode; empty before. A search takes 24 to 64 samples, and a run has many cells of the same bytes.
  std::string& fastest_mover(const Move& move, Pages pages, Mode mode) {
    std::vector<std::size_t> bytes{move.written};
    for (const Span& span : move.from) bytes.push_back(span.bytes);
    return fastest_movers_[{std::move(bytes), pages, mode}];
  }
  ScatteredAccesses scattered(const Scatter& scatter) const {
    return scattered_ ? scattered_(scatter) : redbench::scattered(device_, scatter);
  }

  // Replace the device's own tools, in tests.
  void use(std::unique_ptr<Stopwatch> stopwatch) { stopwatch_ = std::move(stopwatch); }
  void use(std::unique_ptr<Nvml> nvml) { nvml_ = std::move(nvml); }
  void use(std::function<std::vector<Mover>(const Move&)> movers) { movers_ = std::move(movers); }
  void use(std::function<ScatteredAccesses(const Scatter&)> scattered) { scattered_ = std::move(scattered); }

 private:
  Device& device_;
  std::unique_ptr<Stopwatch> stopwatch_;
  std::unique_ptr<Nvml> nvml_;
  std::function<std::vector<Mover>(const Move&)> movers_;
  std::function<ScatteredAccesses(const Scatter&)> scattered_;
  std::map<std::tuple<std::vector<std::size_t>, Pages, Mode>, std::string> fastest_movers_;
};

/// The measuring tools of all devices of a run.
struct Meters {
  explicit Meters(const Devices& devices) : kernels(devices.kernels), host(devices.host) {}
  Meter& of(const Variant& variant) { return variant.on_host() ? host : kernels; }

  Meter kernels;
  Meter host;
};

}  // namespace redbench
