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

// What is left goes at the pace of what is done, as if 20 ms before it had gone as planned.
// Planned are 0 s more, and the case under way is silent for 12 s of its 60.
TEST(ProgressLine, WhatHangsHasItsLimitInPlaceOfATimeLeft) {
  const ProgressState state{
      .done = 3, .all = 4, .seconds = 20, .left = 0, .what = "reduce/x", .silent = 12, .limit = 60};
  const std::string line = progress_line(state, 200);
  EXPECT_THAT(line, HasSubstr("12 s"));
  EXPECT_THAT(line, HasSubstr("60 s"));
  EXPECT_THAT(line, Not(HasSubstr("left")));
}

TEST(SecondsLeft, AreThosePlannedAtTheMachinesPace) {
  struct {
    double left_s, done_s, taken_s, since_s, expected;
  } const rows[] = {{31, 0, 0, 0, 31},
                    {30, 1, 5, 0, 30 * 5.02 / 1.02},
                    {30, 1, 5, 100, 30 * 5.02 / 1.02 - 100},
                    {30, 1, 1, 400, 0},
                    {3600, 0.0001, 0.01, 0, 3600 * 0.03 / 0.0201}};
  for (const auto& [left_s, done_s, taken_s, since_s, expected] : rows)
    EXPECT_NEAR(seconds_left(left_s, done_s, taken_s, since_s), expected, 1e-9) << done_s << ' ' << since_s;
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

// Two processes have 280.3 h left as long as no cell is done, and a minute once one has taken 0.5 s in place of
// 2.5 h.
TEST_F(ProgressOfACell, EachStepShowsInTheLineWhichIsTakenAwayInTheEnd) {
  const auto pause_for_a_line = [] { std::this_thread::sleep_for(std::chrono::milliseconds(250)); };
  const std::optional<std::string> text = on_terminal([&] {
    Progress progress(true, plan_, 2 * 1'009'000, 7, 2);
    progress.making_inputs(0);
    pause_for_a_line();
    progress.running(0, 1);
    pause_for_a_line();
    progress.count_case();
    progress.count_case();
    pause_for_a_line();
    progress.ended(9000, 0.5);
    progress.show();
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

}  // namespace
}  // namespace redbench
