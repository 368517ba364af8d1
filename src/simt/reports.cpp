// Error messages of a block that cannot continue: which thread, where, and why.

#include <signal.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "src/simt/block.hpp"

namespace redbench::simt {

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
    if (const NamedBarrier& barrier = named_[id]; barrier.arrived)
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
