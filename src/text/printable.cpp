#include "src/text/printable.hpp"

#include <fmt/format.h>

namespace redbench {
namespace {

/// U+0080 to U+009F, which some terminals heed: C2 80 to C2 9F in UTF-8.
bool is_high_control(std::string_view text, std::size_t at) {
  return text[at] == '\xC2' && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0x80 &&
         static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

/// The bytes of the character at a place where it turns the direction of what follows (U+061C, U+200E,
/// U+200F, U+202A to U+202E, U+2066 to U+2069) or ends a line (U+2028, U+2029); else 0. `code`: which it is.
std::size_t format_character(std::string_view text, std::size_t at, unsigned& code) {
  const std::string_view two = text.substr(at, 2), three = text.substr(at, 3);
  code = 0x061C;
  if (two == "\u061C") return 2;
  if (three.size() < 3 || !three.starts_with("\xE2") || (three[1] != '\x80' && three[1] != '\x81')) return 0;
  const auto last = static_cast<unsigned char>(three[2]);
  if ((last & 0xC0u) != 0x80u) return 0;
  code = (three[1] == '\x80' ? 0x2000u : 0x2040u) | (last & 0x3Fu);
  const bool turns = code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
                     (code >= 0x2066 && code <= 0x2069);
  return turns ? 3 : 0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    unsigned code = 0;
    if (byte == '\n') shown += "\\n";
    else if (byte == '\t') shown += "\\t";
    else if (byte == '\r') shown += "\\r";
    else if (byte < 0x20 || byte == 0x7F) shown += fmt::format("\\x{:02x}", byte);
    else if (is_high_control(text, at))
      shown += fmt::format("\\u00{:02x}", static_cast<unsigned char>(text[++at]));
    else if (const std::size_t bytes = format_character(text, at, code)) {
      shown += fmt::format("\\u{:04x}", code);
      at += bytes - 1;
    } else shown += text[at];
  }
  return shown;
}

}  // namespace redbench
