// Contexts of fibers: Boost.Context's fcontext, a pointer into the fiber's own stack. To drop one, forget the
// pointer: its stack is never unwound.
#pragma once

#include <boost/context/detail/fcontext.hpp>

namespace redbench::simt {

using Context = boost::context::detail::fcontext_t;

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

}  // namespace redbench::simt
