// The files that the program was built from, by line.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace redbench {

/// Each file is read when it is first asked for.
class SourceLines {
 public:
  /// A line's text without its indentation; empty where it is not at hand.
  std::string line(const std::string& file, int number);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace redbench
