// Which characters are written out, and their neighbours, which are not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "src/printable.hpp"

namespace redbench {
namespace {

std::string utf8(unsigned code) {
  if (code < 0x80) return {char(code)};
  if (code < 0x800) return {char(0xC0 | code >> 6), char(0x80 | (code & 0x3F))};
  return {char(0xE0 | code >> 12), char(0x80 | (code >> 6 & 0x3F)), char(0x80 | (code & 0x3F))};
}

// All of two and of three bytes up to U+30FF, each between two letters: Unicode's bidirectional controls and
// its separators of lines, and the controls of one byte and of two.
TEST(Printable, OfAllCharactersTheControlsAreWrittenOut) {
  std::string written;
  for (unsigned code = 0; code <= 0x30FF; ++code) {
    const std::string character = utf8(code), shown = printable("a" + character + "b");
    if (shown == "a" + character + "b") continue;
    ASSERT_TRUE(shown.starts_with("a\\") && shown.ends_with("b")) << shown;
    written += shown.substr(1, shown.size() - 2);
  }
  std::string expected;
  for (int code = 0; code < 0x20; ++code)
    expected += code == 9 ? "\\t" : code == 10 ? "\\n" : code == 13 ? "\\r" : fmt::format("\\x{:02x}", code);
  expected += "\\x7f";
  for (int code = 0x80; code <= 0x9F; ++code) expected += fmt::format("\\u{:04x}", code);
  expected +=
      "\\u061c\\u200e\\u200f\\u2028\\u2029\\u202a\\u202b\\u202c\\u202d\\u202e\\u2066\\u2067\\u2068\\u2069";
  EXPECT_EQ(written, expected);
}

// What is no whole character stays as it is; what follows it is looked at by itself.
TEST(Printable, BrokenCharactersStay) {
  struct {
    std::string text, shown;
  } const cases[] = {{"\xC2", "\xC2"},
                     {"\xC2\x7F", "\xC2\\x7f"},
                     {"\xC2\x1F", "\xC2\\x1f"},
                     {"\xC3\x85", "\xC3\x85"},
                     {"\x85", "\x85"},
                     {"\xD8", "\xD8"},
                     {"\xD8\x9C", "\\u061c"},
                     {"\xE2\x80", "\xE2\x80"},
                     {"\xE2\x80\n", "\xE2\x80\\n"},
                     {"\xE2\x80\x0E", "\xE2\x80\\x0e"},
                     {"\xE2\x80\x2A", "\xE2\x80*"},
                     {"\xE2\x80\x6A", "\xE2\x80j"},
                     {"\xE2\x80\xEA", "\xE2\x80\xEA"},
                     {"\xE2\x82\xA8", "\xE2\x82\xA8"},
                     {"\xE2\xC0\xA8", "\xE2\xC0\xA8"},
                     {"\xE1\x80\xA8", "\xE1\x80\xA8"},
                     {"\xE3\x81\xA6", "\xE3\x81\xA6"},
                     {"\u200E\u200F\xC2\x80\u061C", "\\u200e\\u200f\\u0080\\u061c"},
                     {"", ""}};
  for (const auto& [text, shown] : cases) EXPECT_EQ(printable(text), shown);
}

}  // namespace
}  // namespace redbench
