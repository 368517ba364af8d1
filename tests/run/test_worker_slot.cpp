// What a parent makes of workers that die, are silent or listen late: of workers that do just that.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "src/run/worker.hpp"
#include "tests/run_support.hpp"
#include "tests/terminal_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr const char *roles_variable = "REDBENCH_TEST_ROLES", *count_variable = "REDBENCH_TEST_COUNT",
                     *signal_variable = "REDBENCH_TEST_SIGNAL";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "none";
}

/// At once, so that nothing is seen between two messages.
void tell(const std::vector<Json>& messages) {
  std::string line;
  for (const Json& message : messages) line += message.dump() + '\n';
  if (::write(3, line.data(), line.size()) != ssize_t(line.size())) ::_exit(1);
}

/// The worker of the tests below, each of which has a list of roles: the first process plays the first.
TEST(PlayedWorker, DISABLED_DoesAsItIsTold) {
  const char *const roles = std::getenv(roles_variable), *const count = std::getenv(count_variable);
  ASSERT_TRUE(roles && count);
  const std::size_t number = std::filesystem::file_size(count);
  std::ofstream(count, std::ios::app) << '+';
  char role = std::string(roles).at(number);
  if (role == 'l') ::usleep(200'000);  // it listens late
  if (role == 'L') ::usleep(800'000);  // later than a case may be silent
  if (role == 'q') ::sleep(60);        // it says nothing at all
  std::string line;
  std::getline(std::cin, line);
  tell({Json{{"up", true}}, Json{{"ready", true}}});
  if (role == 'u') ::sleep(60);  // it says nothing more
  while (std::getline(std::cin, line)) {
    if (role == 'd') ::_exit(7);  // it dies before any case
    const Json task = Json::parse(line);
    const Json running{{"running", task["wanted"][0][0]}};
    if (role == 's') {  // a signal comes to its parent while it is silent
      ::kill(::getppid(), std::stoi(variable(signal_variable)));
      ::sleep(60);
    }
    if (role == 'k' || role == 'h') tell({running});
    if (role == 'k') ::_exit(7);   // it dies of a case
    if (role == 'h') ::sleep(60);  // or hangs on one
    if (role == 'i') {             // it is idle for longer than a case may be silent
      tell({running, Json{{"idle", true}}});
      ::usleep(800'000);
      role = 'w';
    }
    for (const Json& wanted : task["wanted"]) {
      if (role == 'r') tell({Json{{"running", wanted[0]}}});
      Json record{{"outcome", "failed"}, {"reason", "made"}};
      if (role == 'e')
        record["reason"] = variable("REDBENCH_SIMT_THREADS") + " " + variable("OMP_NUM_THREADS");
      if (wanted[0] == 0) record["time_ns"] = 5;
      if (wanted[0] == 1) record["time_ns"] = nullptr;
      tell({Json{{"case", wanted[0]}, {"mode", wanted[1]}, {"record", record}}});
      if (role == 'p') ::_exit(7);         // it dies after the first record
      if (role == 'z') ::usleep(700'000);  // or takes its time
    }
    tell({Json{{"done", task["cell"]}}});
  }
  ::_exit(0);
}

/// The first cases of these cells.
std::vector<CellTask> tasks_of(const std::vector<std::size_t>& cells, std::size_t cases) {
  std::vector<CellTask> tasks;
  for (const std::size_t cell : cells) {
    tasks.push_back({cell, {}});
    for (std::size_t number = 0; number < cases; ++number)
      tasks.back().wanted.emplace_back(number, Mode::cold);
  }
  return tasks;
}

class WorkerSlots : public testing::Test {
 protected:
  WorkerSlots() {
    ::setenv("GTEST_FILTER", "PlayedWorker.*", 1);
    ::setenv("GTEST_ALSO_RUN_DISABLED_TESTS", "1", 1);
    ::setenv(count_variable, folder_.write("count", "").c_str(), 1);
  }
  ~WorkerSlots() override {
    for (const char* name : {"GTEST_FILTER", "GTEST_ALSO_RUN_DISABLED_TESTS", count_variable, roles_variable})
      ::unsetenv(name);
    ::signal(SIGPIPE, SIG_DFL);  // a WorkerProcess ignores it
  }

  /// Why the first case of each of two cells has the record that it has.
  std::vector<std::string> reasons(const char* roles, const std::string& title = "test") {
    ::setenv(roles_variable, roles, 1);
    Json config = Json::parse(config_text("[1000, 1001]"));
    config["title"] = title;
    config["measure"]["hang_s"] = 0.2;
    const Work work = make_work(
        {.kind = Job::Kind::profile,
         .request = {.config = folder_.write("config.json", config.dump()), .device = "simt:gtx480"}});
    std::vector<std::string> reasons(2);
    run_tasks(
        work, {{0, {{0, Mode::cold}}}, {1, {{0, Mode::cold}}}}, 1, false,
        [&](std::size_t cell, std::size_t, const Record& record) { reasons.at(cell) = record["reason"]; });
    return reasons;
  }

  Work work(const Json& changes = Json::object(), const std::string& device = "simt:gtx480",
            Job::Kind kind = Job::Kind::profile) const {
    Json config = Json::parse(config_text("[1000, 1001, 1002]"));
    config["measure"]["hang_s"] = 0.2;
    config.merge_patch(changes);
    return make_work(
        {.kind = kind, .request = {.config = folder_.write("config.json", config.dump()), .device = device}});
  }
  /// What came of the cases, "cell.case outcome reason", in the order in which it was told.
  std::vector<std::string> told(const char* roles, const Work& work, const std::vector<CellTask>& tasks,
                                int processes = 1) {
    ::setenv(roles_variable, roles, 1);
    folder_.write("count", "");
    std::vector<std::string> lines;
    complete_ = run_tasks(
        work, tasks, processes, false, [&](std::size_t cell, std::size_t number, const Record& record) {
          const std::string reason = record["reason"];
          lines.push_back(
              fmt::format("{}.{} {} {}", cell, number, record["outcome"].get<std::string>(),
                          reason.substr(0, reason.find(": Running main()"))));  // googletest's words
          if (record.value("passes", Json()).is_array()) lines.back() += " passes " + record["passes"].dump();
        });
    return lines;
  }
  /// That have been started.
  std::size_t processes() const { return std::filesystem::file_size(folder_.path() + "/count"); }

  TemporaryFolder folder_;
  bool complete_ = false;
};

// The bug: after a cell that was given up, the first death was the last for each that followed.
TEST_F(WorkerSlots, EachCellIsTriedAgain) {
  EXPECT_THAT(
      reasons("dddw"),
      ElementsAre(HasSubstr("while the inputs were made, its process was ended with exit code 7"), "made"));
}

// The bug: one that makes an exact answer was killed as if its kernel hung.
TEST_F(WorkerSlots, AnIdleOneMayBeSilentForLonger) { EXPECT_THAT(reasons("i"), ElementsAre("made", "made")); }

// The bug: what a pipe did not take at once was never sent. Standard input is one here that no one can write
// to, so that it alone would wake nobody.
TEST_F(WorkerSlots, WhatAPipeDoesNotHoldIsSentLater) {
  const int input = ::dup(STDIN_FILENO);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::dup2(ends[0], STDIN_FILENO);
  const std::vector<std::string> made = reasons("l", std::string(1 << 20, 'x'));
  if (input >= 0) ::dup2(input, STDIN_FILENO);
  else ::close(STDIN_FILENO);
  for (const int descriptor : {input, ends[0], ends[1]}) ::close(descriptor);
  EXPECT_THAT(made, ElementsAre("made", "made"));
}

// The bug: what one process was not sent at once waited until the others had ended.
TEST_F(WorkerSlots, EachIsSentItsOwnRest) {
  Json changes = Json::parse(config_text("[1, 2, 3, 4, 5, 6, 7, 8, 9]"));
  changes["title"] = std::string(1 << 20, 'x');
  Work of = work(changes);
  of.idle_s = 4;  // one process alone would take 7 * 0.7 s
  const std::vector<std::string> told_of = told("zzz", of, tasks_of({0, 1, 2, 3, 4, 5, 6, 7, 8}, 1), 3);
  EXPECT_EQ(told_of.size(), 9u);
  for (const std::string& one : told_of) EXPECT_EQ(one.substr(1), ".0 failed made passes [0]") << one;
  EXPECT_EQ(processes(), 3u);
}

// The bugs: a record, or a case that hung, was forgotten, and the cell given up with the next death.
TEST_F(WorkerSlots, WhatGivesARecordDidNotDieInVain) {
  EXPECT_THAT(told("dpw", work(), tasks_of({0}, 2)),
              ElementsAre("0.0 failed made passes [1]", "0.1 failed made"));
  EXPECT_EQ(processes(), 3u);
  EXPECT_THAT(told("hdw", work(), tasks_of({0}, 2)),
              ElementsAre(HasSubstr("0.0 timeout no sign of life"), "0.1 failed made"));
  EXPECT_TRUE(complete_);
  EXPECT_EQ(processes(), 3u);
}

// A pass is told of what has a time, and counts the processes that were there before.
TEST_F(WorkerSlots, ACaseThatAProcessDiesOfIsItsAlone) {
  EXPECT_THAT(told("kwd", work(), tasks_of({2, 1}, 2)),
              ElementsAre("2.0 failed its process was ended with exit code 7", "2.1 failed made",
                          "1.0 failed made passes [0]", "1.1 failed made"));
  EXPECT_EQ(processes(), 2u) << "the second goes on";
  // The bug: the one that follows was to start as fast as a case gives signs.
  EXPECT_THAT(told("kL", work(), tasks_of({0}, 2)),
              ElementsAre("0.0 failed its process was ended with exit code 7", "0.1 failed made"));
}

// The bug: silence was blamed on the inputs where there was no process yet, or the other way round.
TEST_F(WorkerSlots, ASilentOneIsKilledAndItIsSaidWhatItWasAt) {
  Work waiting = work();
  EXPECT_GT(waiting.idle_s, 10);
  EXPECT_THAT(told("h", waiting, tasks_of({0}, 1)),
              ElementsAre(MatchesRegex(
                  R"(0\.0 timeout no sign of life for [0-4](\.[0-9]+)? s; its process was killed)")));
  waiting.idle_s = 0.3;
  EXPECT_THAT(told("q", waiting, tasks_of({0}, 2)),
              ElementsAre(MatchesRegex(R"(0\.0 timeout as its process started, no sign of life for .*)"),
                          MatchesRegex(R"(0\.1 timeout as its process started, no sign of life for .*)")));
  waiting.idle_s = 1.5;
  EXPECT_THAT(
      told("u", waiting, tasks_of({0}, 1)),
      ElementsAre(MatchesRegex(R"(0\.0 timeout while the inputs were made, no sign of life for .*)")));
  // One that was up says nothing of the next.
  EXPECT_THAT(told("kq", waiting, tasks_of({0}, 2)),
              ElementsAre("0.0 failed its process was ended with exit code 7",
                          MatchesRegex(R"(0\.1 timeout as its process started, no sign of life for .*)")));
}

// The bugs: a run that could not be ended, or that left its own way to end behind.
TEST_F(WorkerSlots, ASignalEndsThemAndIsCaughtNoLonger) {
  const Work of = work();
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction own {
    }, before{}, after{};
    own.sa_handler = [](int) {};
    ::sigaction(signal, &own, &before);
    ::setenv(signal_variable, std::to_string(signal).c_str(), 1);
    ::alarm(20);  // ends this program where it waits for the silent worker
    EXPECT_THAT(told("s", of, tasks_of({0, 1}, 1)), ElementsAre());
    ::alarm(0);
    EXPECT_FALSE(complete_);
    ::sigaction(signal, &before, &after);
    EXPECT_EQ(after.sa_handler, own.sa_handler);
    EXPECT_EQ(told("w", of, tasks_of({0}, 1)).size(), 1u);
    EXPECT_TRUE(complete_) << "a signal ends one run";
  }
  ::unsetenv(signal_variable);
}

TEST_F(WorkerSlots, ThoseThatShareTheCoresHaveOneThreadEach) {
  const std::string threads = variable("OMP_NUM_THREADS");
  ::setenv("REDBENCH_SIMT_THREADS", "3", 1);
  ::setenv("OMP_NUM_THREADS", "4", 1);
  const Work of = work();
  EXPECT_THAT(told("e", of, tasks_of({0}, 1)), ElementsAre("0.0 failed 3 4 passes [0]"));
  EXPECT_THAT(told("ee", of, tasks_of({0, 1}, 1), 2),
              testing::UnorderedElementsAre("0.0 failed 1 1 passes [0]", "1.0 failed 1 1 passes [0]"));
  ::unsetenv("REDBENCH_SIMT_THREADS");
  if (threads == "none") ::unsetenv("OMP_NUM_THREADS");
  else ::setenv("OMP_NUM_THREADS", threads.c_str(), 1);
}

TEST_F(WorkerSlots, AsManyWorkAsAreAskedFor) {
  const Work of = work();
  for (const std::size_t count : {3u, 2u, 1u}) {
    EXPECT_EQ(told("www", of, tasks_of({0, 1, 2}, 1), int(count)).size(), 3u);
    EXPECT_EQ(processes(), count);
  }
}

// Only times are another process's in each fork.
TEST_F(WorkerSlots, ForksAreOfRunsThatTakeTimes) {
  const Json forks{{"measure", {{"forks", 2}}}};
  Json both = forks, host = forks;
  both["experiments"] = Json::parse(config_text("[1000]"))["experiments"];
  both["experiments"][0]["variants"] = {"harris1", "cpu_serial"};
  host["experiments"] = both["experiments"];
  host["experiments"][0]["variants"] = {"cpu_serial"};
  told("ww", work(forks, "simt:gtx480", Job::Kind::run), tasks_of({0}, 1));
  EXPECT_EQ(processes(), 1u) << "the modelled device has no time";
  told("ww", work(both), tasks_of({0}, 1));
  EXPECT_EQ(processes(), 1u) << "a profile takes none";
  told("ww", work(both, "simt:gtx480", Job::Kind::run), tasks_of({0}, 1));
  EXPECT_EQ(processes(), 2u);
  EXPECT_THAT(told("ww", work(host, "host", Job::Kind::run), tasks_of({0}, 1)),
              ElementsAre("0.0 failed in fork 1 of 2: made passes [0,0]"));
  EXPECT_EQ(processes(), 2u);
}

TEST_F(WorkerSlots, RecordsThatHaveComeAreCountedThoughNothingElseIsTold) {
  const Work of = work();
  ::setenv(roles_variable, "z", 1);
  const std::optional<std::string> text = on_terminal(
      [&] { run_tasks(of, tasks_of({0}, 2), 1, true, [](std::size_t, std::size_t, const Record&) {}); });
  if (!text) GTEST_SKIP() << "this machine gives no pseudo-terminal: is /dev/pts mounted?";
  EXPECT_THAT(*text, HasSubstr("]  0 of 2 cases, "));
  EXPECT_THAT(*text, HasSubstr("]  1 of 2 cases, "));
  EXPECT_THAT(*text, testing::EndsWith("\r\033[K"));
}

}  // namespace
}  // namespace redbench
