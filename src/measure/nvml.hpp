// NVIDIA's management library (NVML): clocks, throttling, temperature, power and energy of a GPU. It is
// loaded at run time, as the machine that builds need not have it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "src/json/json.hpp"

namespace redbench {

class Nvml {
 public:
  virtual ~Nvml() = default;

  /// Why nothing can be read; empty where something can. The other functions may be called only then.
  virtual std::string missing() const = 0;

  struct Reading {
    unsigned sm_mhz = 0, memory_mhz = 0, temperature_c = 0, power_mw = 0;
    unsigned long long throttled = 0;  // bits of nvmlClocksEventReasons
  };
  virtual Reading read() = 0;
  /// The highest SM clock of the card.
  virtual unsigned most_sm_mhz() = 0;
  /// The board's energy since the driver was loaded, in mJ; none where it has no counter.
  virtual std::optional<std::uint64_t> energy_mj() = 0;
  /// The board, by name: texts `uuid` and `vbios`; numbers `power_limit_mw`, `persistence`, `ecc` and `mig`
  /// (1: on), `nvlinks` (links that are up), `pcie_generation` and `pcie_width` (in use), `gpus` (of the
  /// host), and `processes` and `processes_elsewhere`, those of others on this GPU and on its neighbours.
  /// What NVML does not tell is missing.
  virtual Json board() = 0;
};

/// `bus_id`: as Device::bus_id; empty: not a GPU. Never null: where the library is missing or fails,
/// `missing` says why.
std::unique_ptr<Nvml> open_nvml(const std::string& bus_id, const std::string& library = "libnvidia-ml.so.1");

}  // namespace redbench
