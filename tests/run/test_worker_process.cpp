// A child process and what goes to it and comes back, of a child that does as it is asked.
#include "src/run/worker_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <system_error>

#include "tests/run_support.hpp"

namespace redbench {
namespace {

constexpr int most_files = 256;  // descriptors that are looked at

void put(int descriptor, const std::string& text) {
  if (::write(descriptor, text.data(), text.size()) != ssize_t(text.size())) ::_exit(1);
}

/// The child of the tests below: it runs the program of its parent, which is that of the tests.
TEST(AskedWorker, DISABLED_DoesAsItIsAsked) {
  ASSERT_TRUE(std::getenv("REDBENCH_TEST_ASKED")) << "it is no test";
  for (std::string line; std::getline(std::cin, line);) {
    const Json asked = Json::parse(line);
    if (asked.contains("raw")) put(3, asked["raw"]);
    if (asked.contains("say")) {
      put(1, asked["say"][0]);
      put(2, asked["say"][1]);
    }
    if (asked.contains("process")) {
      Json files = Json::array();
      for (int file = 0; file < most_files; ++file)
        if (::fcntl(file, F_GETFD) >= 0) files.push_back(file);
      put(3, Json{{"leads its group", ::getpgrp() == ::getpid()}, {"files", files}}.dump() + '\n');
    }
    if (asked.contains("fork")) {
      const pid_t copy = ::fork();
      while (copy == 0) ::pause();
      put(3, std::to_string(copy) + '\n');
    }
    if (asked.contains("end")) {  // it sends no more, and ends after so many milliseconds with this code
      ::close(3);
      ::usleep(asked["end"][0].get<unsigned>() * 1000);
      ::_exit(asked["end"][1].get<int>());
    }
  }
  ::_exit(9);
}

class WorkerProcesses : public testing::Test {
 protected:
  WorkerProcesses() {
    ::alarm(300);  // ends this program where it waits for a child
  }
  ~WorkerProcesses() override {
    ::alarm(0);
    ::signal(SIGPIPE, SIG_DFL);  // a WorkerProcess ignores it
  }
  /// What has come, once something has; sends what is still to be sent meanwhile.
  static std::vector<Json> answers(WorkerProcess& child, const Json& asked) {
    child.send(asked);
    for (;;) {
      pollfd ready[] = {{child.messages(), POLLIN, 0}, {child.unsent(), POLLOUT, 0}};
      ::poll(ready, 2, -1);
      if (ready[1].revents) child.send_rest();
      if (!ready[0].revents) continue;
      std::vector<Json> messages;
      open_ = child.receive(messages);
      return messages;
    }
  }
  /// Descriptors of this process; those that a program which it starts has, too.
  static std::vector<int> files(bool inherited = false) {
    std::vector<int> all;
    for (int file = 0; file < most_files; ++file)
      if (const int flags = ::fcntl(file, F_GETFD); flags >= 0 && !(inherited && (flags & FD_CLOEXEC)))
        all.push_back(file);
    return all;
  }

  static inline bool open_ = false;  // as `answers` found the stream
  const std::vector<std::string> variables_{"GTEST_FILTER=AskedWorker.*", "GTEST_ALSO_RUN_DISABLED_TESTS=1",
                                            "REDBENCH_TEST_ASKED=1"};
};

// The bugs: of a line that came in parts one was lost, or came twice.
TEST_F(WorkerProcesses, ALineIsAMessageHoweverItsPartsCome) {
  using Messages = std::vector<Json>;
  WorkerProcess child(variables_);
  const auto after = [&](const char* raw) { return answers(child, {{"raw", raw}}); };
  EXPECT_EQ(after("{\"a\":1}\n{\"b\""), (Messages{{{"a", 1}}}));
  EXPECT_EQ(after(":2}\n"), (Messages{{{"b", 2}}}));
  EXPECT_EQ(after("{\"c\":3}\n[4]\n5\n"), (Messages{{{"c", 3}}, Json::array({4}), 5}));
  EXPECT_EQ(after("6"), Messages());
  EXPECT_TRUE(open_) << "a byte alone is no end";
  EXPECT_EQ(after("\n{"), (Messages{6}));
  EXPECT_EQ(after("}\n"), (Messages{Json::object()}));
  EXPECT_TRUE(open_);
  EXPECT_EQ(answers(child, {{"end", {0, 5}}}), Messages());
  EXPECT_FALSE(open_);
}

// An ending has the last 600 characters of both its streams. One that has closed its messages and lives on is
// killed in the end.
TEST_F(WorkerProcesses, TheLastWordsOfAChildAreInItsEnding) {
  const std::string output(400, 'o'), errors(300, 'e');
  const auto ending = [&](int milliseconds, double patience_s) {
    WorkerProcess child(variables_);
    child.send({{"say", {output + "\n", errors + "\n\n"}}});
    EXPECT_EQ(answers(child, {{"end", {milliseconds, 5}}}), std::vector<Json>());
    EXPECT_FALSE(open_);
    const std::string text = child.ending(patience_s);
    child.stop();
    EXPECT_EQ(child.ending(), text) << "asked again";
    return text;
  };
  const std::string words = ": " + output.substr(0, 297) + " " + errors;
  EXPECT_EQ(ending(60, 5), "ended with exit code 5" + words);
  EXPECT_EQ(ending(500'000, 0.1), "killed by signal 9 (Killed)" + words);
}

// The bugs: a key that interrupts the terminal reached the child, too; a pipe that another process holds, as
// well, never ends; a child that is no longer needed went on, or stayed as a zombie.
TEST_F(WorkerProcesses, AChildHasAGroupAndFourStreamsOfItsOwn) {
  const std::vector<int> before = files();
  std::vector<int> expected{0, 1, 2, 3};
  for (const int file : files(true))
    if (file > 3) expected.push_back(file);
  {
    const WorkerProcess first(variables_);
    WorkerProcess second(variables_);
    EXPECT_EQ(files().size(), before.size() + 6) << "to each, from each, and the errors of each";
    EXPECT_EQ(answers(second, {{"process", true}}),
              (std::vector<Json>{{{"leads its group", true}, {"files", expected}}}));
  }
  EXPECT_EQ(files(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// The bug: a kernel that calls fork() left processes behind, which went on when their parent was killed or
// had ended.
TEST_F(WorkerProcesses, WhatAChildHasStartedEndsWithIt) {
  for (const bool by_itself : {false, true}) {
    WorkerProcess child(variables_);
    const std::string copy = "/proc/" + answers(child, {{"fork", true}})[0].dump() + "/stat";
    if (by_itself) child.send({{"end", {0, 0}}});
    else child.stop();
    child.ending();
    const auto lives = [&] {
      std::string text;
      std::getline(std::ifstream(copy), text);
      return !text.empty() && text.find(") Z ") == text.npos && text.find(") X ") == text.npos;
    };
    for (int wait = 0; wait < 500 && lives(); ++wait) ::usleep(10'000);
    EXPECT_FALSE(lives()) << by_itself;
  }
}

// A variable is 128 KiB long at the most. What was opened for a child that cannot be started is closed.
TEST_F(WorkerProcesses, ThatCannotBeStartedAreAnError) {
  const std::vector<int> before = files();
  const auto error_with = [](const std::string& variable) {
    return message_of<std::system_error>([&] { const WorkerProcess child({variable}); });
  };
  const std::string message = error_with("TOO_LONG=" + std::string(200'000, 'x'));
  EXPECT_TRUE(message.ends_with(": Argument list too long")) << message;
  EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace redbench
