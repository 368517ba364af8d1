// What a run shows while it works: on a terminal, and in the timeline that the tests of TimeLeft learn from.
#include "src/run/progress.hpp"

#include <gmock/gmock.h>

#include <chrono>
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
  ::setenv("REDBENCH_TIMELINE", path.c_str(), 1);
  {
    Progress progress(false, plan_, cells_, 2, 3);
    progress.began(0);
    progress.running(0, 0);
    progress.running(0, 1);  // goes on with the part
    progress.ended(0);
  }
  ::unsetenv("REDBENCH_TIMELINE");
  std::ifstream file(path);
  const Json timeline = Json::parse(file);
  EXPECT_EQ(timeline["processes"], 3);
  EXPECT_EQ(timeline["cells"].size(), 1u);
  std::string events;
  for (const Json& event : timeline["events"])
    events += event[1].get<std::string>() + " " + event[2].dump() + " " + event[3].dump() + "; ";
  EXPECT_EQ(events, "began 0 0; running 0 0; ended 0 0; ");
}

// The line is there at once, shows the time that is expected, does not reach the last column, where it would
// go on in the next row, is drawn a few times a second, and is taken away in the end.
TEST_F(ProgressOfACell, ALineOnATerminal) {
  const auto shown = [&](unsigned short columns) {
    return on_terminal(
        [&] {
          Progress progress(true, plan_, cells_, 1000, 1);
          progress.running(0, 1);
          for (int i = 0; i < 999; ++i) progress.finished();
        },
        columns);
  };
  const std::string begin = "\r\033[K", key = plan_.cells[0].cases[1].key();
  for (const auto& [columns, width] : {std::pair(200, 199), {60, 59}, {0, 79}}) {
    const auto start = std::chrono::steady_clock::now();
    const std::optional<std::string> text = shown(static_cast<unsigned short>(columns));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!text) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
    EXPECT_THAT(*text, testing::StartsWith(begin + progress_line({.all = 1000, .left = 9000, .what = key},
                                                                 std::size_t(width))));
    EXPECT_THAT(*text, testing::EndsWith(begin));
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = text->find(begin, at)) != text->npos; ++at) ++lines;
    EXPECT_LE(double(lines), 2 + seconds / 0.2);
  }
}

}  // namespace
}  // namespace redbench
