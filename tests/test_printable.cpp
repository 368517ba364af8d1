// What strangers' names may do to a terminal or a table: nothing.
#include "src/printable.hpp"

#include <gmock/gmock.h>

#include "tests/run_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Printable, ControlCharactersAreWrittenOut) {
  EXPECT_EQ(printable("plain µs | 🙂"), "plain µs | 🙂");
  EXPECT_EQ(printable(std::string_view("a\nb\tc\rd\0e", 9)), "a\\nb\\tc\\rd\\x00e");
  EXPECT_EQ(printable("\x1b[31mred\x7f"), "\\x1b[31mred\\x7f");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m"),
            "\\u009b31m");  // the one that begins a command, in one character
  EXPECT_EQ(printable("\xC2"), "\xC2");
  EXPECT_EQ(printable("a\u202Eb\u2066c\u200Fd\u061Ce\u2028"), "a\\u202eb\\u2066c\\u200fd\\u061ce\\u2028");
  EXPECT_EQ(printable("\xE2\x80("), "\xE2\x80(");
  EXPECT_EQ(printable("\u2027\u202F\u2065\u206A\u2014\xE2\x80"), "\u2027\u202F\u2065\u206A\u2014\xE2\x80");
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
  bool has_row = false;
  for (const std::string& line : lines_of(folder.path() + "/out/tables/config.md")) {
    EXPECT_THAT(line, Not(HasSubstr("\x1b")));
    has_row |= line.starts_with("| harris1");
    if (line.starts_with('|')) {
      EXPECT_TRUE(line.ends_with('|')) << line;
    }
  }
  EXPECT_TRUE(has_row);
  const Answer mistake = redbench("plan \"$(printf 'x\\033[31m.json')\"");
  EXPECT_THAT(mistake.text, HasSubstr("x\\x1b[31m.json: there is no such file"));
}

}  // namespace
}  // namespace redbench
