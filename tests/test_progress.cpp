// What a run tells of itself while it works: on a terminal, and in the timeline that the tests of TimeLeft
// learn from.
#include "src/run/progress.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support.hpp"
#include "tests/terminal_support.hpp"

namespace redbench {
namespace {

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
  {
    Progress progress(false, plan_, cells_, 2, 1);
    progress.began(0);
    progress.running(0, 0);
    progress.running(0, 1);  // goes on with the part
    progress.ended(0);
  }
  ::unsetenv("REDBENCH_TIMELINE");
  std::ifstream file(path);
  const Json timeline = Json::parse(file);
  Json events = Json::array();
  for (const Json& event : timeline["events"]) events.push_back({event[1], event[2], event[3]});
  EXPECT_EQ(events, Json::parse(R"([["began", 0, 0], ["running", 0, 0], ["ended", 0, 0]])"));
  EXPECT_EQ(timeline["processes"], 1);
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

}  // namespace
}  // namespace redbench
