// Flags that several subcommands share, with one spelling and one meaning.
#pragma once

#include <memory>
#include <string>

#include "src/pipeline/config.hpp"
#include "src/pipeline/plan.hpp"

namespace CLI {
class App;
}

namespace redbench {

struct ConfigFlags {
  std::string config;           // path of the config
  std::string device = "auto";  // as open_device takes it
  /// -a and -b as given; --set, and the flags that are short for one (--min-samples, --max-samples, --max-noise,
  /// --timeout, --mode, --seed), as `sets`.
  Overrides overrides;
};

/// -d/--device.
void add_device_flag(CLI::App& command, std::string& device);
/// -b/--benchmark, a regular expression over variant names.
void add_benchmark_flag(CLI::App& command, std::string& benchmark);
/// CONFIG, -d, -a, -b, --set and its short forms.
void add_config_flags(CLI::App& command, ConfigFlags& flags);

/// The device asked for and the host beside it, for CPU algorithms.
struct OpenDevices {
  explicit OpenDevices(const std::string& name, std::uint64_t schedule_seed = 0);
  Devices devices() { return {*kernels, host ? *host : *kernels}; }

  std::unique_ptr<Device> kernels;
  std::unique_ptr<Device> host;  // null where `kernels` is the host
};

}  // namespace redbench
