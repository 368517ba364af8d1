#include "src/text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace redbench {
namespace {

struct Range {
  unsigned first, last;
};

// clang-format off
constexpr Range unseen[] = {
#include "src/text/unseen.inc"
};
// clang-format on

/// Code point and bytes of the UTF-8 character at a place, of at most three bytes; U+FFFD and 1 for all else.
std::pair<unsigned, std::size_t> character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  if (byte(0) < 0x80u) return {byte(0), 1};
  if ((byte(0) & 0xE0u) == 0xC0u && continues(1)) return {(byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu), 2};
  if ((byte(0) & 0xF0u) == 0xE0u && continues(1) && continues(2))
    return {(byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu), 3};
  return {0xFFFD, 1};
}

}  // namespace

std::string printable(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return ' ' <= c && c <= '~'; })) return std::string(text);
  std::string shown;
  for (std::size_t at = 0, bytes = 0; at < text.size(); at += bytes) {
    unsigned code = 0;
    std::tie(code, bytes) = character_at(text, at);
    const bool is_seen = std::ranges::none_of(
        unseen, [&](const Range& range) { return range.first <= code && code <= range.last; });
    if (is_seen) shown += text.substr(at, bytes);
    else if (code == '\n') shown += "\\n";
    else if (code == '\t') shown += "\\t";
    else if (code == '\r') shown += "\\r";
    else shown += code < 0x80u ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
  }
  return shown;
}

}  // namespace redbench
