// Blocks that cannot continue: the handler of a thread's faults, and error messages that say which thread,
// where, and why.

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <mutex>
#include <utility>

#include "src/simt/block.hpp"
#include "src/simt/memory.hpp"

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

FaultStack::FaultStack() : memory_(reserve(fault_stack_bytes)) {
  static std::once_flag installed;
  std::call_once(installed, install_handlers);
  stack_t stack{};
  stack.ss_sp = memory_;
  stack.ss_size = fault_stack_bytes;
  if (memory_) sigaltstack(&stack, nullptr);
}

FaultStack::~FaultStack() {
  if (!memory_) return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(memory_, fault_stack_bytes);
}

std::string_view name_of(WarpOp op) {
  static constexpr std::array<std::string_view, 18> names{
      "__syncwarp",        "__ballot_sync",     "__all_sync",        "__any_sync",        "__match_any_sync",
      "__match_all_sync",  "__shfl_sync",       "__shfl_up_sync",    "__shfl_down_sync",  "__shfl_xor_sync",
      "__reduce_add_sync", "__reduce_min_sync", "__reduce_max_sync", "__reduce_min_sync", "__reduce_max_sync",
      "__reduce_and_sync", "__reduce_or_sync",  "__reduce_xor_sync"};
  return names[std::size_t(op)];
}

std::string describe_wait(const Thread& thread) {
  std::string what;
  switch (thread.wait) {
    case Wait::collective:
      what = fmt::format("{} with mask {:#010x}", name_of(thread.op), thread.mask);
      break;
    case Wait::block_barrier:
      what = "__syncthreads";
      break;
    case Wait::named_barrier:
      what = fmt::format("named barrier {}", thread.barrier);
      break;
    case Wait::grid_barrier:
      what = "grid_sync";
      break;
    case Wait::ended:
      return "its end";
    case Wait::nothing:
      return "a spin";
  }
  return fmt::format("{} ({})", what, to_string(line_of_call(thread.where)));
}

void BlockRunner::report(const std::string& what, const Thread* thread, const void* where) {
  std::string place = fmt::format("kernel {}, block {}", launch_->source.name, running.block);
  if (thread) place += fmt::format(", thread {}", thread->number);
  if (where) place += fmt::format(" ({})", to_string(line_of_call(where)));
  launch_->fail(running.block, place + ": " + what);
}

std::string BlockRunner::deadlock_report() const {
  std::string text = "no thread can go on:";
  const int threads = launch_->grid().threads;
  for (int first = 0, end; first < threads; first = end) {  // threads that wait for the same
    const std::string wait = describe_wait(threads_[first]);
    for (end = first + 1; end < threads && describe_wait(threads_[end]) == wait;) ++end;
    const bool is_one = end - first == 1;
    text += is_one ? fmt::format(" thread {} ", first) : fmt::format(" threads {} to {} ", first, end - 1);
    if (wait == "its end") text += is_one ? "has ended;" : "have ended;";
    else text += fmt::format("{} in {};", is_one ? "waits" : "wait", wait);
  }
  text.pop_back();
  for (int id = 1; id < named_barriers; ++id)
    if (const NamedBarrier& barrier = named_[id]; barrier.expected)
      text +=
          fmt::format("; {} of {} threads are at named barrier {}", barrier.arrived, barrier.expected, id);
  return text;
}

void BlockRunner::report_fault() {
  const Thread& thread = *std::exchange(running.thread, nullptr);
  // The line of the instruction itself; inside the model (an atomic, say), of the call that led there.
  const void* where = fault_.pc ? static_cast<const char*>(fault_.pc) + 1 : thread.where;
  if (const SourceLine line = line_of_call(where); !line.line || line.file.starts_with("src/simt/"))
    where = thread.where;

  std::string what;
  if (fault_.signal == SIGFPE) what = "integer division by zero, or its like, which a GPU leaves undefined";
  else if (stacks_.guards(fault_.address)) what = stack_overflow;
  else if (shared_.guards(fault_.address))
    what = fmt::format("accesses byte {} of {} bytes of dynamic shared memory",
                       static_cast<const std::byte*>(fault_.address) - shared_.base(), shared_.bytes());
  else what = fmt::format("accesses address {}, which is no memory of the device", fault_.address);
  report(what, &thread, where);
}

}  // namespace redbench::simt
