// What a parent sends to its workers and makes of their messages, or of their death or silence: each worker
// goes by a script.
#include "src/run/worker.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "tests/run_support.hpp"
#include "tests/terminal_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using Lines = std::vector<std::string>;

constexpr const char *scripts_variable = "REDBENCH_TEST_SCRIPTS", *folder_variable = "REDBENCH_TEST_FOLDER";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "none";
}

void send(const Json& message) {
  const std::string line = message.dump() + '\n';
  if (::write(3, line.data(), line.size()) != ssize_t(line.size())) ::_exit(1);
}

/// The worker of the tests below: the first process goes by the first script, whose steps are the helpers
/// below.
TEST(ScriptedWorker, DISABLED_GoesByItsScript) {
  const char *const scripts = std::getenv(scripts_variable), *const folder = std::getenv(folder_variable);
  ASSERT_TRUE(scripts && folder) << "it is no test";
  const Json all = Json::parse(scripts);
  // Of several boards each has its own scripts, by what its processes see.
  const std::string board = all.is_object() ? variable("CUDA_VISIBLE_DEVICES") : "";
  const std::string count = std::string(folder) + "/count" + board;
  const std::size_t number = std::filesystem::file_size(count);
  std::ofstream(count, std::ios::app) << '+';
  std::ofstream heard(fmt::format("{}/heard{}{}", folder, board, number));
  std::string line;
  const auto hear = [&] {
    const bool is_line = bool(std::getline(std::cin, line));
    if (is_line) heard << line << std::endl;
    return is_line;
  };
  const Json script = (board.empty() ? all : all.at(board)).at(number);
  for (const Json& step : script) {
    if (step == "hear") {
      hear();
    } else if (step.contains("exit")) {
      ::_exit(step["exit"].get<int>());
    } else if (step.contains("raw")) {
      const std::string raw = step["raw"];
      if (::write(3, raw.data(), raw.size()) != ssize_t(raw.size())) ::_exit(1);
    } else if (step.contains("sleep")) {
      ::usleep(step["sleep"].get<unsigned>() * 1000);
    } else if (step.contains("signal")) {
      ::kill(::getppid(), step["signal"].get<int>());
    } else if (step.contains("await")) {
      const std::string cell = Json::parse(line)["cell"].dump();
      const std::string file = folder + ("/" + step["await"].value(cell, "count"));
      while (!std::filesystem::exists(file)) ::usleep(2000);
    } else if (step.contains("exists")) {
      while (!std::filesystem::exists(folder + ("/" + step["exists"].get<std::string>()))) ::usleep(2000);
    } else if (step.contains("serve")) {
      while (hear()) {
        const Json task = Json::parse(line);
        std::ofstream(folder + std::string("/order"), std::ios::app) << number << ' ' << task["cell"] << '\n';
        for (const Json& wanted : task["missing"]) {
          send({{"running", wanted[0]}});
          const Json record{{"case", wanted[0]},
                            {"outcome", "failed"},
                            {"reason", variable("REDBENCH_SIMT_THREADS") + " " + variable("OMP_NUM_THREADS")},
                            {"mode", wanted[1]},
                            {"time_ns", wanted[0] == 0 ? Json(5) : Json()}};
          send({{"number", wanted[0]}, {"mode", wanted[1]}, {"record", record}});
        }
        send({{"done", task["cell"]}});
      }
    } else {
      send(step);
    }
  }
  while (hear()) {
  }
  ::_exit(0);
}

Json record(std::size_t number, Mode mode = Mode::cold) {
  const Json record{{"case", number},
                    {"outcome", "passed"},
                    {"reason", "made"},
                    {"mode", mode_names[std::size_t(mode)]},
                    {"time_ns", 5}};
  return {{"number", number}, {"mode", mode_names[std::size_t(mode)]}, {"record", record}};
}
Json running(std::size_t number) { return {{"running", number}}; }
Json done(std::size_t cell) { return {{"done", cell}}; }
Json sleeps(int ms) { return {{"sleep", ms}}; }

const Json hears = "hear", up{{"up", true}}, ready{{"ready", true}}, alive{{"alive", true}},
           dies{{"exit", 4}}, serves{{"serve", true}}, serving{hears, up, ready, serves};
const std::string died = "its process was ended with exit code 4",
                  died_before = "while the inputs were made, " + died;

/// The first cases of these cells.
std::vector<CellTask> tasks_of(const std::vector<std::size_t>& cells, std::size_t cases = 1) {
  std::vector<CellTask> tasks;
  for (const std::size_t cell : cells) {
    tasks.push_back({cell, {}});
    for (std::size_t number = 0; number < cases; ++number)
      tasks.back().missing.push_back({number, Mode::cold});
  }
  return tasks;
}

class Workers : public testing::Test {
 protected:
  Workers() {
    ::setenv("GTEST_FILTER", "ScriptedWorker.*", 1);
    ::setenv("GTEST_ALSO_RUN_DISABLED_TESTS", "1", 1);
    ::setenv(folder_variable, folder_.path().c_str(), 1);
    for (const char* name : {"REDBENCH_SIMT_THREADS", "OMP_NUM_THREADS"}) {
      before_[name] = variable(name);
      ::setenv(name, "2", 1);
    }
    ::alarm(300);  // ends this program where it waits for a worker
  }
  ~Workers() override {
    ::alarm(0);
    for (const char* name :
         {"GTEST_FILTER", "GTEST_ALSO_RUN_DISABLED_TESTS", folder_variable, scripts_variable})
      ::unsetenv(name);
    for (const auto& [name, value] : before_)
      if (value == "none") ::unsetenv(name.c_str());
      else ::setenv(name.c_str(), value.c_str(), 1);
    ::signal(SIGPIPE, SIG_DFL);  // a WorkerProcess ignores it
  }
  Work work(const Json& changes = Json::object(), const std::string& device = "simt:gtx480",
            Job::Kind kind = Job::Kind::profile) const {
    Json config = Json::parse(config_text("[1000, 1001, 1002]"));
    config["measure"]["hang_s"] = 0.2;
    config.merge_patch(changes);
    return make_work(
        {.kind = kind, .request = {.config = folder_.write("config.json", config.dump()), .device = device}});
  }
  /// "cell.case mode outcome reason" of each record, in the order in which they come.
  Lines outcomes(const Json& scripts, const std::vector<CellTask>& tasks, int processes = 1) {
    ::setenv(scripts_variable, scripts.dump().c_str(), 1);
    for (const char* count : {"count", "counta", "countb"}) folder_.write(count, "");
    Lines lines;
    complete_ = run_tasks(work_, tasks, processes, false, [&](std::size_t cell, const Record& record) {
      const std::string reason = record["reason"];
      const std::vector<Case>& cases = work_.plan.cells.at(cell).cases;
      // A worker's record has its number; the parent's own has its key.
      const auto case_ = std::ranges::find(cases, record.value("key", ""), &Case::key);
      lines.push_back(
          fmt::format("{}.{} {} {} {}", cell,
                      case_ == cases.end() ? record["case"].dump() : std::to_string(case_->number),
                      record["mode"].get<std::string>(), record["outcome"].get<std::string>(),
                      reason.substr(0, reason.find(": Running main()"))));  // googletest's words
      if (record.value("passes", Json()).is_array()) lines.back() += " passes " + record["passes"].dump();
      if (!work_.devices->boards.empty())
        lines.back() +=
            " by " + record["session"].dump() + " beside " + record.value("others_sampling", Json()).dump();
      folder_.write(fmt::format("made{}", cell), "");
    });
    processes_ = std::filesystem::file_size(folder_.path() + "/count");
    return lines;
  }
  /// What a process was sent: "work", and of each task "cell missing".
  Lines heard(int process, const std::string& board = "") const {
    Lines texts;
    for (const std::string& line : lines_of(fmt::format("{}/heard{}{}", folder_.path(), board, process))) {
      const Json message = Json::parse(line);
      texts.push_back(message == to_json(work_)
                          ? std::string("work")
                          : message.at("cell").dump() + " " + message.at("missing").dump());
    }
    return texts;
  }

  TemporaryFolder folder_;
  Work work_ = work();
  bool complete_ = false;
  std::size_t processes_ = 0;  // that were started
  std::map<std::string, std::string> before_;
};

// The bugs: a mode of the case stayed without a record, one of another got its outcome, or the next process
// was sent what has its record.
TEST_F(Workers, ACaseThatAProcessDiesOfHasThatOutcomeInEachModeThatWasWanted) {
  EXPECT_EQ(
      outcomes(
          {{hears, up, ready, hears, alive, running(0), alive, record(0, Mode::graph), running(0), dies},
           {hears, up, ready, hears, running(1), record(1), done(1), hears, record(1, Mode::warm), done(2)}},
          {{1, {{0, Mode::warm}, {0, Mode::graph}, {1, Mode::cold}, {0, Mode::cold}}},
           {2, {{1, Mode::warm}}}}),
      (Lines{"1.0 graph passed made passes [0]", "1.0 warm failed " + died, "1.0 cold failed " + died,
             "1.1 cold passed made passes [1]", "2.1 warm passed made passes [0]"}));
  EXPECT_TRUE(complete_);
  EXPECT_EQ(processes_, 2u);
  EXPECT_EQ(heard(0), (Lines{"work", R"(1 [[0,"warm"],[0,"graph"],[1,"cold"],[0,"cold"]])"}));
  EXPECT_EQ(heard(1), (Lines{"work", R"(1 [[1,"cold"]])", R"(2 [[1,"warm"]])"}));
}

// The bug: a case that has its record was blamed for what came after it.
TEST_F(Workers, OneThatHasItsRecordIsNotBlamed) {
  const Json first{hears, hears, up, ready, running(0), record(0), dies}, second{hears, hears, dies},
      third{hears, hears, record(0), done(2)};
  EXPECT_EQ(outcomes({first, second, third},
                     {{0, {{0, Mode::cold}, {1, Mode::warm}, {1, Mode::cold}}}, {2, {{0, Mode::cold}}}}),
            (Lines{"0.0 cold passed made passes [0]", "0.1 warm failed " + died_before,
                   "0.1 cold failed " + died_before, "2.0 cold passed made passes [0]"}));
  EXPECT_EQ(heard(1), (Lines{"work", R"(0 [[1,"warm"],[1,"cold"]])"}));
  EXPECT_EQ(heard(2), (Lines{"work", R"(2 [[0,"cold"]])"}));
}

// The bug: the case that has the number of the last one of the cell before was blamed, which never ran.
TEST_F(Workers, ADeathBetweenTwoCellsIsNoCasesFault) {
  for (const bool knows_of_the_second : {true, false}) {
    Json first{hears, up, ready, hears, running(0), record(0), done(0)};
    if (knows_of_the_second) first.push_back(hears);
    first.push_back(dies);
    const Json second{hears, hears, up, ready, running(0), record(0), done(2)};
    EXPECT_EQ(outcomes({first, second}, tasks_of({0, 2})),
              (Lines{"0.0 cold passed made passes [0]", "2.0 cold passed made passes [1]"}));
    EXPECT_EQ(heard(1), (Lines{"work", R"(2 [[0,"cold"]])"}));
  }
}

// A cell is given up with the second death that no case is to blame for. The bugs: a record, or a case that
// hung, was forgotten; after a cell that was given up, the first death was the last for each that followed.
TEST_F(Workers, EachCellIsTriedAgainOnce) {
  const Json dies_before{hears, up, ready, hears, dies},
      hangs{hears, up, ready, hears, running(0), sleeps(60'000)};
  EXPECT_EQ(outcomes({dies_before, dies_before, dies_before, serving}, tasks_of({0, 1})),
            (Lines{"0.0 cold failed " + died_before, "1.0 cold failed 2 2 passes [1]"}));
  const Json dies_after_a_record{hears, up, ready, hears, record(0), dies};
  EXPECT_EQ(outcomes({dies_before, dies_after_a_record, serving}, tasks_of({0}, 2)),
            (Lines{"0.0 cold passed made passes [1]", "0.1 cold failed 2 2"}));
  EXPECT_THAT(outcomes({hangs, dies_before, serving}, tasks_of({0}, 2)),
              ElementsAre(HasSubstr("0.0 cold timeout no sign of life"), "0.1 cold failed 2 2"));
}

// A kernel may write to any descriptor. The bug: a parser's exception ended the run.
TEST_F(Workers, WhatIsNoMessageCostsItsCase) {
  const std::string why = "its process sent what is no message of redbench: ";
  for (const auto& [sent, shown] : {std::pair<Json, std::string>{{{"raw", "no JSON\n"}}, "<discarded>"},
                                    {{{"raw", "{\"running\":\n"}}, "<discarded>"},
                                    {{{"raw", "[1]\n"}}, "[1]"},
                                    {running(2), R"({"running":2})"},
                                    {{{"running", -1}}, R"({"running":-1})"},
                                    {{{"number", 0}}, R"({"number":0})"},
                                    {{{"record", 0}}, R"({"record":0})"},
                                    {{{"refused", 0}}, R"({"refused":0})"},
                                    {{{"number", 0}, {"mode", "tepid"}, {"record", {{"a", 1}}}},
                                     R"({"number":0,"mode":"tepid","record":{"a":1}})"}})
    EXPECT_EQ(
        outcomes({{hears, up, ready, hears, running(0), sent, sleeps(60'000)}, serving}, tasks_of({0}, 2)),
        (Lines{"0.0 cold failed " + why + shown, "0.1 cold failed 2 2"}));
  // Of another case of the task, or once more.
  EXPECT_EQ(outcomes({{hears, up, ready, hears, running(0), record(0), record(0), sleeps(60'000)}, serving},
                     tasks_of({0}, 2))[0],
            "0.0 cold passed made passes [0]");
}

// The bug: each shape of a battery waited for its own limit.
TEST_F(Workers, AVariantThatHungTwiceIsNotTriedAgainByABattery) {
  work_ = work({{"experiments",
                 {{{"problem", "reduce"}, {"variants", {"harris1"}}, {"axes", {{"n", {1, 2, 3, 4}}}}}}}});
  work_.kind = Job::Kind::verify;
  const Json hangs{hears, up, ready, hears, running(0), sleeps(60'000)};
  const Lines lines = outcomes({hangs, hangs}, tasks_of({0, 1, 2, 3}));
  EXPECT_THAT(lines, ElementsAre(HasSubstr("0.0 cold timeout no sign of life"),
                                 HasSubstr("1.0 cold timeout no sign of life"),
                                 "2.0 cold timeout not tried, as it hung on two shapes before",
                                 "3.0 cold timeout not tried, as it hung on two shapes before"));
  EXPECT_EQ(processes_, 2u);
}

// The bug: what is refused was tried again, or its process was.
TEST_F(Workers, ACellThatIsRefusedFailsForThatReason) {
  EXPECT_EQ(
      outcomes(
          {{hears, up, ready, hears, record(1), {{"refused", "x.npy: changed"}}, hears, record(0), done(1)}},
          {{0, {{0, Mode::warm}, {1, Mode::cold}, {1, Mode::graph}}}, {1, {{0, Mode::cold}}}}),
      (Lines{"0.1 cold passed made passes [0]", "0.0 warm failed x.npy: changed",
             "0.1 graph failed x.npy: changed", "1.0 cold passed made passes [0]"}));
  EXPECT_EQ(heard(0), (Lines{"work", R"(0 [[0,"warm"],[1,"cold"],[1,"graph"]])", R"(1 [[0,"cold"]])"}));
}

// The bugs: of several processes at once one was not listened to, or was not sent what its pipe had not held.
// Each waits for the next one's record here.
TEST_F(Workers, EachOfSeveralIsSentAllAndListenedToThoughOthersAreBusy) {
  work_ = work({{"title", std::string(std::size_t(1) << 18, 'x')}});
  const Json await{{"await", {{"0", "made1"}, {"1", "made2"}}}};
  const Json script{sleeps(20), hears, up, ready, hears, await, running(0), record(0), done(0)};
  EXPECT_EQ(outcomes({script, script, script}, tasks_of({0, 1, 2}), 3),
            (Lines{"2.0 cold passed made passes [0]", "1.0 cold passed made passes [0]",
                   "0.0 cold passed made passes [0]"}));
  EXPECT_EQ(processes_, 3u);
}

// A case that executes may be silent for `hang_s`, 0.2 s here; a worker that starts or makes inputs for
// longer. The bug: silence was blamed on the inputs where there was no process yet, or the other way round.
TEST_F(Workers, ASilentOneIsKilledForWhatItWasAt) {
  EXPECT_GT(work_.idle_s, 10);
  EXPECT_THAT(outcomes({{hears, up, ready, hears, running(0), sleeps(60'000)}}, tasks_of({0})),
              ElementsAre(MatchesRegex(
                  R"(0\.0 cold timeout no sign of life for [0-4](\.[0-9]+)? s; its process was killed)")));
  EXPECT_EQ(
      outcomes({{sleeps(250), hears, up, ready, hears, running(0), alive, sleeps(250), record(0), done(0)}},
               tasks_of({0})),
      Lines{"0.0 cold passed made passes [0]"});
  work_.idle_s = 0.3;
  const Json silent = Json::array({sleeps(60'000)});
  EXPECT_THAT(outcomes(Json::array({silent}), tasks_of({0}, 2)),
              ElementsAre(HasSubstr("0.0 cold timeout as its process started, no sign of life for "),
                          HasSubstr("0.1 cold timeout as its process started, no sign of life for ")));
  work_.idle_s = 1.5;
  EXPECT_THAT(outcomes({{hears, up, ready, sleeps(60'000)}}, tasks_of({0})),
              ElementsAre(HasSubstr("0.0 cold timeout while the inputs were made, no sign of life for ")));
  // One that was up says nothing of the next.
  EXPECT_THAT(outcomes({{hears, up, ready, hears, running(0), dies}, silent}, tasks_of({0}, 2)),
              ElementsAre("0.0 cold failed " + died,
                          HasSubstr("0.1 cold timeout as its process started, no sign of life for ")));
}

// The bugs: a run that could not be ended, or that left its own way to end behind.
TEST_F(Workers, ASignalEndsTheRunAndIsCaughtNoLonger) {
  struct sigaction own {
  }, before{}, after{};
  own.sa_handler = [](int) {};
  ::sigaction(SIGTERM, &own, &before);
  EXPECT_EQ(outcomes({{hears, up, ready, hears, {{"signal", SIGTERM}}, sleeps(60'000)}}, tasks_of({0, 1})),
            Lines());
  EXPECT_FALSE(complete_);
  ::sigaction(SIGTERM, &before, &after);
  EXPECT_EQ(after.sa_handler, own.sa_handler);
  EXPECT_EQ(outcomes(Json::array({serving}), tasks_of({0})).size(), 1u);
  EXPECT_TRUE(complete_) << "a signal ends one run";
}

TEST_F(Workers, AsManyWorkAsAreAskedForAndShareTheCores) {
  EXPECT_EQ(outcomes(Json::array({serving}), tasks_of({0, 1})),
            (Lines{"0.0 cold failed 2 2 passes [0]", "1.0 cold failed 2 2 passes [0]"}));
  EXPECT_THAT(
      outcomes({serving, serving}, tasks_of({0, 1}), 2),
      testing::UnorderedElementsAre("0.0 cold failed 1 1 passes [0]", "1.0 cold failed 1 1 passes [0]"));
  EXPECT_EQ(processes_, 2u);
}

// A fork is a process of its own, as times differ between processes and nothing else does. Forks take turns
// cell by cell, so that a drift of the machine affects all alike.
TEST_F(Workers, ForksAreOfRunsThatTakeTimesAndTakeTurns) {
  const Json config{{"measure", {{"forks", 2}}}};
  Json timed = config;
  timed["experiments"] = Json::parse(config_text("[1000, 1001]"))["experiments"];
  timed["experiments"][0]["variants"] = {"cpu_serial"};
  const auto processes_of = [&](Work work) {
    work_ = std::move(work);
    outcomes({serving, serving}, tasks_of({0}));
    return processes_;
  };
  EXPECT_EQ(processes_of(work(config, "simt:gtx480", Job::Kind::run)), 1u)
      << "the modelled device has no time";
  EXPECT_EQ(processes_of(work(timed)), 1u) << "a profile takes none";
  work_ = work(timed, "host", Job::Kind::run);
  folder_.write("order", "");
  EXPECT_EQ(outcomes({serving, serving}, tasks_of({0, 1})),
            (Lines{"0.0 cold failed in fork 1 of 2: 2 2 passes [0,0]",
                   "1.0 cold failed in fork 1 of 2: 2 2 passes [0,0]"}));
  EXPECT_EQ(processes_, 2u);
  EXPECT_EQ(lines_of(folder_.path() + "/order"), (Lines{"0 0", "1 0", "0 1", "1 1"})) << "process, cell";
  folder_.write("count", "");
  const auto shown =
      on_terminal([&] { run_tasks(work_, tasks_of({0, 1}), 1, true, [](std::size_t, Record) {}); });
  EXPECT_THAT(shown.value_or("no terminal, 0 of 2 cases"), testing::HasSubstr(" 0 of 2 cases"));
}

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
    return testing::AllOf(testing::StartsWith(of), HasSubstr(died));
  };
  EXPECT_THAT(lines, testing::UnorderedElementsAre(fails_for_it("0.0 cold failed "),
                                                   fails_for_it("1.0 cold failed ")));
}

// The bug: a CPU algorithm's time was taken while GPUs kept the host busy.
TEST_F(SharingBoards, TimesOfTheHostAreTakenWhenNoBoardIsAtWork) {
  Json config = Json::parse(config_text("[1000, 1001]"));
  config["experiments"][0]["variants"] = {"harris1", "cpu_serial"};
  config["measure"] = {{"forks", 1}};
  work_ = work(config, "simt:gtx480", Job::Kind::run);
  share(work_);
  const auto makes = [](int number, int cell) {
    return Json::array({hears, up, ready, hears, record(std::size_t(number)), done(std::size_t(cell))});
  };
  Json host = makes(1, 0);
  for (const Json& step : {hears, record(1), done(1)}) host.push_back(step);
  const Lines lines = outcomes({{"a", {makes(0, 1), host}}, {"b", {makes(0, 0)}}}, tasks_of({0, 1}, 2));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[2], "0.1 cold passed made passes [0] by 0 beside 0");
  EXPECT_EQ(lines[3], "1.1 cold passed made passes [0] by 0 beside 0");
}

// The bug: the CPU's times were lost without a word where the first board was.
TEST_F(SharingBoards, TimesOfTheHostAreTakenThoughTheFirstBoardIsLost) {
  Json config = Json::parse(config_text("[1000]"));
  config["experiments"][0]["variants"] = {"harris1", "cpu_serial"};
  config["measure"] = {{"forks", 1}};
  work_ = work(config, "simt:gtx480", Job::Kind::run);
  share(work_);
  const auto makes = [](int number) {
    return Json::array({hears, up, ready, hears, record(std::size_t(number)), done(0)});
  };
  testing::internal::CaptureStderr();
  const Lines lines = outcomes({{"a", {{dies}, {dies}}}, {"b", {makes(0), makes(1)}}}, tasks_of({0}, 2));
  testing::internal::GetCapturedStderr();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1], "0.1 cold passed made passes [0] by 0 beside 0");
}

}  // namespace
}  // namespace redbench
