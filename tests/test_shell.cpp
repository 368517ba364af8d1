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

TEST(StatusOf, WhatWasPrintedBeforeStandsBefore) {
  testing::internal::CaptureStdout();
  std::fputs("before ", stdout);
  const int status = status_of("echo after; exit 5");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "before after\n");
  EXPECT_EQ(status, 5);
}

TEST(ShellQuoted, IsOneWord) {
  for (const char* word : {"", "a b", "it's", "''", "$HOME `x` \\ \"y\" *", "-n"})
    EXPECT_EQ(first_line_of("printf %s. " + shell_quoted(word)), std::string(word) + ".");
}

}  // namespace
}  // namespace redbench
