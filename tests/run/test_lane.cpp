// Which board makes a cell, and what becomes of the cells of one that is lost.
#include "src/run/lane.hpp"

#include <gmock/gmock.h>

#include "tests/scripted_workers.hpp"

namespace redbench {
namespace {

/// With two boards, a and b, of which each goes by scripts of its own.
class SharingBoards : public Workers {
 protected:
  SharingBoards() { share(work_); }
  /// Of a board that makes cell 0, and then another's cell 1 in the same process, or where that has ended in a new one.
  static Json both_cells(const Json& last) {
    const Json second{hears, up, ready, hears, record(0), last, done(1)};
    return {{hears, up, ready, hears, record(0), record(1), done(0), hears, record(0), last, done(1)},
            second};
  }
  static void share(Work& work) { work.devices->boards = {{0, "A", "", "", "a"}, {1, "B", "", "", "b"}}; }
};

const Json waits_for_made(int cell) { return {{"exists", fmt::format("made{}", cell)}}; }

// The bugs: a cell was begun before a longer one, records of a cell that was not whole were written, a board that had
// nothing left ended the run of the other, or one did not see the other.
TEST_F(SharingBoards, MakeWholeCellsAsTheyAreFreeTheLongestFirst) {
  const Json first{hears, up, ready, hears, running(0), record(0), waits_for_made(1), record(1), done(2)},
      second{hears,   up,    ready,      hears,     running(0), record(0), record(1),
             done(1), hears, running(0), record(0), record(1),  done(0)};
  work_ = work({{"experiments",
                 {{{"problem", "reduce"},
                   {"variants", {"harris1", "harris3"}},
                   {"axes", {{"n", {1000, 100'000, 1'000'000}}}}}}}});
  share(work_);
  EXPECT_EQ(outcomes({{"a", {first}}, {"b", {second}}}, tasks_of({0, 1, 2}, 2)).size(), 6u);
  EXPECT_EQ(heard(0, "a"), (Lines{"work", R"(2 [[0,"cold"],[1,"cold"]])"}));
  EXPECT_EQ(heard(0, "b"), (Lines{"work", R"(1 [[0,"cold"],[1,"cold"]])", R"(0 [[0,"cold"],[1,"cold"]])"}));
  EXPECT_TRUE(complete_);
}

// The bugs: a cell that was nobody's, or made twice; a board that was asked again and again.
TEST_F(SharingBoards, OneThatCannotBeOpenedLeavesItsCellToAnother) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(
      outcomes({{"a", {{dies}, {dies}}}, {"b", both_cells(record(1))}}, tasks_of({0, 1}, 2)),
      (Lines{"0.0 cold passed made passes [0] by 1 beside 1", "0.1 cold passed made passes [0] by 1 beside 1",
             "1.0 cold passed made passes [0] by 1 beside 0",
             "1.1 cold passed made passes [0] by 1 beside 0"}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::AllOf(testing::StartsWith("redbench: A: " + died),
                             testing::EndsWith("\nredbench: A got no more cells\n")));
}

// What it had made of the cell is made again with the rest, by one board. The bugs: two boards' records in one cell, or
// a cell that went from board to board.
TEST_F(SharingBoards, OneWhoseMemoryIsTakenLosesItsCellOnce) {
  const std::string why = "allocating: out of memory (cudaErrorMemoryAllocation)";
  Json fails = record(1);
  fails["record"].update({{"outcome", "failed"}, {"reason", why}});
  const Json loses{hears, up, ready, hears, record(0), fails, sleeps(60'000)};
  testing::internal::CaptureStderr();
  EXPECT_EQ(
      outcomes({{"a", {loses}}, {"b", both_cells(fails)}}, tasks_of({0, 1}, 2)),
      (Lines{"0.0 cold passed made passes [0] by 1 beside 1", "0.1 cold passed made passes [0] by 1 beside 1",
             "1.0 cold passed made passes [0] by 1 beside 0",
             "1.1 cold failed " + why + " passes [0] by 1 beside 0"}));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "redbench: A: " + why + "\n");
}

// Nobody can take the cell of the last one, which is either: the case fails as on one device.
TEST_F(SharingBoards, TheLastOneIsNotLeft) {
  testing::internal::CaptureStderr();
  const std::vector<Json> each(4, Json::array({dies}));
  const Lines lines = outcomes({{"a", each}, {"b", each}}, tasks_of({0, 1}));
  testing::internal::GetCapturedStderr();
  const auto fails_for_it = [](const char* of) {
    return testing::AllOf(testing::StartsWith(of), testing::HasSubstr(died));
  };
  EXPECT_THAT(lines, testing::UnorderedElementsAre(fails_for_it("0.0 cold failed "),
                                                   fails_for_it("1.0 cold failed ")));
}

// The bug: a board that was off the bus stopped the run of all, as nobody can kill what waits for it.
TEST_F(SharingBoards, OneWhoseProcessCannotBeKilledLeavesItsCellToAnother) {
  work_.idle_s = 3;
  testing::internal::CaptureStderr();
  const auto makes = [](std::size_t cell) {
    return Json::array({hears, up, ready, hears, record(0), done(cell)});
  };
  const Json held{hears, up, ready, hears, running(0), "held", sleeps(60'000)};
  const Lines lines = outcomes({{"a", {held}}, {"b", {makes(0), makes(1)}}}, tasks_of({0, 1}));
  const std::string said = testing::internal::GetCapturedStderr();
  folder_.write("freed", "");
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  if (std::filesystem::exists(folder_.path() + "/not_held")) GTEST_SKIP() << "no process may trace another";
  EXPECT_THAT(lines, testing::ElementsAre("0.0 cold passed made passes [0] by 1 beside 1",
                                          "1.0 cold passed made passes [0] by 1 beside 0"));
  EXPECT_THAT(said, testing::EndsWith("\nredbench: A got no more cells\n"));
}

/// With a CPU algorithm, case 1 of each cell.
class SharingBoardsAndTheCpu : public SharingBoards {
 protected:
  void plan(const std::string& sizes) {
    Json config = Json::parse(config_text(sizes));
    config["experiments"][0]["variants"] = {"harris1", "cpu_serial"};
    config["measure"] = {{"forks", 1}};
    work_ = work(config, "simt:gtx480", Job::Kind::run);
    share(work_);
  }
  static Json makes(std::size_t number, std::size_t cell) {
    return {hears, up, ready, hears, record(number), done(cell)};
  }
};

// The bug: a CPU algorithm's time was taken while GPUs kept the host busy.
TEST_F(SharingBoardsAndTheCpu, ItsTimesAreTakenWhenNoBoardIsAtWork) {
  plan("[1000, 1001]");
  Json host = makes(1, 0);
  for (const Json& step : {hears, record(1), done(1)}) host.push_back(step);
  const Lines lines = outcomes({{"a", {makes(0, 1), host}}, {"b", {makes(0, 0)}}}, tasks_of({0, 1}, 2));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[2], "0.1 cold passed made passes [0] by 0 beside 0");
  EXPECT_EQ(lines[3], "1.1 cold passed made passes [0] by 0 beside 0");
}

// The bug: they were lost without a word where the first board was.
TEST_F(SharingBoardsAndTheCpu, ItsTimesAreTakenThoughTheFirstBoardIsLost) {
  plan("[1000]");
  testing::internal::CaptureStderr();
  const Lines lines =
      outcomes({{"a", {{dies}, {dies}}}, {"b", {makes(0, 0), makes(1, 0)}}}, tasks_of({0}, 2));
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], "0.1 cold passed made passes [0] by 1 beside 0");
}

}  // namespace
}  // namespace redbench
