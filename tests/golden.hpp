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

/// JSON in lines of at most 110 characters, where its texts are no longer.
template <class Json>
std::string in_few_lines(const Json& json, const std::string& indent = "") {
  const std::string whole = json.dump();
  if (indent.size() + whole.size() <= 110 || !json.is_structured()) return whole;
  std::string text, line;
  for (const auto& [name, value] : json.items()) {
    const std::string item =
        (json.is_object() ? Json(name).dump() + ": " : "") + in_few_lines(value, indent + ' ');
    if (!line.empty() && line.size() + item.size() > 108) text += line + '\n', line.clear();
    line += (line.empty() ? indent + ' ' : " ") + item + ',';
  }
  line.pop_back();
  return (json.is_object() ? "{\n" : "[\n") + text + line + '\n' + indent + (json.is_object() ? "}" : "]");
}

}  // namespace redbench
