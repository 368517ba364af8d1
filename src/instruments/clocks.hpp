// The state of a GPU while it is measured: clocks, throttling, temperature, power. Read through NVML, which
// is loaded at run time, as a machine that builds need not have it.
#pragma once

#include <string>

#include <memory>

#include "src/json.hpp"

namespace redbench {

/// Readings over a stretch of time.
class Clocks {
 public:
  /// `bus_id` as of Device::bus_id. Where NVML is missing or refuses, readings are null, with the reason.
  explicit Clocks(const std::string& bus_id);
  ~Clocks();
  Clocks(const Clocks&) = delete;
  Clocks& operator=(const Clocks&) = delete;

  void start();  // forgets earlier readings and takes one
  void read();   // takes one, at most one in 50 ms
  /// {"sm_mhz": median, "sm_mhz_low", "sm_mhz_high", "sm_mhz_most" (the card's highest), "memory_mhz",
  ///  "throttled_by": [names], "temperature_c", "power_w", "readings"}, or {"missing": reason}.
  Json summary() const;

 private:
  struct Nvml;
  std::unique_ptr<Nvml> nvml_;
  std::string missing_;
};

}  // namespace redbench
