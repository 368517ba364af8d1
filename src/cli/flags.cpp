#include "src/cli/flags.hpp"

#include <CLI/CLI.hpp>

namespace redbench {
namespace {

/// A flag that is short for --set key=value.
void add_short_set(CLI::App& command, ConfigFlags& flags, const std::string& flag, const std::string& key,
                   const std::string& value_name, const std::string& what) {
  command
      .add_option_function<std::string>(
          flag, [&flags, key](const std::string& value) { flags.overrides.sets.push_back(key + "=" + value); },
          what + " (" + key + ")")
      ->type_name(value_name);
}

}  // namespace

void add_device_flag(CLI::App& command, std::string& device) {
  command.add_option("-d,--device", device, "where to run: auto, cuda, cuda:1, simt, simt:gtx480, host")
      ->type_name("DEVICE")
      ->capture_default_str();
}

void add_benchmark_flag(CLI::App& command, std::string& benchmark) {
  command.add_option("-b,--benchmark", benchmark, "only the variants whose names fit this regular expression")
      ->type_name("REGEX");
}

void add_config_flags(CLI::App& command, ConfigFlags& flags) {
  command.add_option("CONFIG", flags.config, "the config, as in configs/quick.json")->required();
  add_device_flag(command, flags.device);
  command
      .add_option("-a,--axis", flags.overrides.axes,
                  "put other values on an axis: n=[16Mi:31Mi:1Mi], n=1Mi, type=f32,f64, block=64,128")
      ->type_name("NAME=VALUES")
      ->allow_extra_args(false);
  add_benchmark_flag(command, flags.overrides.benchmark);
  command.add_option("--set", flags.overrides.sets, "change any key of the config: measure.max_noise=1")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  add_short_set(command, flags, "--min-samples", "measure.min_samples", "COUNT", "least samples of a case");
  add_short_set(command, flags, "--max-samples", "measure.max_samples", "COUNT", "most samples of a case");
  add_short_set(command, flags, "--max-noise", "measure.max_noise", "PERCENT",
                "go on until the median's interval is this narrow");
  add_short_set(command, flags, "--timeout", "measure.timeout_s", "SECONDS", "most measuring time of a case");
  add_short_set(command, flags, "--mode", "measure.mode", "cold,warm", "with caches overwritten before each sample");
  add_short_set(command, flags, "--seed", "seed", "SEED", "of the random inputs");
}

OpenDevices::OpenDevices(const std::string& name, std::uint64_t schedule_seed)
    : kernels(open_device(name, schedule_seed)) {
  if (kernels->target() != Target::host) host = make_host();
}

}  // namespace redbench
