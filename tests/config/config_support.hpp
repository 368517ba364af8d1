// Configs written for a test, and the messages about their mistakes.
#pragma once

#include <gmock/gmock.h>

#include "src/config/config.hpp"
#include "src/records/columns.hpp"
#include "tests/golden.hpp"
#include "tests/support.hpp"

namespace redbench {

class ConfigFile : public testing::Test {
 protected:
  Config load(const std::string& text, const Overrides& overrides = {}, Target target = Target::simt) {
    path_ = folder_.write("configs/here/x.json", text);
    return load_config(path_, target, overrides, record_columns());
  }
  /// The error message without the folders of this machine.
  std::string error(const std::string& text, const Overrides& overrides = {}, Target target = Target::simt) {
    std::string message = usage_error([&] { load(text, overrides, target); });
    for (const std::string& folder :
         {folder_.path() + "/configs/here/", std::string(REDBENCH_SOURCE_DIR "/")})
      for (std::size_t at; (at = message.find(folder)) != message.npos;) message.erase(at, folder.size());
    return message;
  }
  /// A config of one experiment over harris3 whose axes are given, or of other members.
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
  static Overrides axes(const std::vector<std::string>& axes) { return {.axes = axes}; }
  static Overrides set(const std::string& set) { return {.sets = {set}}; }
  static Overrides only(const std::string& variants) { return {.variants = variants}; }

  /// A line of a golden file: a mistake, and the message about it.
  void add(const std::string& mistake, const std::string& message) {
    mistakes_ += mistake + "\n    " + message + '\n';
  }

  TemporaryFolder folder_;
  std::string path_, mistakes_;
};

inline std::vector<Json> axis(const Experiment& experiment, const std::string& name) {
  for (const auto& [axis, values] : experiment.axes)
    if (axis == name) return values;
  return {};
}

/// The axes of all experiments.
inline Json axes_of(const Config& config) {
  Json all = Json::array();
  for (const Json& experiment : config.resolved["experiments"]) all.push_back(experiment["axes"]);
  return all;
}

}  // namespace redbench
