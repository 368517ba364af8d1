// A tuned file: the launch parameters of variants that `redbench tune` found fastest on one GPU, each at a point.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/device/device.hpp"
#include "src/json/json.hpp"

namespace redbench {

/// Where the launch parameters of a case come from: as the card or an axis has them, or a tuned file.
enum class ParametersFrom : std::uint8_t { printed, tuned };
inline constexpr std::array<std::string_view, 2> parameters_from_names{"printed", "tuned"};

struct TunedPoint {
  std::string variant, type, op;
  Index n = 0, m = 0;          // inputs and results
  Json axes = Json::object();  // of the problem
  std::map<std::string, Index> parameters;
  Json found = Json::object();  // how: times of both, their ratio, processes, date
};

/// Identifies a point in a file: all but what was found there.
std::string key_of(const TunedPoint& point);
/// The axes of `point` that are no sizes and have other values in `axes`: m is compared by its logarithm.
std::vector<std::string> axes_apart(const TunedPoint& point, const Json& axes);

struct Tuned {
  std::string path, hardware;
  std::string sha256;  // of the file
  std::vector<TunedPoint> points;

  /// The point of this variant, type and operator that is nearest by the logarithms of n and m, of those whose other
  /// axes agree most. Null: there is none.
  const TunedPoint* nearest(const TunedPoint& asked) const;
};

/// Throws UsageError by file and JSON path.
Tuned read_tuned(const std::string& path);
/// The text of the file.
std::string text_of(const Tuned& tuned);

/// `asked`, else tuned/<device>.json, else the file that came with the program. None where no file is there. Throws
/// UsageError for one that is of other hardware.
std::optional<Tuned> find_tuned(const std::string& asked, const Device& device);

/// As Config::resolved has it, and back.
Json to_json(const Tuned& tuned);
Tuned deserialize_tuned(const Json& json, const std::string& place);

}  // namespace redbench
