// What a user asks for: a config, a device, changes of the config, and where the records go.
#pragma once

#include <string>

#include "src/config/config.hpp"

namespace redbench {

struct Request {
  std::string config;           // path of the config
  std::string device = "auto";  // a name that open_device takes
  /// -a and -b as given; --set, and the flags that are short for one (--min-samples, --max-samples,
  /// --max-noise, --timeout, --mode, --seed), as `sets`.
  Overrides overrides;
  std::string tuned;  // the tuned file; empty: as find_tuned finds it
  std::string shard;  // "2/8": that part of the plan is made; empty: all of it
  int processes = 1;  // that mpirun started as one run, of which this is the first
};

/// The folder of a run, and what becomes of a run that is there already. Where there is one and neither is
/// set, that is the user's mistake.
struct Destination {
  std::string folder;    // empty: results/<device>/<config>
  bool resume = false;   // that run is continued
  bool replace = false;  // that run is removed
};

}  // namespace redbench
