// What a parent makes of workers that die, are silent or listen late: of workers that do just that.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "src/run/worker.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char *roles_variable = "REDBENCH_TEST_ROLES", *count_variable = "REDBENCH_TEST_COUNT";

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
  std::string line;
  std::getline(std::cin, line);
  tell({Json{{"up", true}}, Json{{"ready", true}}});
  while (std::getline(std::cin, line)) {
    if (role == 'd') ::_exit(7);  // it dies before any case
    const Json task = Json::parse(line);
    if (role == 'i') {  // it is idle for longer than a case may be silent
      tell({Json{{"running", task["wanted"][0][0]}}, Json{{"idle", true}}});
      ::usleep(800'000);
      role = 'w';
    }
    for (const Json& wanted : task["wanted"])
      tell({Json{{"case", wanted[0]}, {"mode", wanted[1]}, {"record", {{"reason", "made"}}}}});
    tell({Json{{"done", task["cell"]}}});
  }
  ::_exit(0);
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

  TemporaryFolder folder_;
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

}  // namespace
}  // namespace redbench
