#include "src/simt/faults.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <mutex>

#include "src/simt/block.hpp"

namespace redbench::simt {
namespace {

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE};
constexpr std::size_t fault_stack_bytes = 64 * 1024;
struct sigaction previous[64];

const void* program_counter([[maybe_unused]] void* context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

void on_fault(int signal, siginfo_t* info, void* context) {
  if (running.thread) {
    // A sanitizer's handler, which stands between, blocks all signals, and a jump leaves them blocked.
    pthread_sigmask(SIG_SETMASK, &static_cast<ucontext_t*>(context)->uc_sigmask, nullptr);
    running.runner->escape({signal, info->si_addr, program_counter(context)});
  }
  // Not a kernel's fault: the instruction is repeated under the previous handler.
  sigaction(signal, &previous[signal], nullptr);
}

void install_handlers() {
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  // Not blocked while it is handled: the handler leaves by a jump.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int signal : signals) sigaction(signal, &action, &previous[signal]);
}

}  // namespace

FaultStack::FaultStack() {
  static std::once_flag installed;
  std::call_once(installed, install_handlers);
  memory_ = static_cast<std::byte*>(
      mmap(nullptr, fault_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  stack_t stack{};
  stack.ss_sp = memory_;
  stack.ss_size = fault_stack_bytes;
  if (memory_ != MAP_FAILED) sigaltstack(&stack, nullptr);
}

FaultStack::~FaultStack() {
  if (memory_ == MAP_FAILED) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory_, fault_stack_bytes);
}

}  // namespace redbench::simt
