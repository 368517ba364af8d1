// Kernel files of one's own in a folder that ends with the test, and a program that keeps what it compiles there.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "tests/support.hpp"

namespace redbench {

using Changes = std::vector<std::pair<std::string, std::string>>;

/// The file of reduce/NAME with these texts replaced, each of which it must have.
inline std::string changed_kernel(const std::string& name, const Changes& changes) {
  std::string text = text_in(std::string(REDBENCH_SOURCE_DIR) + "/kernels/reduce/" + name + ".cu");
  for (const auto& [from, to] : changes) {
    EXPECT_NE(text.find(from), text.npos) << from;
    text.replace(text.find(from), from.size(), to);
  }
  return text;
}

class PluginFolder : public TemporaryFolder {
 public:
  /// kernels/reduce/COPY.cu
  void copy(const std::string& name, const std::string& copy, const Changes& changes = {}) const {
    write("kernels/reduce/" + copy + ".cu", changed_kernel(name, changes));
  }
  Answer redbench(const std::string& arguments) const {
    return answer_of("env XDG_CACHE_HOME='" + path() + "/cache' " REDBENCH_BINARY, arguments, path());
  }
};

}  // namespace redbench
