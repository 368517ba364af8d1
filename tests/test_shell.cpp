// What other programs answer, as src/shell.hpp promises it.
#include "src/shell.hpp"

#include <gtest/gtest.h>

namespace redbench {
namespace {

// The bugs: a status of 0 taken for a failure, and the line of a command that failed taken for its answer.
TEST(FirstLine, IsOfACommandThatSucceeds) {
  EXPECT_EQ(first_line_of("echo one; echo two"), "one");
  EXPECT_EQ(first_line_of("echo one; exit 1"), "");
  EXPECT_EQ(first_line_of("true"), "");
}

}  // namespace
}  // namespace redbench
