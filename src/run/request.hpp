// What a user asks for: a config, a device, and what is changed in the config.
#pragma once

#include <string>

#include "src/config/config.hpp"

namespace redbench {

struct Request {
  std::string config;           // path of the config
  std::string device = "auto";  // as open_device takes it
  /// -a and -b as given; --set, and the flags that are short for one (--min-samples, --max-samples,
  /// --max-noise, --timeout, --mode, --seed), as `sets`.
  Overrides overrides;
};

}  // namespace redbench
