// What a parent tells its workers and makes of what they tell, message by message: each goes by a script.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "src/run/worker.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

constexpr const char *scripts_variable = "REDBENCH_TEST_SCRIPTS", *folder_variable = "REDBENCH_TEST_FOLDER";

/// The worker of the tests below. The first process goes by the first script: a number is a line to be read,
/// which is noted, "exit" its end, "await" a file to wait for, by the cell that it was last told of, and all
/// else a message. Then it reads on.
TEST(ScriptedWorker, DISABLED_GoesByItsScript) {
  const char *const scripts = std::getenv(scripts_variable), *const folder = std::getenv(folder_variable);
  ASSERT_TRUE(scripts && folder) << "it is no test";
  const std::string count = std::string(folder) + "/count";
  const std::size_t number = std::filesystem::file_size(count);
  std::ofstream(count, std::ios::app) << '+';
  std::ofstream heard(fmt::format("{}/heard{}", folder, number));
  std::string line;
  const Json script = Json::parse(scripts).at(number);
  for (const Json& step : script) {
    if (step.is_number()) {
      std::getline(std::cin, line);
      heard << line << std::endl;
    } else if (step.contains("exit")) {
      ::_exit(step["exit"].get<int>());
    } else if (step.contains("await")) {
      const std::string cell = Json::parse(line)["cell"].dump();
      const std::string file = folder + ("/" + step["await"].value(cell, "count"));
      while (!std::filesystem::exists(file)) ::usleep(2000);
    } else {
      const std::string message = step.dump() + '\n';
      if (::write(3, message.data(), message.size()) != ssize_t(message.size())) ::_exit(1);
    }
  }
  while (std::getline(std::cin, line)) heard << line << std::endl;
  ::_exit(0);
}

Json record(std::size_t number, Mode mode) {
  const Json record{
      {"outcome", "passed"}, {"reason", "made"}, {"mode", mode_names[std::size_t(mode)]}, {"time_ns", 5}};
  return {{"case", number}, {"mode", int(mode)}, {"record", record}};
}

Json running(std::size_t number) { return {{"running", number}}; }

const Json up{{"up", true}}, ready{{"ready", true}}, idle{{"idle", true}}, dies{{"exit", 4}};
const Json hears = 1;

class WorkerScripts : public testing::Test {
 protected:
  WorkerScripts() {
    ::setenv("GTEST_FILTER", "ScriptedWorker.*", 1);
    ::setenv("GTEST_ALSO_RUN_DISABLED_TESTS", "1", 1);
    ::setenv(folder_variable, folder_.path().c_str(), 1);
    ::alarm(300);  // ends this program where it waits for a worker
  }
  ~WorkerScripts() override {
    ::alarm(0);
    for (const char* name :
         {"GTEST_FILTER", "GTEST_ALSO_RUN_DISABLED_TESTS", folder_variable, scripts_variable})
      ::unsetenv(name);
    ::signal(SIGPIPE, SIG_DFL);  // a WorkerProcess ignores it
  }
  /// "cell.case mode outcome reason" of each record, in the order in which they come.
  std::vector<std::string> told(const Json& scripts, const std::vector<CellTask>& tasks, int processes = 1) {
    ::setenv(scripts_variable, scripts.dump().c_str(), 1);
    folder_.write("count", "");
    std::vector<std::string> lines;
    const bool complete = run_tasks(
        work_, tasks, processes, false, [&](std::size_t cell, std::size_t number, const Record& record) {
          const std::string reason = record["reason"];
          lines.push_back(fmt::format("{}.{} {} {} {}", cell, number, record["mode"].get<std::string>(),
                                      record["outcome"].get<std::string>(),
                                      reason.substr(0, reason.find(": Running main()"))));
          if (record.value("passes", Json()).is_array()) lines.back() += " passes " + record["passes"].dump();
          folder_.write(fmt::format("told{}", cell), "");
        });
    EXPECT_TRUE(complete);
    EXPECT_EQ(std::filesystem::file_size(folder_.path() + "/count"), scripts.size()) << "processes";
    return lines;
  }
  /// What a process was told: "work", and of each task "cell wanted".
  std::vector<std::string> heard(int process) const {
    std::vector<std::string> texts;
    for (const std::string& line : lines_of(fmt::format("{}/heard{}", folder_.path(), process))) {
      const Json message = Json::parse(line);
      texts.push_back(message == to_json(work_)
                          ? std::string("work")
                          : message.at("cell").dump() + " " + message.at("wanted").dump());
    }
    return texts;
  }

  using Lines = std::vector<std::string>;
  TemporaryFolder folder_;
  Work work_ =
      make_work({.kind = Job::Kind::profile,
                 .request = {.config = folder_.write("config.json", config_text("[1000, 1001, 1002]")),
                             .device = "simt:gtx480",
                             .overrides = {}}});
};

// The bugs: a mode of the case stayed without a record, one of another got its outcome, or the next process
// was told of what has its record.
TEST_F(WorkerScripts, ACaseThatAProcessDiesOfHasThatOutcomeInEachModeThatWasWanted) {
  EXPECT_EQ(
      told({{hears, up, ready, hears, idle, running(0), idle, record(0, Mode::graph), running(0), dies},
            {hears,
             up,
             ready,
             hears,
             running(1),
             record(1, Mode::cold),
             {{"done", 1}},
             hears,
             record(1, Mode::warm),
             {{"done", 2}}}},
           {{1, {{0, Mode::warm}, {0, Mode::graph}, {1, Mode::cold}, {0, Mode::cold}}},
            {2, {{1, Mode::warm}}}}),
      (Lines{"1.0 graph passed made passes [0]", "1.0 warm failed its process was ended with exit code 4",
             "1.0 cold failed its process was ended with exit code 4", "1.1 cold passed made passes [1]",
             "2.1 warm passed made passes [0]"}));
  EXPECT_EQ(heard(0), (Lines{"work", "1 [[0,1],[0,2],[1,0],[0,0]]"}));
  EXPECT_EQ(heard(1), (Lines{"work", "1 [[1,0]]", "2 [[1,1]]"}));
}

// The bug: a case that has its record was blamed for what came after it.
TEST_F(WorkerScripts, OneThatHasItsRecordIsNotBlamed) {
  const Json first{hears, hears, up, ready, running(0), record(0, Mode::cold), dies},
      second{hears, hears, dies}, third{hears, hears, record(0, Mode::cold), {{"done", 2}}};
  EXPECT_EQ(told({first, second, third},
                 {{0, {{0, Mode::cold}, {1, Mode::warm}, {1, Mode::cold}}}, {2, {{0, Mode::cold}}}}),
            (Lines{"0.0 cold passed made passes [0]",
                   "0.1 warm failed while the inputs were made, its process was ended with exit code 4",
                   "0.1 cold failed while the inputs were made, its process was ended with exit code 4",
                   "2.0 cold passed made passes [0]"}));
  EXPECT_EQ(heard(1), (Lines{"work", "0 [[1,1],[1,0]]"}));
  EXPECT_EQ(heard(2), (Lines{"work", "2 [[0,0]]"}));
}

// The bug: the case that has the number of the last one of the cell before was blamed, which never ran.
TEST_F(WorkerScripts, ADeathBetweenTwoCellsIsNoCasesFault) {
  for (const bool knows_of_the_second : {true, false}) {
    Json first{hears, up, ready, hears, running(0), record(0, Mode::cold), {{"done", 0}}};
    if (knows_of_the_second) first.push_back(hears);
    first.push_back(dies);
    const Json second{hears, hears, up, ready, running(0), record(0, Mode::cold), {{"done", 2}}};
    EXPECT_EQ(told({first, second}, {{0, {{0, Mode::cold}}}, {2, {{0, Mode::cold}}}}),
              (Lines{"0.0 cold passed made passes [0]", "2.0 cold passed made passes [1]"}));
    EXPECT_EQ(heard(1), (Lines{"work", "2 [[0,0]]"}));
  }
}

// The bug: what is refused was tried again, or its process was.
TEST_F(WorkerScripts, ACellThatIsRefusedFailsForThatReason) {
  EXPECT_EQ(told({{hears,
                   up,
                   ready,
                   hears,
                   record(1, Mode::cold),
                   {{"refused", "x.npy: changed"}},
                   hears,
                   record(0, Mode::cold),
                   {{"done", 1}}}},
                 {{0, {{0, Mode::warm}, {1, Mode::cold}, {1, Mode::graph}}}, {1, {{0, Mode::cold}}}}),
            (Lines{"0.1 cold passed made passes [0]", "0.0 warm failed x.npy: changed",
                   "0.1 graph failed x.npy: changed", "1.0 cold passed made passes [0]"}));
  EXPECT_EQ(heard(0), (Lines{"work", "0 [[0,1],[1,0],[1,2]]", "1 [[0,0]]"}));
}

// The bugs: of several processes at once one was not listened to, or was not sent what its pipe had not held.
// Each waits for the next one's record here.
TEST_F(WorkerScripts, EachOfSeveralIsToldAndListenedToThoughOthersAreBusy) {
  Json config = Json::parse(config_text("[1000, 1001, 1002]"));
  config["title"] = std::string(std::size_t(1) << 18, 'x');
  work_ = make_work(
      {.kind = Job::Kind::profile,
       .request = {
           .config = folder_.write("config.json", config.dump()), .device = "simt:gtx480", .overrides = {}}});
  const Json await{{"await", {{"0", "told1"}, {"1", "told2"}}}};
  const Json one{hears, up, ready, hears, await, running(0), record(0, Mode::cold), {{"done", 0}}};
  EXPECT_EQ(
      told({one, one, one}, {{0, {{0, Mode::cold}}}, {1, {{0, Mode::cold}}}, {2, {{0, Mode::cold}}}}, 3),
      (Lines{"2.0 cold passed made passes [0]", "1.0 cold passed made passes [0]",
             "0.0 cold passed made passes [0]"}));
}

}  // namespace
}  // namespace redbench
