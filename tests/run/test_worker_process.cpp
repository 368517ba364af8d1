// A child process that cannot be started well, does not listen, or has nothing left to do.
#include "src/run/worker_process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "tests/run_support.hpp"
#include "tests/sanitizer_support.hpp"

namespace redbench {
namespace {

/// The child of a WorkerProcess runs the program of its parent, here that of the tests: this leaves it none.
constexpr const char* no_tests = "GTEST_FILTER=-*";

class WorkerProcesses : public testing::Test {
 protected:
  ~WorkerProcesses() override {
    ::signal(SIGPIPE, SIG_DFL);  // a WorkerProcess ignores it
    ::setrlimit(RLIMIT_NOFILE, &limit_);
  }
  /// No more than this many files are open from now on.
  static void limit_open_files(rlim_t most) {
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = most;
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  }

 private:
  rlimit limit_ = [] {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return limit;
  }();
};

// The bug: a child without an error stream, or without a pipe to tell by, of whose death nothing is known.
TEST_F(WorkerProcesses, AreNotStartedWithoutAllTheirStreams) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer needs a pipe to look at an object's type";
  const auto message_with = [](std::size_t numbers) {
    limit_open_files(128);
    std::vector<int> taken;
    for (int file; (file = ::open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;) taken.push_back(file);
    for (std::size_t i = 0; i < numbers; ++i) ::close(taken.at(i));
    const std::string message = message_of<std::system_error>([] { const WorkerProcess child({no_tests}); });
    for (const int file : taken) ::close(file);  // those that the child left open, too
    return message;
  };
  EXPECT_EQ(message_with(4), "making the error stream of a worker process: Too many open files")
      << "two pipes";
  EXPECT_EQ(message_with(5), "making a pipe to a worker process: Too many open files");
}

// A variable is 128 KiB long at the most.
TEST_F(WorkerProcesses, ThatCannotBeStartedAreAnError) {
  const auto descriptors = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = descriptors();
  const std::string variable = "TOO_LONG=" + std::string(200'000, 'x');
  const std::string message = message_of<std::system_error>([&] { const WorkerProcess child({variable}); });
  EXPECT_TRUE(message.ends_with(": Argument list too long")) << message;
  EXPECT_EQ(descriptors(), before) << "what was opened for it is closed";
}

// The bug: a parent that waits for a child that has stopped reading, and sees to no other, nor to the clock.
TEST_F(WorkerProcesses, WhatIsNotReadIsKeptAndNotWaitedFor) {
  // The child writes its report to a pipe that nobody reads, and waits there.
  const TemporaryFolder folder;
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  WorkerProcess child({no_tests, "GTEST_OUTPUT=xml:" + fifo});
  ::alarm(20);                                               // ends this program where it waits for the child
  child.send(Json(std::string(std::size_t(4) << 20, 'x')));  // more than a pipe holds
  ::alarm(0);
  EXPECT_NE(child.unsent(), -1);
}

// The bug: a child that is no longer needed went on, or stayed as a zombie.
TEST_F(WorkerProcesses, LeaveNoChildBehind) {
  { const WorkerProcess child({no_tests}); }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// The bug: a signal that is handled meanwhile counted as the end of the child.
TEST_F(WorkerProcesses, ASignalIsNotTheirEnd) {
  const TemporaryFolder folder;
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  WorkerProcess child({no_tests, "GTEST_OUTPUT=xml:" + fifo});  // it waits, and tells nothing
  struct sigaction caught {
  }, before{};
  caught.sa_handler = [](int) {};
  ::sigaction(SIGALRM, &caught, &before);
  const itimerval often{{0, 10'000}, {0, 10'000}}, never{};  // the first may come before the wait
  ::setitimer(ITIMER_REAL, &often, nullptr);
  std::vector<Json> messages;
  const bool open = child.receive(messages);
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
  EXPECT_TRUE(open);
  EXPECT_TRUE(messages.empty());
}

/// The error stream of the one child that there is.
int error_stream() {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (std::filesystem::read_symlink(entry, error).string().starts_with("/memfd:redbench-worker-errors"))
      return std::stoi(entry.path().filename());
  }
  return -1;
}

// The bug: of a single character nothing was said.
TEST_F(WorkerProcesses, AllThatWasSaidLastIsInTheirEnding) {
  const TemporaryFolder folder;
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  WorkerProcess child({no_tests, "GTEST_OUTPUT=xml:" + fifo});
  child.stop();
  const int errors = error_stream();
  const auto ending_after = [&](const std::string& text) {
    EXPECT_EQ(::ftruncate(errors, 0), 0);
    EXPECT_EQ(::pwrite(errors, text.data(), text.size(), 0), ssize_t(text.size()));
    return child.ending();
  };
  EXPECT_EQ(ending_after(""), "killed by signal 9 (Killed)");
  EXPECT_EQ(ending_after("x"), "killed by signal 9 (Killed): x");
  EXPECT_EQ(ending_after("one\ntwo\n"), "killed by signal 9 (Killed): one two");
}

// The bug: each kept its devices and inputs until the last of them had done its work.
TEST_F(WorkerProcesses, EndWhenNoWorkIsLeftThoughAnotherStillWorks) {
  cpu_set_t cores;
  ASSERT_EQ(::sched_getaffinity(0, sizeof cores, &cores), 0);
  if (CPU_COUNT(&cores) < 2) GTEST_SKIP() << "verify has one process on one core";
  RunningProgram running("verify -d simt:gtx480 --small -b '^reduce/harris3$'");
  std::vector<pid_t> workers;
  while (workers.size() < 2 && running.lives()) workers = running.workers();
  ASSERT_GE(workers.size(), 2u);
  const pid_t stopped = workers[0];
  ::kill(stopped, SIGSTOP);
  // The others do all but its cell. After some time it would count as hanging, and be killed.
  for (; workers.size() > 1 && std::ranges::count(workers, stopped) == 1; workers = running.workers())
    RunningProgram::pause();
  EXPECT_EQ(workers, std::vector<pid_t>{stopped});
  ::kill(stopped, SIGCONT);
  EXPECT_EQ(running.end(), 0) << "the stopped one went on";
}

}  // namespace
}  // namespace redbench
