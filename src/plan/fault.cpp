#include "src/plan/fault.hpp"

#include <array>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <vector>

namespace redbench {
namespace {

constexpr std::array faults{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

thread_local sigjmp_buf* before = nullptr;

void jump_back(int signal) { siglongjmp(*before, signal); }

/// Handlers of faults, on a stack of their own, for as long as it lives.
class Handlers {
 public:
  Handlers() {
    stack_t own{};
    own.ss_sp = stack_.data();
    own.ss_size = stack_.size();
    ::sigaltstack(&own, &old_stack_);
    struct sigaction action {};
    action.sa_handler = jump_back;
    action.sa_flags = SA_ONSTACK;
    for (std::size_t i = 0; i < faults.size(); ++i) ::sigaction(faults[i], &action, &old_[i]);
  }
  ~Handlers() {
    for (std::size_t i = 0; i < faults.size(); ++i) ::sigaction(faults[i], &old_[i], nullptr);
    ::sigaltstack(&old_stack_, nullptr);
  }

 private:
  std::vector<char> stack_ = std::vector<char>(64 << 10);
  stack_t old_stack_{};
  std::array<struct sigaction, faults.size()> old_{};
};

}  // namespace

std::string fault_in(const std::function<void()>& work) {
  const Handlers handlers;
  sigjmp_buf here;
  if (const int signal = sigsetjmp(here, 1); signal != 0) return ::strsignal(signal);
  before = &here;
  work();
  return {};
}

}  // namespace redbench
