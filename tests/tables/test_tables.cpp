// A table as text, whatever its cells hold: aligned for a terminal, as Markdown, as CSV.
#include "src/tables/tables.hpp"

#include <gtest/gtest.h>

#include "src/tables/text.hpp"
#include "tests/golden.hpp"

namespace redbench {
namespace {

TEST(Tables, AreDrawnWithCaptionNotesAndRemarks) {
  const Table table{.caption = "problem reduce",
                    .columns = {{"variant", false}, {"time (µs)", true}, {"± %", true}, {"outcome", false}},
                    .rows = {{"a", "1.5", "0.12", "passed"},
                             {"x|y\nz", "20", "0.50", "wrong [1]"},
                             {"c", "3", "", "unsupported [2]"}},
                    .notes = {"result is 0 | # not 1\n", "[1]: javascript:x"},
                    .remarks = {"Left out: <script>error.", "[One fork](x)."}};
  expect_golden("tables/tables.txt", aligned(table, false) + "\nIn colour, 12 wide\n" +
                                         aligned(table, true, 12) + "\nMarkdown\n" + markdown(table));
}

TEST(Tables, AFieldOfCsvIsQuotedWhereItMustBe) {
  for (const auto& [text, field] : {std::pair("", ""),
                                    {"a,b", "\"a,b\""},
                                    {"say \"x\"", "\"say \"\"x\"\"\""},
                                    {"a\nb", "\"a\nb\""},
                                    {"a\rb", "\"a\rb\""},
                                    {"\x1b[31m\n", "\"\\x1b[31m\n\""},
                                    {"; ' ", "; ' "}})
    EXPECT_EQ(quoted_field(text), field);
}

TEST(Text, LinesAreBrokenAtWordsAndLongWordsAnywhere) {
  EXPECT_EQ(paragraph("one two three", 8), "one two\nthree\n");
  EXPECT_EQ(paragraph("[1] aaaaaaaaaa bb", 8, "  "), "[1]\n  aaaaaa\n  aaaa\n  bb\n");
  EXPECT_EQ(paragraph("abc d", 3, "    "), "a\n    b\n    c\n    d\n") << "one character at least";
  EXPECT_EQ(paragraph("abc d", 5, "    "), "abc d\n") << "as wide as it is";
  EXPECT_EQ(paragraph("one  ·  two\nthree", 0), "one  ·  two\\nthree\n") << "no limit, but one line";
  EXPECT_EQ(shortened("µµµµµµ", 5), "µµ…µµ") << "characters, not bytes";
  EXPECT_EQ(shortened("harris1", 7), "harris1");
}

}  // namespace
}  // namespace redbench
