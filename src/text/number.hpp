// A number that a user, a file or another program wrote.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

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

/// The numbers of a list such as "0,4-7", which users and the kernel write (cpuset(7), "List format"), in its order; none
/// where the text is no such list or names a number above `most`.
inline std::optional<std::vector<int>> parse_number_list(std::string_view text, int most) {
  std::vector<int> numbers;
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = text.find(',');
    is_last = comma == text.npos;
    const std::string_view range = text.substr(0, comma);
    const std::size_t dash = range.find('-');
    const auto first = parse_number<int>(range.substr(0, dash)),
               last = dash == range.npos ? first : parse_number<int>(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > most) return std::nullopt;
    for (int number = *first; number <= *last; ++number) numbers.push_back(number);
    if (!is_last) text.remove_prefix(comma + 1);
  }
  return numbers;
}

}  // namespace redbench
