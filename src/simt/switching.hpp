// Switches from a thread that waits to the next one, at every barrier and collective. Inline, because a
// thread that is resumed returns through all frames of the switch, and no branch predictor knows where to.
#pragma once

#include <utility>

#include "src/simt/block.hpp"

namespace redbench::simt {

/// Switches to `to`. Returns when another context jumps back here, with that context, which is then
/// suspended.
[[gnu::always_inline]] inline Context jump(Context to) {
#if defined(__x86_64__)
  // jump_fcontext leaves by a jump, so a call of it would put the processor's return predictor out of step,
  // and every return after a switch would be mispredicted: 8 ns for a switch instead of 24 (256 stacks, 2.5
  // GHz Xeon). So it is entered by a jump, too, with the address to come back to pushed by hand, below the
  // red zone.
  Context suspended;
  asm volatile(
      "lea -128(%%rsp), %%rsp\n\t"
      "lea 1f(%%rip), %%rcx\n\t"
      "push %%rcx\n\t"
      "jmp jump_fcontext@PLT\n"
      "1:\n\t"
      "lea 128(%%rsp), %%rsp"
      : "=a"(suspended), "+D"(to)
      :
      : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
        "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return suspended;
#else
  return boost::context::detail::jump_fcontext(to, nullptr).fctx;
#endif
}

/// The next thread to run. Null where no thread can.
inline Thread* BlockRunner::pick() {
  if (ready_.empty()) return nullptr;
  if (random_) ready_.bring_forward(random());
  Thread* const thread = ready_.pop();
  // The stacks of a block do not fit the first-level cache.
  if (const Thread* const after = ready_.next())
    for (int cache_line = 0; cache_line < 4; ++cache_line)
      __builtin_prefetch(static_cast<const char*>(after->context) + 64 * cache_line);
  return thread;
}

[[gnu::always_inline]] inline void BlockRunner::switch_to(Context& from, Context& target, Thread* to) {
  save_to_ = &from;
  running.thread = to;
  const Context suspended = jump(std::exchange(target, nullptr));
  *save_to_ = suspended;  // set by the thread that switched back here
}

/// Stores the current context in `from` and switches to thread `to`; null: to the OS thread's own stack.
[[gnu::always_inline]] inline void BlockRunner::transfer(Context& from, Thread* to) {
  if (to && !to->context) return start_thread(from, to);
  switch_to(from, to ? to->context : main_, to);
}

[[gnu::always_inline]] inline void BlockRunner::suspend(Thread& self, Wait wait) {
  self.wait = wait;
  transfer(self.context, pick());
}

}  // namespace redbench::simt
