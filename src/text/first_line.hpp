#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace redbench {

/// Empty where the file cannot be read.
inline std::string first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace redbench
