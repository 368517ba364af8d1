#include "src/tables/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace redbench {
namespace {

constexpr int most_digits = 4, digits_without_interval = 3;

/// Place of the first digit after rounding to so many digits: 0 for 1 to 9.
int magnitude(double value, int digits = 15) {
  const std::string text = fmt::format("{:.{}e}", value, digits - 1);
  return std::stoi(text.substr(text.find('e') + 1));
}

}  // namespace

std::string significant(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  const int first = magnitude(value, digits);
  if (first < -4) return fmt::format("{:.2e}", value);
  const int place = first - digits + 1;
  return rounded(value, digits == most_digits ? std::min(0, place) : place);
}

std::string to_percents(double value) {
  if (value == 0 || !std::isfinite(value)) return significant(value);
  return significant(value, std::abs(value) < 5 * std::pow(10.0, magnitude(value)) ? 3 : 2);
}

std::string rounded(double value, int place) {
  if (place <= 0) return fmt::format("{:.{}f}", value, -place);
  const double unit = std::pow(10.0, place);
  return fmt::format("{:.0f}", std::round(value / unit) * unit);
}

int last_place(double value, double low, double high) {
  if (value == 0) return 0;
  const int first = magnitude(value, most_digits), four = std::min(0, first - most_digits + 1);
  if (!(high > low)) return first - digits_without_interval + 1;
  return std::max(four, std::min(first, magnitude(high - low, 2) - 1));
}

int digits_to(double value, int place) {
  return value == 0 ? 1 : std::clamp(magnitude(value, most_digits) - place + 1, 1, most_digits);
}

std::string as_printed(double value) {
  // {:.6g} would print a power of ten.
  if (std::abs(value) >= 999999.5) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

}  // namespace redbench
