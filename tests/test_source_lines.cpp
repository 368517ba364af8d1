// Lines of source files, as reports show them.
#include "src/source_lines.hpp"

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
  EXPECT_EQ(lines.line(file, -1), "");
  EXPECT_EQ(lines.line(folder.path() + "/b.cu", 1), "");
  std::filesystem::remove(file);
  EXPECT_EQ(lines.line(file, 5), "last") << "a file is read once";
  EXPECT_EQ(lines.line("kernels/reduce/harris3.cu", 1), "#include \"kernels/reduce/multi_pass.hpp\"")
      << "redbench's own";
}

}  // namespace
}  // namespace redbench
