// What a run shows of itself while it works.
#include "src/run/progress.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/support.hpp"
#include "tests/terminal_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ProgressLine, TheBarIsOfTheTimeAndTheLineIsCut) {
  const ProgressState state{.done = 44, .all = 45, .seconds = 60, .left = 180, .what = "reduce/a n=16"};
  // There are 56 characters before what is running, of which at least three are shown.
  for (const auto& [width, line] :
       {std::pair(200, "[######..................]  44 of 45 cases, 3 min left  reduce/a n=16"),
        {65, "[######..................]  44 of 45 cases, 3 min left  redu…n=16"},
        {59, "[######..................]  44 of 45 cases, 3 min left  r…6"},
        {58, "[######..................]  44 of 45 cases, 3 min left  "},
        {40, "[######..................]  44 of 45 cas"}})
    EXPECT_EQ(progress_line(state, std::size_t(width)), line);
  EXPECT_THAT(progress_line({.done = 0, .all = 1, .what = ""}, 200),
              HasSubstr("[........................]  0 of 1 case"));
}

TEST(ProgressLine, ALogOfAWeekIsShort) {
  EXPECT_EQ(log_pause(99), 10);
  EXPECT_EQ(log_pause(370), 37);
  int lines = 0;
  for (double at = 0; at < 7 * 24 * 3600; at += log_pause(at)) ++lines;
  EXPECT_LT(lines, 120);
}

/// The lines of a terminal, each of which takes the place of the one before.
std::vector<std::string> lines_in(const std::string& text) {
  const std::string begin = "\r\033[K";
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    EXPECT_EQ(text.substr(at, begin.size()), begin);
    const std::size_t end = std::min(text.find(begin, at + 1), text.size());
    lines.push_back(text.substr(at + begin.size(), end - at - begin.size()));
    at = end;
  }
  return lines;
}

class ProgressOfACell : public testing::Test {
 protected:
  ProgressOfACell() {
    Config config;
    config.experiments.push_back(
        {"", "reduce", {"harris1", "harris3"}, {{"n", {1000}}, {"type", {"i32"}}, {"operator", {"sum"}}}});
    plan_ = make_plan(config, open_.devices());
  }

  OpenDevices open_{"simt:gtx480"};
  Plan plan_;
};

// 2.5 h are left as long as the first process has not ended its cell; of the second process's, 1.45 s.
TEST_F(ProgressOfACell, EachStepShowsInTheLineWhichIsTakenAwayInTheEnd) {
  const auto pause_for_a_line = [] { std::this_thread::sleep_for(std::chrono::milliseconds(250)); };
  const std::optional<std::string> text = on_terminal([&] {
    Progress progress(true, plan_, {{0, 9000.0}, {1, 1e6}}, 7, 1);
    progress.began(0);
    pause_for_a_line();
    progress.running(0, 1);
    pause_for_a_line();
    progress.finished();
    progress.finished();
    pause_for_a_line();
    progress.ended(0);
    progress.waiting();
  });
  if (!text) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
  const std::string running = plan_.cells[0].cases[1].key(), all = "280.3 h left  ";
  std::vector<std::string> lines = lines_in(*text);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());  // there may have been longer pauses
  ASSERT_EQ(lines.size(), 5u) << *text;
  const std::string bar = "[........................]  ";
  EXPECT_EQ(lines[0], bar + "0 of 7 cases, " + all + "inputs of reduce n=1000") << "at once";
  EXPECT_EQ(lines[1], bar + "0 of 7 cases, " + all + running);
  EXPECT_EQ(lines[2], bar + "1 of 7 cases, " + all + running);
  EXPECT_THAT(lines[3], HasSubstr("]  2 of 7 cases, ")) << "less is left than was expected";
  EXPECT_THAT(lines[3], Not(HasSubstr(all)));
  EXPECT_EQ(lines[4], "");
}

// The bug: a line for each case, thousands a second.
TEST_F(ProgressOfACell, ALineStaysForAWhile) {
  const auto start = std::chrono::steady_clock::now();
  const std::optional<std::string> text = on_terminal([&] {
    Progress progress(true, plan_, {{0, 9000.0}}, 1000, 1);
    for (int i = 0; i < 1000; ++i) progress.finished();
  });
  if (!text) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LE(lines_in(*text).size(), 2 + seconds.count() / 0.2);
}

// A line that reached the last column would go on in the next row. A width that is not known is 80.
TEST_F(ProgressOfACell, ALineFitsItsTerminal) {
  const std::string key = plan_.cells[0].cases[1].key();
  for (const auto& [columns, width] : {std::pair(60, 59), {0, 79}}) {
    const std::optional<std::string> text = on_terminal(
        [&] {
          Progress progress(true, plan_, {{0, 9000.0}}, 2, 1);
          progress.running(0, 1);
        },
        static_cast<unsigned short>(columns));
    if (!text) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
    EXPECT_EQ(lines_in(*text).at(0),
              progress_line({.all = 2, .left = 9000, .what = key}, std::size_t(width)));
  }
}

TEST(ProgressOnATerminal, IsRedrawnUnlessPlainTextIsAskedFor) {
  const TemporaryFolder folder;
  const auto shown_with = [&](const char* variable, const char* value) {
    return on_terminal([&] {
      ::setenv(variable, value, 1);
      const std::string command = REDBENCH_BINARY
                                  " run " REDBENCH_SOURCE_DIR
                                  "/configs/martin2012/table4.json -d simt:gtx480 -a n=1Ki -o " +
                                  folder.path() + "/out";
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    });
  };
  const std::optional<std::string> redrawn = shown_with("TERM", "xterm");
  if (!redrawn) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
  EXPECT_THAT(*redrawn, HasSubstr("\r\033[K["));
  EXPECT_THAT(*redrawn, HasSubstr(" left  inputs"));
  EXPECT_THAT(*redrawn, Not(HasSubstr("\033[31m"))) << "nothing has failed";
  for (const auto& [variable, value] : {std::pair("TERM", "dumb"), {"NO_COLOR", "1"}})
    EXPECT_THAT(shown_with(variable, value).value(), Not(HasSubstr("\033"))) << variable;
}

}  // namespace
}  // namespace redbench
