// What strangers' names may do to a terminal or a table: nothing.
#include "src/text/printable.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/run_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string utf8(unsigned code) {
  if (code < 0x80) return {char(code)};
  if (code < 0x800) return {char(0xC0 | code >> 6), char(0x80 | (code & 0x3F))};
  return {char(0xE0 | code >> 12), char(0x80 | (code >> 6 & 0x3F)), char(0x80 | (code & 0x3F))};
}

// The controls of one byte and of two, Unicode's bidirectional controls and its separators of lines.
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
  EXPECT_EQ(printable("plain µs | 🙂"), "plain µs | 🙂");
}

TEST(Printable, BytesThatAreNoCharacterStayAndHideNoControl) {
  for (const auto& [text, shown] : {std::pair<std::string, std::string>{"\xC2", "\xC2"},
                                    {"\xC2\x1F", "\xC2\\x1f"},
                                    {"\x85", "\x85"},
                                    {"\xED\xA0\x80", "\\ud800"},
                                    {"\xE2\x80\n", "\xE2\x80\\n"},
                                    {"\xE2\x80\x2A", "\xE2\x80*"},
                                    {"\xE2\xC0\xA8", "\xE2\xC0\xA8"}})
    EXPECT_EQ(printable(text), shown);
}

TEST(Printable, TitlesAndPathsOfARunReachNoTerminal) {
  const TemporaryFolder folder;
  const std::string values = folder.write("a\nb\x1b[31m.npy", npy_of<int>("<i4", {1, 2, 3}));
  folder.write("config.json", R"({"title": "one\ntwo\u001b[31m", "experiments": [{"problem": "reduce",
      "variants": ["harris1"], "axes": {"n": [2, 3], "values": {"file": "a\nb\u001b[31m.npy"}}}]})");
  for (const Answer& answer : {redbench(run_arguments(folder)), redbench(run_arguments(folder, "--dry-run")),
                               redbench("results " + folder.path())}) {
    EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr("one\\ntwo\\x1b[31m"));
    EXPECT_THAT(answer.text, Not(HasSubstr("\x1b")));
  }
  for (const std::string& line : lines_of(folder.path() + "/out/tables/config.md")) {
    EXPECT_THAT(line, Not(HasSubstr("\x1b")));
    EXPECT_EQ(line.starts_with('|'), line.ends_with('|')) << line;
  }
  const Answer mistake = redbench("plan \"$(printf 'x\\033[31m.json')\"");
  EXPECT_THAT(mistake.text, HasSubstr("x\\x1b[31m.json: there is no such file"));
}

}  // namespace
}  // namespace redbench
