#include "src/printable.hpp"

#include <fmt/format.h>

namespace redbench {
namespace {

/// U+0080 to U+009F, which some terminals heed: C2 80 to C2 9F in UTF-8.
bool is_high_control(std::string_view text, std::size_t at) {
  return text[at] == '\xC2' && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0x80 &&
         static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte == '\n') shown += "\\n";
    else if (byte == '\t') shown += "\\t";
    else if (byte == '\r') shown += "\\r";
    else if (byte < 0x20 || byte == 0x7F) shown += fmt::format("\\x{:02x}", byte);
    else if (is_high_control(text, at))
      shown += fmt::format("\\u00{:02x}", static_cast<unsigned char>(text[++at]));
    else shown += text[at];
  }
  return shown;
}

}  // namespace redbench
