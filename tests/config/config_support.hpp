// Configs written for a test, and what is said of their mistakes.
#pragma once

#include <gmock/gmock.h>

#include "src/config/config.hpp"
#include "src/records/columns.hpp"
#include "tests/support.hpp"

namespace redbench {

class ConfigFile : public testing::Test {
 protected:
  Config load(const std::string& text, Overrides overrides = {}, Target target = Target::simt) {
    path_ = folder_.write("configs/here/x.json", text);
    return load_config(path_, target, overrides, record_columns());
  }
  /// The error message without the folder.
  std::string error(const std::string& text, Overrides overrides = {}, Target target = Target::simt) {
    const std::string message = usage_error([&] { load(text, overrides, target); });
    const std::string before = folder_.path() + "/configs/here/";
    std::string plain = message;
    for (std::size_t at; (at = plain.find(before)) != plain.npos;) plain.erase(at, before.size());
    return plain;
  }
  /// A config of one experiment over harris3 whose axes are given, or of other parts.
  static std::string with_axes(const std::string& axes) {
    return experiment(R"("variants": ["harris3"], "axes": )" + axes);
  }
  static std::string experiment(const std::string& members) {
    return R"({"experiments": [{"problem": "reduce", )" + members + "}]}";
  }
  static std::string with_measure(const std::string& measure) {
    return R"({"measure": )" + measure +
           R"(, "experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1}}]})";
  }

  TemporaryFolder folder_;
  std::string path_;
};

inline std::vector<Json> axis(const Experiment& experiment, const std::string& name) {
  for (const auto& [axis, values] : experiment.axes)
    if (axis == name) return values;
  return {};
}

}  // namespace redbench
