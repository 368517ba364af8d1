// How long a run still takes, in made-up seconds whose answer is known.
#include "src/run/time_left.hpp"

#include <gtest/gtest.h>

namespace redbench {
namespace {

void run_cell(TimeLeft& time_left, std::size_t cell, double& now, double seconds) {
  time_left.began(cell, now);
  time_left.ended(cell, now += seconds);
}

TEST(TimeLeft, CellsCountByTheirWorkNotByTheirNumber) {
  TimeLeft time_left({{0, 1}, {1, 1}, {2, 100}}, 1);
  double now = 0;
  run_cell(time_left, 0, now, 1);
  run_cell(time_left, 1, now, 1);
  EXPECT_NEAR(time_left.seconds(now), 100, 0.1)
      << "two thirds of the cells are done, and a fiftieth of the work";
}

// As if 20 ms of work had taken as long as expected before it: (5 + 0.02) / (1 + 0.02) times as long.
TEST(TimeLeft, TheMachinesPaceIsLearnt) {
  TimeLeft time_left({{0, 1}, {1, 10}, {7, 20}}, 1);
  EXPECT_EQ(time_left.seconds(0), 31);
  double now = 1000;
  run_cell(time_left, 0, now, 5);
  EXPECT_NEAR(time_left.seconds(now), 30 * 5.02 / 1.02, 1e-9);
}

TEST(TimeLeft, MillisecondsThatWereSlowTellNothingOfHours) {
  TimeLeft time_left({{0, 0.0001}, {1, 3600}}, 1);
  double now = 0;
  run_cell(time_left, 0, now, 0.01);
  EXPECT_LT(time_left.seconds(now), 2 * 3600);
}

TEST(TimeLeft, GoesDownWithinACellAndNeverBelowNothing) {
  TimeLeft time_left({{0, 10}, {1, 5}}, 1);
  time_left.began(0, 100);
  EXPECT_EQ(time_left.seconds(104), 6 + 5);
  EXPECT_EQ(time_left.seconds(400), 5);
  time_left.ended(0, 400);
  time_left.began(1, 400);
  time_left.ended(1, 401);
  EXPECT_EQ(time_left.seconds(401), 0);
}

// A worker that starts, or takes over from one that died, has done nothing of its cell.
TEST(TimeLeft, ACellThatIsBegunAgainIsAtItsBeginning) {
  TimeLeft time_left({{0, 10}, {1, 10}}, 1);
  time_left.began(0, 0);
  EXPECT_EQ(time_left.seconds(8), 12);
  time_left.began(0, 8);
  EXPECT_EQ(time_left.seconds(9), 19);
}

TEST(TimeLeft, ProcessesShareTheWorkAsLongAsThereAreCellsForAll) {
  TimeLeft time_left({{0, 10}, {1, 10}, {2, 10}}, 2);
  EXPECT_EQ(time_left.seconds(0), 15);
  time_left.began(0, 0);
  time_left.ended(0, 10);
  time_left.began(1, 0);
  time_left.ended(1, 10);
  EXPECT_NEAR(time_left.seconds(10), 10, 1e-9) << "one process has nothing to do";
}

}  // namespace
}  // namespace redbench
