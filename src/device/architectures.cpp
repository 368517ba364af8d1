#include "src/device/architectures.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace redbench {
namespace {

/// An entry such as "100f-virtual". Without suffix it has machine code and PTX; `real` leaves PTX out,
/// `virtual` machine code.
struct Architecture {
  std::string name;  // "100f"
  int capability;    // 100; 0 for "all", "all-major" and "native"
  bool machine, ptx;
};

std::vector<Architecture> parse(const std::string& architectures) {
  std::vector<Architecture> parsed;
  std::istringstream list(architectures);
  for (std::string entry; std::getline(list, entry, ';');) {
    const std::size_t dash = entry.rfind('-');
    const std::string kind = dash == entry.npos ? "" : entry.substr(dash + 1);
    const bool machine = kind != "virtual", ptx = kind != "real";
    const std::string name = machine && ptx ? entry : entry.substr(0, dash);
    parsed.push_back({name, std::atoi(name.c_str()), machine, ptx});
  }
  return parsed;
}

DeviceCode code_of(const Architecture& built, int capability) {
  const bool family = built.capability / 10 == capability / 10 && built.capability <= capability;
  if (built.capability == 0)
    return DeviceCode::machine;  // for every GPU, or for those of the building machine
  if (built.name.ends_with('a') ? built.capability != capability : built.name.ends_with('f') && !family)
    return DeviceCode::none;
  if (built.machine && family) return DeviceCode::machine;
  return built.ptx && built.capability <= capability ? DeviceCode::ptx : DeviceCode::none;
}

}  // namespace

DeviceCode device_code(const std::string& architectures, int capability) {
  DeviceCode best = DeviceCode::none;
  for (const Architecture& built : parse(architectures)) best = std::max(best, code_of(built, capability));
  return best;
}

std::string architecture_names(const std::string& architectures) {
  std::string names;
  for (const Architecture& built : parse(architectures)) {
    if (!names.empty()) names += ", ";
    names += (built.capability == 0 ? "" : built.machine ? "sm_" : "compute_") + built.name;
  }
  return names;
}

}  // namespace redbench
