// What goes to a child process and comes back from it, of a child that does as it is asked.
#include "src/run/worker_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

extern char** environ;

namespace redbench {
namespace {

constexpr std::string_view prefix = "REDBENCH_TEST_ASKED_";
constexpr int most_files = 256;  // descriptors that are looked at

void put(int descriptor, const std::string& text) {
  if (::write(descriptor, text.data(), text.size()) != ssize_t(text.size())) ::_exit(1);
}

/// The child of the tests below.
TEST(AskedWorker, DISABLED_DoesAsItIsAsked) {
  ASSERT_TRUE(std::getenv("REDBENCH_TEST_ASKED")) << "it is no test";
  for (std::string line; std::getline(std::cin, line);) {
    const Json asked = Json::parse(line);
    if (asked.contains("raw")) put(3, asked["raw"]);
    if (asked.contains("say")) {
      put(1, asked["say"][0]);
      put(2, asked["say"][1]);
    }
    if (asked.contains("length")) {
      const std::string text = asked["length"];
      put(3, Json{{"length", text.size()}, {"last", text.substr(text.size() - 2)}}.dump() + '\n');
    }
    if (asked.contains("environment")) {
      Json found = Json::array();
      for (char** variable = environ; *variable; ++variable)
        if (std::string_view(*variable).starts_with(prefix)) found.push_back(*variable);
      std::sort(found.begin(), found.end());
      put(3, found.dump() + '\n');
    }
    if (asked.contains("process")) {
      Json files = Json::array();
      for (int file = 0; file < most_files; ++file)
        if (::fcntl(file, F_GETFD) >= 0) files.push_back(file);
      put(3, Json{{"leads its group", ::getpgrp() == ::getpid()}, {"files", files}}.dump() + '\n');
    }
    if (asked.contains("end")) {  // it tells no more, and ends after so many milliseconds with this code
      ::close(3);
      ::usleep(asked["end"][0].get<unsigned>() * 1000);
      ::_exit(asked["end"][1].get<int>());
    }
  }
  ::_exit(9);
}

class WorkerStreams : public testing::Test {
 protected:
  WorkerStreams() { ::alarm(300); }  // ends this program where it waits for a child
  ~WorkerStreams() override {
    ::alarm(0);
    ::signal(SIGPIPE, SIG_DFL);  // a WorkerProcess ignores it
  }
  static std::vector<std::string> variables(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"GTEST_FILTER=AskedWorker.*", "GTEST_ALSO_RUN_DISABLED_TESTS=1",
                                 "REDBENCH_TEST_ASKED=1"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// What has come, once something has; sends what is still to be sent meanwhile.
  static std::vector<Json> received(WorkerProcess& child) {
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
  static std::vector<Json> answers(WorkerProcess& child, const Json& asked) {
    child.send(asked);
    return received(child);
  }
  /// Descriptors of this process; those that a program which it starts has, too.
  static std::vector<int> files(bool inherited = false) {
    std::vector<int> all;
    for (int file = 0; file < most_files; ++file)
      if (const int flags = ::fcntl(file, F_GETFD); flags >= 0 && !(inherited && (flags & FD_CLOEXEC)))
        all.push_back(file);
    return all;
  }

  static inline bool open_ = false;  // as `received` found it
};

// The bugs: of a line that came in parts one was lost, or told twice.
TEST_F(WorkerStreams, ALineIsAMessageHoweverItsPartsCome) {
  using Messages = std::vector<Json>;
  WorkerProcess child(variables());
  const auto after = [&](const char* raw) { return answers(child, {{"raw", raw}}); };
  EXPECT_EQ(after("{\"a\":1}\n{\"b\""), (Messages{{{"a", 1}}}));
  EXPECT_EQ(after(":2}\n"), (Messages{{{"b", 2}}}));
  EXPECT_EQ(after("{\"c\":3}\n[4]\n5\n"), (Messages{{{"c", 3}}, Json::array({4}), 5}));
  EXPECT_EQ(after("{\"d\":"), Messages());
  EXPECT_TRUE(open_) << "nothing is whole yet";
  EXPECT_EQ(after("6"), Messages());
  EXPECT_TRUE(open_) << "a byte alone is no end";
  EXPECT_EQ(after("}\n{"), (Messages{{{"d", 6}}}));
  EXPECT_EQ(after("}\n"), (Messages{Json::object()}));
  EXPECT_TRUE(open_);
  EXPECT_EQ(answers(child, {{"end", {0, 5}}}), Messages());
  EXPECT_FALSE(open_);
}

// The bugs: a message waited for someone to ask for it; what a pipe did not take at once was lost.
TEST_F(WorkerStreams, AMessageIsSentAtOnceAndALongOneInParts) {
  WorkerProcess child(variables());
  EXPECT_EQ(child.unsent(), -1);
  child.send({{"length", "xyz"}});
  EXPECT_EQ(child.unsent(), -1);
  EXPECT_EQ(received(child), (std::vector<Json>{{{"length", 3}, {"last", "yz"}}}));
  const std::size_t length = std::size_t(3) << 20;
  EXPECT_EQ(answers(child, {{"length", std::string(length, 'x') + "ab"}}),
            (std::vector<Json>{{{"length", length + 2}, {"last", "ab"}}}));
  EXPECT_EQ(child.unsent(), -1);
  EXPECT_EQ(answers(child, {{"length", "pq"}}), (std::vector<Json>{{{"length", 2}, {"last", "pq"}}}));
}

// The bug: what a child no longer read was tried for ever, or kept.
TEST_F(WorkerStreams, NothingIsKeptForOneThatHasEnded) {
  WorkerProcess child(variables());
  child.stop();
  child.send({{"length", "xyz"}});
  EXPECT_EQ(child.unsent(), -1);
  std::vector<Json> messages;
  EXPECT_FALSE(child.receive(messages));
  EXPECT_TRUE(messages.empty());
  child.stop();
  EXPECT_TRUE(child.ending().starts_with("killed by signal 9 (Killed)"));
}

// Of what it said on both its streams the last 600 characters are told. One that needs a while to end has it.
TEST_F(WorkerStreams, TheEndOfWhatAChildSaidIsInItsEnding) {
  WorkerProcess child(variables());
  const std::string output(400, 'o'), errors(300, 'e');
  child.send({{"say", {output + "\n", errors + "\n\n"}}});
  EXPECT_EQ(answers(child, {{"end", {60, 5}}}), std::vector<Json>());
  EXPECT_FALSE(open_);
  const std::string expected = "ended with exit code 5: " + output.substr(0, 297) + " " + errors;
  EXPECT_EQ(child.ending(), expected);
  EXPECT_EQ(child.ending(), expected) << "asked again";
  child.stop();
  EXPECT_EQ(child.ending(), expected) << "it has ended";
}

// The bug: one that has closed its messages and goes on was waited for without end. It has five seconds.
TEST_F(WorkerStreams, OneThatDoesNotEndIsKilled) {
  WorkerProcess child(variables());
  child.send({{"say", {std::string(601, 'o'), ""}}});
  EXPECT_EQ(answers(child, {{"end", {500'000, 5}}}), std::vector<Json>());
  EXPECT_EQ(child.ending(), "killed by signal 9 (Killed): " + std::string(600, 'o'));
}

// The bug: a variable was left out, was there twice, or went by another one's name.
TEST_F(WorkerStreams, TheEnvironmentIsThatOfTheParentButForTheVariables) {
  const std::string name(prefix);
  ::setenv((name + "A").c_str(), "1=2", 1);
  ::setenv((name + "AB").c_str(), "3", 1);
  ::setenv((name + "ABC").c_str(), "4", 1);
  ::setenv((name + "B").c_str(), "", 1);
  WorkerProcess child(variables({name + "AB=new", name + "D=more", name + "B=x=y"}));
  EXPECT_EQ(answers(child, {{"environment", true}}),
            (std::vector<Json>{
                {name + "A=1=2", name + "AB=new", name + "ABC=4", name + "B=x=y", name + "D=more"}}));
  for (const char* variable : {"A", "AB", "ABC", "B"}) ::unsetenv((name + variable).c_str());
}

// The bugs: a key that interrupts the terminal reached the child, too; a pipe that another process holds,
// as well, never ends.
TEST_F(WorkerStreams, AChildHasAGroupAndFourStreamsOfItsOwn) {
  const std::vector<int> before = files();
  std::vector<int> expected{0, 1, 2, 3};
  for (const int file : files(true))
    if (file > 3) expected.push_back(file);
  {
    const WorkerProcess first(variables());
    WorkerProcess second(variables());
    EXPECT_EQ(files().size(), before.size() + 6) << "to each, from each, and the errors of each";
    EXPECT_EQ(answers(second, {{"process", true}}),
              (std::vector<Json>{{{"leads its group", true}, {"files", expected}}}));
  }
  EXPECT_EQ(files(), before);
}

// The bug: what each was started with stayed, some 270 bytes.
TEST_F(WorkerStreams, NoMemoryStaysBehind) {
  { const WorkerProcess first(variables()); }
  const std::size_t before = ::mallinfo2().uordblks;
  for (int i = 0; i < 20; ++i) const WorkerProcess child(variables());
  EXPECT_LT(::mallinfo2().uordblks, before + 4000);
}

}  // namespace
}  // namespace redbench
