// What a run tells of itself while it works: on a terminal, and in the timeline that the tests of TimeLeft
// learn from.
#include "src/run/progress.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include "tests/support.hpp"
#include "tests/terminal_support.hpp"

namespace redbench {
namespace {

using Clock = std::chrono::steady_clock;

/// Long enough for the line to be drawn again.
void pause_for_a_line() { std::this_thread::sleep_for(std::chrono::milliseconds(250)); }

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
  /// Both cases are of one part, after 10 ms for the inputs.
  const std::map<std::size_t, CellCost> cells_{
      {0, {{{"making", "reduce", 0.01}, {"simt", "reduce/harris1", 9000}}, {1, 1}}}};
};

TEST_F(ProgressOfACell, ATimelineHasItsBeginningEachNewPartAndItsEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/timeline.json";
  ASSERT_EQ(plan_.cells.at(0).cases.size(), 2u);
  ::setenv("REDBENCH_TIMELINE", path.c_str(), 1);
  const auto seconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const Clock::time_point before = Clock::now();
  double earliest = 0, latest = 0;
  {
    Progress progress(false, plan_, cells_, 2, 3);
    const Clock::time_point after = Clock::now();
    progress.began(0);
    progress.running(0, 0);
    progress.running(0, 1);  // goes on with the part
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    earliest = seconds_since(after);
    progress.ended(0);
    latest = seconds_since(before);
  }
  ::unsetenv("REDBENCH_TIMELINE");
  std::ifstream file(path);
  Json timeline = Json::parse(file);
  const double ended = timeline["events"][2][0].get<double>();
  EXPECT_GE(ended, earliest - 0.0001);
  EXPECT_LE(ended, latest + 0.0001);
  EXPECT_NEAR(ended * 1e4, std::round(ended * 1e4), 1e-6) << "of a tenth of a millisecond";
  for (Json& event : timeline["events"]) event.erase(0);
  EXPECT_EQ(timeline, Json::parse(R"({"processes": 3,
      "cells": [{"cell": 0, "parts": [["making", "reduce", 0.01], ["simt", "reduce/harris1", 9000.0]],
                 "part_of_case": [1, 1]}],
      "events": [["began", 0, 0], ["running", 0, 0], ["ended", 0, 0]]})"));
}

// The line is there at once, tells the time that is expected, and does not stay behind.
TEST_F(ProgressOfACell, ALineOnATerminalTellsTheTimeThatIsLeftAndIsTakenAway) {
  const std::optional<std::string> text = on_terminal([&] {
    Progress progress(true, plan_, cells_, 2, 1);
    progress.began(0);
  });
  if (!text) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
  EXPECT_EQ(*text,
            "\r\033[K[........................]  0 of 2 cases, 2.5 h left  inputs of reduce n=1000\r\033[K");
}

// Each thing that is told shows in the next line. 2.5 h are left as long as the first cell has not ended; of
// the second, another kind of work that nothing was learnt of, 1.45 s.
TEST_F(ProgressOfACell, EachStepShowsInTheLine) {
  std::map<std::size_t, CellCost> cells = cells_;
  cells[1] = {{{"making", "reduce", 0}, {"host", "reduce", 1.45}}, {1, 1}};
  const std::optional<std::string> text = on_terminal([&] {
    Progress progress(true, plan_, cells, 7, 1);
    progress.began(0);
    pause_for_a_line();
    progress.running(0, 1);
    pause_for_a_line();
    progress.finished();
    progress.finished();
    pause_for_a_line();
    progress.waiting();
    progress.ended(0);
    pause_for_a_line();
    progress.waiting();
  });
  if (!text) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
  const std::string bar = "[........................]  ", inputs = "inputs of reduce n=1000",
                    running = plan_.cells[0].cases[1].key();
  std::vector<std::string> lines = lines_in(*text);
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());  // there may have been longer pauses
  ASSERT_EQ(lines.size(), 6u) << *text;
  EXPECT_EQ(lines[0], bar + "0 of 7 cases, 2.5 h left  " + inputs);
  EXPECT_EQ(lines[1], bar + "0 of 7 cases, 2.5 h left  " + running);
  EXPECT_EQ(lines[2], bar + "1 of 7 cases, 2.5 h left  " + running);
  EXPECT_EQ(lines[3], bar + "2 of 7 cases, 2.5 h left  " + running);
  EXPECT_THAT(lines[4], testing::HasSubstr("]  2 of 7 cases, 1 s left  " + running));
  EXPECT_EQ(lines[5], "") << "it is taken away";
}

// The bug: a line for each case, thousands a second.
TEST_F(ProgressOfACell, ALineStaysForAWhile) {
  const Clock::time_point start = Clock::now();
  const std::optional<std::string> text = on_terminal([&] {
    Progress progress(true, plan_, cells_, 1000, 1);
    for (int i = 0; i < 1000; ++i) progress.finished();
  });
  if (!text) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  EXPECT_LE(lines_in(*text).size(), 2 + seconds / 0.2);
}

// A line that reached the last column would go on in the next row. A width that is not known is that of old.
TEST_F(ProgressOfACell, ALineFitsItsTerminal) {
  const std::string whole = "[........................]  0 of 2 cases, 2.5 h left  ";
  const std::string key = plan_.cells[0].cases[1].key();
  for (const auto& [columns, width] : {std::pair(60, 59), {83, 82}, {0, 79}, {1, 0}}) {
    const std::optional<std::string> text = on_terminal(
        [&] {
          Progress progress(true, plan_, cells_, 2, 1);
          progress.running(0, 1);
        },
        static_cast<unsigned short>(columns));
    if (!text) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
    ASSERT_GT(whole.size() + key.size(), 90u);
    const std::string line = lines_in(*text).at(0);
    EXPECT_EQ(line, progress_line({.all = 2, .left = 9000, .what = key}, std::size_t(width))) << columns;
  }
}

}  // namespace
}  // namespace redbench
