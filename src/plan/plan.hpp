// A plan is the list of cases that a config means on a device: each runnable, or refused with a sentence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/device/devices.hpp"
#include "src/inputs/problem.hpp"
#include "src/registry.hpp"

namespace redbench {

/// A variant with launch parameters on an input. Made by the plan, changed by nobody.
struct Case {
  const Variant* variant = nullptr;
  std::string device;  // Device::name of where it runs
  InputSpec input;
  Parameters parameters;
  std::optional<std::string> tuned =
      {};  // the point of the tuned file that they are of; empty text: none is known
  const Instance* instance = nullptr;  // null where refused
  std::string refusal;                 // empty where runnable
  Footprint footprint;                 // of a refused case what was planned before the refusal
  InputSizes sizes;
  std::size_t number = 0;   // its place in the cell
  bool is_mistake = false;  // refused for what the variant's `run` does wrong: it fails

  /// Identifies the case in a run and between runs, but for mode and device:
  /// "reduce/harris3 n=16777216 type=i32 operator=sum values=uniform block=256".
  std::string key() const;

  /// Inputs, result and scratch.
  std::size_t device_bytes() const;
};

/// Why the device cannot hold such a launch; empty where it can.
std::string launch_refusal(const LaunchFacts& launch, const DeviceFacts& facts);

/// The value of an axis as keys and tables show it: a name, or the path of a file.
std::string axis_text(const Json& value);

/// The cases that share one input: sampled in turn on the same buffers.
struct Cell {
  const Problem* problem = nullptr;
  InputSpec input;
  std::vector<Case> cases;
};

struct Plan {
  std::vector<Cell> cells;
  std::size_t cases() const;
  std::size_t runnable() const;
  std::size_t refused() const;     // without those of a mistake, which fail
  std::size_t peak_bytes() const;  // Case::device_bytes of the runnable case that needs most
};

/// The point of a tuned file that a case would be; without parameters.
TunedPoint point_of(const Variant& variant, const InputSpec& input, const InputSizes& sizes);

/// Plans without executing or allocating anything. Throws UsageError, with the case, where an input file of
/// the user's does not fit it.
Plan make_plan(const Config& config, const Devices& devices);

/// Plans a config again that was planned before, by this process or another. The cases of an input file that
/// no longer fits are refused, instead of an error.
Plan replan(const Config& config, const Devices& devices);

/// The table that `redbench plan` and --dry-run print: case, launches (blocks per pass), scratch, or refusal.
/// `seconds`: how long it takes (src/plan/cost.hpp). A table wider than `width`, 0: any, loses columns.
std::string format_plan(const Plan& plan, double seconds, std::size_t width = 0);

}  // namespace redbench
