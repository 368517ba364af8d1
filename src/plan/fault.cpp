#include "src/plan/fault.hpp"

#include <unistd.h>

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "src/error.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

constexpr std::array signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM};

/// What is under way. Its messages are made before: a signal may come while memory is given out.
struct Watch {
  explicit Watch(const std::string& name)
      : endless(message(name, "has not returned after ten seconds")),
        end(message(name, "ends the process")) {}

  static std::string message(const std::string& name, const std::string& what) {
    return "redbench: " + printable(name) + " " + what + " while it is planned\n";
  }

  sigjmp_buf before;
  std::string endless, end;
};
thread_local Watch* watch = nullptr;

void jump_back(int signal) { siglongjmp(watch->before, signal); }

[[noreturn]] void end_with(const std::string& message) {
  (void)!::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(exit_usage);
}
void at_timer(int) { end_with(watch->endless); }
void at_exit() {
  if (watch) end_with(watch->end);
}

/// SIGVTALRM once this thread has computed for ten seconds of its life.
class Timer {
 public:
  Timer() {
    sigevent event{};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGVTALRM;
    event._sigev_un._tid = ::gettid();
    is_made_ = ::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer_) == 0;
    const itimerspec ten_seconds{{}, {10, 0}};
    if (is_made_) ::timer_settime(timer_, 0, &ten_seconds, nullptr);
  }
  ~Timer() {
    if (is_made_) ::timer_delete(timer_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  timer_t timer_{};
  bool is_made_ = false;
};

/// Handlers of signals, on a stack of their own, for as long as it lives.
class Handlers {
 public:
  explicit Handlers(Watch& of) {
    stack_t own{};
    own.ss_sp = stack_.data();
    own.ss_size = stack_.size();
    ::sigaltstack(&own, &old_stack_);
    struct sigaction action {};
    action.sa_flags = SA_ONSTACK;
    for (std::size_t i = 0; i < signals.size(); ++i) {
      action.sa_handler = signals[i] == SIGVTALRM ? at_timer : jump_back;
      ::sigaction(signals[i], &action, &old_[i]);
    }
    watch = &of;
  }
  ~Handlers() {
    watch = nullptr;
    for (std::size_t i = 0; i < signals.size(); ++i) ::sigaction(signals[i], &old_[i], nullptr);
    ::sigaltstack(&old_stack_, nullptr);
  }

 private:
  std::vector<char> stack_ = std::vector<char>(64 << 10);
  stack_t old_stack_{};
  std::array<struct sigaction, signals.size()> old_{};
};

}  // namespace

std::string fault_in(const std::string& name, const std::function<void()>& work) {
  static const bool exits_are_seen = std::atexit(at_exit) == 0;
  (void)exits_are_seen;
  Watch own(name);
  const Handlers handlers(own);
  const Timer timer;
  if (const int signal = sigsetjmp(own.before, 1); signal != 0) return ::strsignal(signal);
  work();
  return {};
}

}  // namespace redbench
