#include "src/run/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "src/json/parse.hpp"

extern char** environ;

namespace redbench {
namespace {

void require(bool done, const char* what) {
  if (!done) throw std::system_error(errno, std::generic_category(), what);
}

struct Pipe {
  Pipe() {
    int ends[2];
    require(::pipe2(ends, O_CLOEXEC) == 0, "making a pipe to a worker process");
    read = Descriptor(ends[0]);
    write = Descriptor(ends[1]);
  }
  Descriptor read, write;
};

/// This thread on some of its cores, for as long as it lives.
class OnCores {
 public:
  explicit OnCores(const std::vector<int>& cores) {
    if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    cpu_set_t some;
    CPU_ZERO(&some);
    for (const int core : cores)
      if (core < CPU_SETSIZE && CPU_ISSET(core, &before_)) CPU_SET(core, &some);
    is_bound_ = CPU_COUNT(&some) > 0 && ::sched_setaffinity(0, sizeof some, &some) == 0;
  }
  ~OnCores() {
    if (is_bound_) ::sched_setaffinity(0, sizeof before_, &before_);
  }
  OnCores(const OnCores&) = delete;
  OnCores& operator=(const OnCores&) = delete;

 private:
  cpu_set_t before_{};
  bool is_bound_ = false;
};

}  // namespace

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

WorkerProcess::WorkerProcess(const std::vector<std::string>& variables, const std::vector<int>& cores) {
  ::signal(SIGPIPE, SIG_IGN);  // a child that died shows in the write's result
  Pipe down, up;
  errors_ = Descriptor(::memfd_create("redbench-worker-errors", MFD_CLOEXEC));
  require(errors_.number() >= 0, "making the error stream of a worker process");

  // Duplicated above 3 first: dup2 onto itself would leave close-on-exec set.
  const Descriptor events(::fcntl(up.write.number(), F_DUPFD_CLOEXEC, 4));
  require(events.number() >= 0, "making a pipe to a worker process");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, down.read.number(), 0);
  posix_spawn_file_actions_adddup2(&actions, errors_.number(), 1);
  posix_spawn_file_actions_adddup2(&actions, errors_.number(), 2);
  posix_spawn_file_actions_adddup2(&actions, events.number(), 3);

  // A process group of its own: a key that interrupts the terminal reaches the parent alone.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);

  std::vector<std::string> added = variables;
  std::vector<char*> environment;
  for (std::string& variable : added) environment.push_back(variable.data());
  // Of two with one name the first counts.
  for (char** variable = environ; *variable; ++variable) environment.push_back(*variable);
  environment.push_back(nullptr);

  std::string program = "redbench", command = "worker";
  char* const arguments[] = {program.data(), command.data(), nullptr};
  const OnCores inherited(cores);  // before OpenMP counts the cores as it is loaded
  const int error =
      ::posix_spawn(&child_, "/proc/self/exe", &actions, &attributes, arguments, environment.data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  to_child_ = std::move(down.write);
  ::fcntl(to_child_.number(), F_SETFL, O_NONBLOCK);
  from_child_ = std::move(up.read);
  errno = error;
  require(error == 0, "starting a worker process");
}

WorkerProcess::~WorkerProcess() { stop(); }

void WorkerProcess::send(const Json& message) {
  unsent_ += message.dump() + '\n';
  send_rest();
}

void WorkerProcess::send_rest() {
  while (!unsent_.empty()) {
    const ssize_t written = ::write(to_child_.number(), unsent_.data(), unsent_.size());
    if (written >= 0) unsent_.erase(0, std::size_t(written));
    else if (errno == EAGAIN) return;
    else if (errno != EINTR) unsent_.clear();
  }
}

bool WorkerProcess::receive(std::vector<Json>& messages) {
  char bytes[1 << 16];
  const ssize_t count = ::read(from_child_.number(), bytes, sizeof bytes);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  unread_.append(bytes, std::size_t(count));
  std::size_t start = 0;
  for (std::size_t end; (end = unread_.find('\n', start)) != std::string::npos; start = end + 1)
    messages.push_back(parse_json(unread_.substr(start, end - start)));
  unread_.erase(0, start);
  constexpr std::size_t most = std::size_t(64) << 20;  // no record is so long
  if (unread_.size() > most) {
    messages.emplace_back(Json::value_t::discarded);
    unread_.clear();
  }
  return count > 0;
}

void WorkerProcess::signal(int number) const {
  if (!status_ && !is_left_) ::kill(-child_, number);
}

bool WorkerProcess::has_ended_within(double patience_s) {
  constexpr double pause_s = 0.01;
  for (double waited_s = 0; !status_; waited_s += pause_s) {
    siginfo_t info{};
    if (::waitid(P_PID, id_t(child_), &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid == child_) {
      signal(SIGKILL);  // what it has started; until it is waited for, its number is no other group's
      int status = 0;
      ::waitpid(child_, &status, 0);
      status_ = status;
    } else if (waited_s >= patience_s) {
      return false;
    } else {
      ::usleep(useconds_t(pause_s * 1e6));
    }
  }
  return true;
}

bool WorkerProcess::stop(double patience_s) {
  signal(SIGKILL);
  if (!is_left_) is_left_ = !has_ended_within(patience_s);
  return !is_left_;
}

void WorkerProcess::finish(double patience_s) {
  to_child_ = Descriptor();
  has_ended_within(patience_s);
}

std::string WorkerProcess::ending(double patience_s) {
  if (!is_left_ && !has_ended_within(patience_s)) stop();
  if (!status_) return "killed, and does not end";
  std::string text = WIFSIGNALED(*status_) ? fmt::format("killed by signal {} ({})", WTERMSIG(*status_),
                                                         strsignal(WTERMSIG(*status_)))
                                           : fmt::format("ended with exit code {}", WEXITSTATUS(*status_));
  // The last lines say why; a library may have written any amount before.
  constexpr off_t most = 600;
  const off_t size = ::lseek(errors_.number(), 0, SEEK_END);
  std::string tail(std::size_t(std::min(size, most)), '\0');
  const ssize_t count = ::pread(errors_.number(), tail.data(), tail.size(), size - off_t(tail.size()));
  tail.resize(count > 0 ? std::size_t(count) : 0);
  while (!tail.empty() && tail.back() == '\n') tail.pop_back();
  std::replace(tail.begin(), tail.end(), '\n', ' ');
  return tail.empty() ? text : text + ": " + tail;
}

}  // namespace redbench
