// What other programs answer.
#include "src/shell.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "src/error.hpp"

namespace redbench {
namespace {

TEST(Shell, AnAnswerIsOfACommandThatSucceeds) {
  EXPECT_EQ(first_line_of("echo one; echo two"), "one");
  EXPECT_EQ(first_line_of("echo one; exit 1"), "");
  EXPECT_EQ(first_line_of("true"), "");
}

// A program that the kernel kills for its memory was not interrupted by anyone.
TEST(Shell, AStatusSaysHowACommandEnded) {
  auto* const before = std::signal(SIGINT, SIG_DFL);  // a shell's background job ignores it
  EXPECT_EQ(status_of("exit 3"), 3);
  EXPECT_EQ(status_of("kill -INT $$"), exit_interrupted);
  EXPECT_EQ(status_of("kill -TERM $$"), exit_interrupted);
  EXPECT_EQ(status_of("kill -KILL $$"), 128 + 9);
  std::signal(SIGINT, before);
}

TEST(Shell, AQuotedWordIsOneWord) {
  for (const char* word : {"", "a b", "it's", "''", "$HOME `x` \\ \"y\" *", "-n"})
    EXPECT_EQ(first_line_of("printf %s. " + shell_quoted(word)), std::string(word) + ".");
}

}  // namespace
}  // namespace redbench
