// Lines of source files, as reports show them.
#include "src/why/source_lines.hpp"

#include <gtest/gtest.h>

#include "tests/support.hpp"

namespace redbench {
namespace {

TEST(SourceLines, AreCountedFromOneAndNotIndented) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.cu", "  first  line\n\n\t second\n   \nlast");
  SourceLines lines;
  const std::vector<std::string> expected{"", "first  line", "", "second", "", "last", ""};
  for (int number = 0; number < 7; ++number)
    EXPECT_EQ(lines.line(file, number), expected[std::size_t(number)]) << number;
  EXPECT_EQ(lines.line(folder.path() + "/b.cu", 1), "");
}

}  // namespace
}  // namespace redbench
