// A number that a user, a file or another program wrote.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

namespace redbench {

/// The number that the whole text is, in decimal digits; none where it is another text, does not fit, or is not
/// finite.
template <class Value>
std::optional<Value> parse_number(std::string_view text) {
  Value value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || !std::isfinite(double(value))) return std::nullopt;
  return value;
}

}  // namespace redbench
