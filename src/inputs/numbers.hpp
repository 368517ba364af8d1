// Numbers in the names of distributions: zipf:1.5, fixed:3.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace redbench {

/// The whole text as a finite number.
inline std::optional<double> finite_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

}  // namespace redbench
