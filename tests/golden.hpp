// Golden files: what a renderer prints, as it was last looked at in a diff (tests/golden/).
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace redbench {

/// Compares `text` with tests/golden/NAME. With REDBENCH_WRITE_GOLDEN=1 in the environment the file is written instead.
inline void expect_golden(const std::string& name, const std::string& text) {
  const std::filesystem::path path = std::filesystem::path(REDBENCH_SOURCE_DIR) / "tests/golden" / name;
  if (std::getenv("REDBENCH_WRITE_GOLDEN")) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << ": no such golden file; REDBENCH_WRITE_GOLDEN=1 writes it";
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}))
      << path << " differs; REDBENCH_WRITE_GOLDEN=1 rewrites it, and git diff shows how";
}

}  // namespace redbench
