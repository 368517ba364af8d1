// How long a run still takes: held against the timelines of real runs, and against made-up ones whose answer
// is known.
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "src/run/progress.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

CellCost cost_from(const Json& json) {
  CellCost cost;
  for (const Json& part : json["parts"])
    cost.parts.push_back({part[0].get<std::string>(), part[1].get<std::string>(), part[2].get<double>()});
  cost.part_of_case = json["part_of_case"].get<std::vector<std::size_t>>();
  return cost;
}

/// What TimeLeft said of a recorded run (REDBENCH_TIMELINE), at the end of each part of the work: when, and
/// of how long.
struct Said {
  double at, left;
};

std::vector<Said> replay(const Json& timeline) {
  std::map<std::size_t, CellCost> cells;
  for (const Json& cell : timeline["cells"]) cells[cell["cell"].get<std::size_t>()] = cost_from(cell);
  TimeLeft time_left(cells, timeline["processes"].get<int>());
  std::vector<Said> said;
  for (const Json& event : timeline["events"]) {
    const double now = event[0].get<double>();
    const auto cell = event[2].get<std::size_t>();
    if (event[1] == "began") time_left.began(cell, now);
    if (event[1] == "running") time_left.running(cell, event[3].get<std::size_t>(), now);
    if (event[1] != "ended") continue;
    time_left.ended(cell, now);
    said.push_back({now, time_left.seconds(now)});
  }
  return said;
}

class Timelines : public testing::TestWithParam<const char*> {};

TEST_P(Timelines, RightWithinAThirdFromATenthOfTheTimeOn) {
  std::ifstream file(std::string(REDBENCH_SOURCE_DIR "/tests/fixtures/timelines/") + GetParam() + ".json");
  const std::vector<Said> said = replay(Json::parse(file));
  const double whole = said.back().at;
  int checked = 0;
  for (const Said& one : said) {
    const double left = whole - one.at;
    if (one.at < whole / 10) continue;
    EXPECT_NEAR(one.left, left, left / 3) << "at " << one.at << " s of " << whole;
    ++checked;
  }
  EXPECT_GE(checked, 3) << "a run of too few cells tests nothing";
}

INSTANTIATE_TEST_SUITE_P(Recorded, Timelines,
                         testing::Values("quick", "quick_large_cache", "histogram", "multiscan", "table2",
                                         "quick_h200"));

/// One case on the modelled device, expected to take so long.
CellCost counted(const std::string& variant, double seconds) {
  return {{{"making", "reduce", 0.01}, {"simt", variant, seconds}}, {1}};
}

/// Inputs in 10 ms, then the case.
void run_cell(TimeLeft& time_left, std::size_t cell, double& now, double seconds) {
  time_left.began(cell, now);
  time_left.running(cell, 0, now += 0.01);
  time_left.ended(cell, now += seconds);
}

TEST(TimeLeft, CellsCountByTheirWorkNotByTheirNumber) {
  TimeLeft time_left({{0, counted("a", 1)}, {1, counted("a", 1)}, {2, counted("a", 100)}}, 1);
  double now = 0;
  run_cell(time_left, 0, now, 1);
  run_cell(time_left, 1, now, 1);
  EXPECT_NEAR(time_left.seconds(now), 100, 3)
      << "two thirds of the cells are done, and a fiftieth of the work";
}

TEST(TimeLeft, TheMachinesPaceIsLearnt) {
  TimeLeft time_left({{0, counted("a", 1)}, {1, counted("b", 10)}}, 1);
  EXPECT_NEAR(time_left.seconds(0), 11, 0.1);
  double now = 0;
  run_cell(time_left, 0, now, 5);
  EXPECT_NEAR(time_left.seconds(now), 50, 3) << "another variant of the same device";
}

TEST(TimeLeft, AVariantHasAPaceOfItsOwn) {
  TimeLeft time_left(
      {{0, counted("slow", 1)}, {1, counted("fast", 1)}, {2, counted("slow", 10)}, {3, counted("fast", 10)}},
      1);
  double now = 0;
  run_cell(time_left, 0, now, 8);
  run_cell(time_left, 1, now, 0.5);
  run_cell(time_left, 3, now, 5);
  EXPECT_NEAR(time_left.seconds(now), 80, 3);
}

TEST(TimeLeft, MillisecondsThatWereSlowTellNothingOfHours) {
  TimeLeft time_left({{0, counted("a", 0.0001)}, {1, counted("a", 3600)}}, 1);
  double now = 0;
  run_cell(time_left, 0, now, 0.01);
  EXPECT_LT(time_left.seconds(now), 2 * 3600);
}

TEST(TimeLeft, GoesDownWithinACellAndNeverBelowNothing) {
  TimeLeft time_left({{0, counted("a", 10)}}, 1);
  time_left.began(0, 0);
  time_left.running(0, 0, 0.01);
  EXPECT_NEAR(time_left.seconds(4.01), 6, 0.1);
  EXPECT_EQ(time_left.seconds(400), 0);
}

TEST(TimeLeft, AWorkerThatStartsIsNoWorkOnACell) {
  TimeLeft time_left({{0, counted("a", 1)}, {1, counted("a", 100)}}, 1);
  time_left.began(0, 0);
  double now = 30;  // a GPU's runtime, say
  run_cell(time_left, 0, now, 1);
  EXPECT_NEAR(time_left.seconds(now), 100, 3);
}

// 20 ms of work are taken for seen before it is. Of the kind: 3.02 s in place of 1.02 s; of a variant that is
// known, 20 ms at the pace of the kind: (3 + 0.02 x 3.02 / 1.02) / 1.02; of inputs, 0.05 + 0.02 in place of
// 0.01 + 0.02.
TEST(TimeLeft, IsTheExpectedTimesThePaceOfWhatIsLikeIt) {
  const double kind = 3.02 / 1.02, known = (3 + 0.02 * kind) / 1.02, making = 0.07 / 0.03,
               making_reduce = (0.05 + 0.02 * making) / 0.03;
  TimeLeft time_left({{0, counted("a", 1)}, {1, counted("a", 7)}, {2, counted("b", 11)}}, 1);
  time_left.began(0, 100);
  EXPECT_TRUE(time_left.running(0, 0, 100.05));
  EXPECT_FALSE(time_left.running(0, 0, 100.06)) << "the same part";
  time_left.ended(0, 103.05);
  EXPECT_NEAR(time_left.seconds(200), 7 * known + 11 * kind + 0.02 * making_reduce, 1e-9);
  // The inputs of a cell are made, then it runs.
  time_left.began(1, 200);
  EXPECT_NEAR(time_left.seconds(200.004), 7 * known + 11 * kind + 0.02 * making_reduce - 0.004, 1e-9);
  EXPECT_TRUE(time_left.running(1, 0, 200.01));
  const double later = 0.08 / 0.04, later_reduce = (0.06 + 0.02 * later) / 0.04;
  EXPECT_NEAR(time_left.seconds(205.01), 7 * known - 5 + 11 * kind + 0.01 * later_reduce, 1e-9);
}

// What was to be left of another process's cell is none of this one's.
TEST(TimeLeft, InputsThatAreMadeCount) {
  TimeLeft time_left({{3, {{{"making", "reduce", 5}, {"simt", "a", 8}}, {1}}},
                      {4, {{{"making", "scan", 13}, {"simt", "b", 17}}, {1}}}},
                     2);
  EXPECT_EQ(time_left.seconds(0), (5 + 8 + 13 + 17) / 2.0);
  time_left.began(3, 10);
  EXPECT_EQ(time_left.seconds(12), (3 + 8 + 13 + 17) / 2.0);
  time_left.began(4, 12);
  EXPECT_EQ(time_left.seconds(14), (1 + 8 + 11 + 17) / 2.0);
}

// A process that takes over makes the inputs again.
TEST(TimeLeft, ACellThatIsBegunAgainIsAtItsInputs) {
  TimeLeft time_left({{0, {{{"making", "reduce", 5}, {"simt", "a", 8}}, {1}}}}, 1);
  time_left.began(0, 10);
  EXPECT_TRUE(time_left.running(0, 0, 12));
  EXPECT_EQ(time_left.seconds(15), 5) << "of 8 s of a case 3 have passed";
  time_left.began(0, 20);
  EXPECT_EQ(time_left.seconds(21), 8) << "they took 2 s, and take 1 s again; nothing of the case is done";
  EXPECT_TRUE(time_left.running(0, 0, 23));
  EXPECT_FALSE(time_left.running(0, 0, 24));
}

// Of two cases, alike but for their size, 10 s were taken in place of 8 s; another second of the first, 12 s
// in place of 8 s in the end: what is gone back to is expected once.
TEST(TimeLeft, WhatACaseTakesInPartsIsAddedUp) {
  TimeLeft time_left({{0, {{{"making", "reduce", 1}, {"simt", "a", 2}, {"simt", "a", 6}}, {1, 2}}},
                      {1, {{{"simt", "a", 40}}, {0}}}},
                     1);
  time_left.began(0, 100);
  EXPECT_TRUE(time_left.running(0, 0, 101));
  EXPECT_TRUE(time_left.running(0, 1, 102));
  EXPECT_TRUE(time_left.running(0, 0, 111));
  const auto pace = [](double taken) { return (taken + 0.02 * (taken + 0.02) / 8.02) / 8.02; };
  EXPECT_NEAR(time_left.seconds(111.25), 2 * pace(10) - 1.25 + 40 * pace(10), 1e-9);
  EXPECT_TRUE(time_left.running(0, 1, 112));
  EXPECT_NEAR(time_left.seconds(112.5), 40 * pace(11), 1e-9) << "the second took more than is expected of it";
  time_left.ended(0, 113);
  EXPECT_NEAR(time_left.seconds(113), 40 * pace(12), 1e-9);
}

TEST(TimeLeft, ProcessesShareTheWork) {
  TimeLeft time_left(
      {{0, counted("a", 10)}, {1, counted("a", 10)}, {2, counted("a", 10)}, {3, counted("a", 10)}}, 2);
  EXPECT_NEAR(time_left.seconds(0), 20, 0.1);
}

TEST(ProgressLine, TheBarIsOfTheTime) {
  const ProgressState state{.done = 44, .all = 45, .seconds = 60, .left = 180, .what = "reduce/a n=16"};
  EXPECT_EQ(progress_line(state, 200),
            "[######..................]  44 of 45 cases, 3 min left  reduce/a n=16");
  EXPECT_EQ(progress_line(state, 65), "[######..................]  44 of 45 cases, 3 min left  redu…n=16");
  EXPECT_EQ(progress_line(state, 40), "[######..................]  44 of 45 cas");
  // There are 56 characters before what is running, of which at least three are told.
  EXPECT_EQ(progress_line(state, 59), "[######..................]  44 of 45 cases, 3 min left  r…6");
  EXPECT_EQ(progress_line(state, 58), "[######..................]  44 of 45 cases, 3 min left  ");
  EXPECT_THAT(progress_line({.done = 0, .all = 1, .what = ""}, 200),
              HasSubstr("[........................]  0 of 1 case"));
}

TEST(ProgressLine, ALogOfAWeekIsShort) {
  EXPECT_EQ(log_pause(0), 10);
  EXPECT_EQ(log_pause(99), 10);
  EXPECT_EQ(log_pause(370), 37);
  int lines = 0;
  for (double at = 0; at < 7 * 24 * 3600; at += log_pause(at)) ++lines;
  EXPECT_LT(lines, 120);
}

TEST(RoughDuration, OneUnit) {
  EXPECT_EQ(rough_duration(0.2), "less than a second");
  EXPECT_EQ(rough_duration(89), "89 s");
  EXPECT_EQ(rough_duration(100), "2 min");
  EXPECT_EQ(rough_duration(9000), "2.5 h");
  EXPECT_EQ(rough_duration(0.999), "less than a second");
  EXPECT_EQ(rough_duration(1), "1 s");
  EXPECT_EQ(rough_duration(89.9), "90 s");
  EXPECT_EQ(rough_duration(90), "2 min");
  EXPECT_EQ(rough_duration(5399), "90 min");
  EXPECT_EQ(rough_duration(5400), "1.5 h");
  EXPECT_EQ(rough_duration(3'600'000), "1000.0 h");
}

}  // namespace
}  // namespace redbench
