// Records of kernels that were counted, for the tests of redbench why.
#pragma once

#include <string>
#include <vector>

#include "tests/compare_support.hpp"

namespace redbench {

/// A line of a kernel with a count.
inline Json line(const std::string& file, int number, const std::string& counter, int count) {
  return {{"file", file}, {"line", number}, {counter, count}};
}

/// Of a launch for each list of lines.
inline Record counted(const std::string& variant, const Json& counters,
                      const std::vector<Json>& lines_of_launches = {Json::array()}) {
  Record record = record_of(variant);
  record["counters"] = counters;
  for (const Json& lines : lines_of_launches) {
    record["launches"].push_back(launch_of(4));
    record["launches"].back()["lines"] = lines;
  }
  return record;
}

}  // namespace redbench
