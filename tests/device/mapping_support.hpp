// What the system says of memory of this process.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace redbench {

/// What /proc/self/smaps says of the mapping at `address`; empty where there is none.
inline std::string mapping_says(const void* address, const std::string& key) {
  std::ifstream file("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    std::uintptr_t start = 0, end = 0;
    char dash = 0;
    std::istringstream range(line);
    if (range >> std::hex >> start >> dash >> end && dash == '-')
      inside = start <= std::uintptr_t(address) && std::uintptr_t(address) < end;
    if (inside && line.starts_with(key)) return line.substr(line.find_first_not_of(' ', key.size()));
  }
  return {};
}

}  // namespace redbench
