// Sizes as configs and the command line write them.
#include <fmt/format.h>
#include <re2/re2.h>

#include <charconv>

#include "src/config/config.hpp"
#include "src/error.hpp"

namespace redbench {
namespace {

constexpr std::size_t most_in_range = 10000;  // a config of more cases than that is a slip

[[noreturn]] void not_a_size(std::string_view text) {
  throw UsageError(
      fmt::format("`{}` is not a size: an integer, one with Ki, Mi or Gi, a power like 2^20, or a range "
                  "like [16Mi:31Mi:1Mi] or [2^10:2^28:*2]",
                  text));
}

[[noreturn]] void too_large(std::string_view text) {
  throw UsageError(fmt::format("{} is too large: the most is 2^40", text));
}

Index whole_number(std::string_view digits, std::string_view text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) too_large(text);
  if (error != std::errc() || end != digits.data() + digits.size()) not_a_size(text);
  if (value < 0) throw UsageError(fmt::format("{} is negative", text));
  return value;
}

Index one_size(std::string_view text) {
  if (text.starts_with("2^")) {
    const Index exponent = whole_number(text.substr(2), text);
    if (exponent > 40) too_large(text);
    return Index(1) << exponent;
  }
  int shift = 0;
  std::string_view digits = text;
  for (const auto& [unit, bits] : {std::pair("Ki", 10), std::pair("Mi", 20), std::pair("Gi", 30)})
    if (text.ends_with(unit)) {
      shift = bits;
      digits.remove_suffix(2);
    }
  const Index value = whole_number(digits, text);
  if (value > largest_size >> shift) too_large(text);
  return value << shift;
}

/// The values of `text`, "[first:last:step]" or "[first:last:*factor]", last included where the steps meet
/// it.
std::vector<Index> range(Index first, Index last, Index step, bool by_factor, std::string_view text) {
  if (first > last) throw UsageError(fmt::format("the range {} ends before it starts", text));
  if (step < (by_factor ? 2 : 1) || (by_factor && first == 0))
    throw UsageError(fmt::format("the range {} never reaches its end", text));
  std::vector<Index> values;
  for (Index value = first; value <= last; value = by_factor ? value * step : value + step) {
    if (values.size() == most_in_range)
      throw UsageError(fmt::format("the range {} has more than {} values", text, most_in_range));
    values.push_back(value);
    if (by_factor && value > largest_size / step) break;
  }
  return values;
}

}  // namespace

std::vector<Index> parse_sizes(const Json& value) {
  if (value.is_number_unsigned() || value.is_number_integer()) {
    if (value.is_number_unsigned() ? value.get<std::uint64_t>() > std::uint64_t(largest_size)
                                   : value.get<std::int64_t>() > largest_size)
      too_large(value.dump());
    if (value.get<Index>() < 0) throw UsageError(fmt::format("{} is negative", value.dump()));
    return {value.get<Index>()};
  }
  if (!value.is_string()) not_a_size(value.dump());
  const std::string& text = value.get_ref<const std::string&>();
  static const RE2 form(R"(\[([^:]*):([^:]*):(\*?)([^:]*)\])", RE2::Latin1);
  if (std::string first, last, star, step; RE2::FullMatch(text, form, &first, &last, &star, &step))
    return range(one_size(first), one_size(last), one_size(step), !star.empty(), text);
  return {one_size(text)};
}

std::string format_size(Index value) {
  for (const auto& [bits, unit] : {std::pair(30, "Gi"), std::pair(20, "Mi"), std::pair(10, "Ki")})
    if (value > 0 && value % (Index(1) << bits) == 0) return fmt::format("{}{}", value >> bits, unit);
  return std::to_string(value);
}

}  // namespace redbench
