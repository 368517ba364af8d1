// Which samples are taken again, by the clocks before them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/measure/clock_check.hpp"

namespace redbench {
namespace {

using testing::Each;
using testing::ElementsAre;
using enum ClockCheck::Action;

std::vector<ClockCheck::Action> judged(ClockCheck& check, const std::vector<double>& readings) {
  std::vector<ClockCheck::Action> actions;
  for (const double mhz : readings) actions.push_back(check.judge(mhz));
  return actions;
}

TEST(ClockCheck, ADipIsTakenAgainAndDriftIsNot) {
  ClockCheck check;
  EXPECT_THAT(judged(check, {2000, 1941, 2050, 1990, 1600, 1985}),
              ElementsAre(keep, keep, keep, keep, repeat, keep));
}

TEST(ClockCheck, TheBoundIs97PercentOfTheMedian) {
  for (const auto& [mhz, action] : {std::pair(970.0, keep), std::pair(969.0, repeat)}) {
    ClockCheck check;
    judged(check, {1000, 900, 1000, 5000, 1000});  // a mean of 1780
    EXPECT_EQ(check.judge(mhz), action) << mhz;
  }
}

TEST(ClockCheck, TheFirstReadingHasNothingToBeSlowerThan) {
  ClockCheck check;
  EXPECT_EQ(check.judge(300), keep);
  EXPECT_EQ(check.judge(1980), keep) << "a clock that has risen";
}

TEST(ClockCheck, AfterThreeRepeatsItStaysAndTheNextHasThreeOfItsOwn) {
  ClockCheck check;
  judged(check, std::vector<double>(20, 2000));
  EXPECT_THAT(judged(check, {1000, 1000, 1000, 1000, 1000, 2000}),
              ElementsAre(repeat, repeat, repeat, keep_slow, repeat, keep));
  EXPECT_THAT(judged(check, {1000, 1000, 1000, 1000}), ElementsAre(repeat, repeat, repeat, keep_slow));
}

// A GPU that has become slower for good is measured at its new clock, and only the last readings count.
TEST(ClockCheck, AClockThatStaysLowBecomesTheCells) {
  ClockCheck check;
  judged(check, std::vector<double>(1000, 2000));
  for (std::size_t kept = 0; kept <= ClockCheck::window / 2; ++kept)
    EXPECT_THAT(judged(check, {1500, 1500, 1500, 1500}), ElementsAre(repeat, repeat, repeat, keep_slow))
        << kept;
  EXPECT_THAT(judged(check, std::vector<double>(ClockCheck::window, 1500)), Each(keep));
  EXPECT_EQ(check.judge(1456), keep);
  EXPECT_EQ(check.judge(1454), repeat);
}

// 33 readings of 1000 and 32 of 2000: of one reading less the median would be 1500. The next takes the place
// of the first.
TEST(ClockCheck, TheLast65ReadingsCount) {
  ClockCheck check;
  EXPECT_THAT(judged(check, std::vector<double>(33, 1000)), Each(keep));
  EXPECT_THAT(judged(check, std::vector<double>(32, 2000)), Each(keep));
  EXPECT_EQ(check.judge(1400), keep);
  EXPECT_EQ(check.judge(1357), repeat) << "the median is 1400 now, of which 97 % are 1358";
  EXPECT_EQ(check.judge(1359), keep);
}

}  // namespace
}  // namespace redbench
