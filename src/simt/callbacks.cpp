// The functions that g++ calls from kernels compiled with -fsanitize=thread -fsanitize-coverage=trace-pc, in
// place of the sanitizer's own library. They do nothing if the launch is not observed.

#include <cstddef>
#include <cstdint>

#include "src/simt/watch.hpp"

using redbench::simt::AccessKind;
using redbench::simt::running;

namespace {

// Out of line, so that without an observer a call-back is a test and a return.
[[gnu::noinline, gnu::cold]] void see(AccessKind kind, const void* address, std::size_t bytes,
                                      const void* where, bool aligned, bool is_volatile = false) {
  if (running.thread)
    running.watch->access(*running.thread,
                          {kind, std::uint32_t(bytes), address, where, aligned, is_volatile});
}

[[gnu::noinline, gnu::cold]] void see_basic_block(const void* where) {
  if (running.thread) running.watch->basic_block(*running.thread, where);
}

}  // namespace

#define REDBENCH_SEE(kind, address, bytes, ...) \
  if (running.watch) [[unlikely]]               \
  see(kind, address, bytes, __builtin_return_address(0), __VA_ARGS__)

// Inline functions of the standard library that kernel files instantiate may be linked into host code, too.
#define REDBENCH_CALLBACK extern "C" __attribute__((visibility("default")))

REDBENCH_CALLBACK void __tsan_init() {}
REDBENCH_CALLBACK void __tsan_func_entry(void*) {}
REDBENCH_CALLBACK void __tsan_func_exit() {}
REDBENCH_CALLBACK void __tsan_vptr_update(void**, void*) {}
REDBENCH_CALLBACK void __tsan_vptr_read(void**) {}

#define REDBENCH_ACCESS_OF(name, kind, bytes, aligned, is_volatile) \
  REDBENCH_CALLBACK void __tsan_##name##bytes(void* address) {      \
    REDBENCH_SEE(kind, address, bytes, aligned, is_volatile);       \
  }
#define REDBENCH_ACCESS(bytes)                                                      \
  REDBENCH_ACCESS_OF(read, AccessKind::read, bytes, true, false)                    \
  REDBENCH_ACCESS_OF(write, AccessKind::write, bytes, true, false)                  \
  REDBENCH_ACCESS_OF(unaligned_read, AccessKind::read, bytes, false, false)         \
  REDBENCH_ACCESS_OF(unaligned_write, AccessKind::write, bytes, false, false)       \
  REDBENCH_ACCESS_OF(volatile_read, AccessKind::read, bytes, true, true)            \
  REDBENCH_ACCESS_OF(volatile_write, AccessKind::write, bytes, true, true)          \
  REDBENCH_ACCESS_OF(unaligned_volatile_read, AccessKind::read, bytes, false, true) \
  REDBENCH_ACCESS_OF(unaligned_volatile_write, AccessKind::write, bytes, false, true)
REDBENCH_ACCESS(1)
REDBENCH_ACCESS(2)
REDBENCH_ACCESS(4)
REDBENCH_ACCESS(8)
REDBENCH_ACCESS(16)
#undef REDBENCH_ACCESS
#undef REDBENCH_ACCESS_OF
REDBENCH_CALLBACK void __tsan_read_range(void* address, std::size_t bytes) {
  REDBENCH_SEE(AccessKind::read, address, bytes, false);
}
REDBENCH_CALLBACK void __tsan_write_range(void* address, std::size_t bytes) {
  REDBENCH_SEE(AccessKind::write, address, bytes, false);
}

REDBENCH_CALLBACK void __sanitizer_cov_trace_pc() {
  if (running.watch) [[unlikely]]
    see_basic_block(__builtin_return_address(0));
}

// Atomic operations of the language and of the standard library, which -fsanitize=thread turns into calls.
// The strongest order is right for every order asked for.
#define REDBENCH_ATOMIC_RMW(bits, name)                                        \
  REDBENCH_CALLBACK std::uint##bits##_t __tsan_atomic##bits##_fetch_##name(    \
      volatile std::uint##bits##_t* address, std::uint##bits##_t value, int) { \
    return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);            \
  }
#define REDBENCH_ATOMIC_CAS(bits, name, weak)                                                            \
  REDBENCH_CALLBACK int __tsan_atomic##bits##_compare_exchange_##name(                                   \
      volatile std::uint##bits##_t* address, std::uint##bits##_t* expected, std::uint##bits##_t desired, \
      int, int) {                                                                                        \
    return __atomic_compare_exchange_n(address, expected, desired, weak, __ATOMIC_SEQ_CST,               \
                                       __ATOMIC_SEQ_CST);                                                \
  }
#define REDBENCH_ATOMICS(bits)                                                              \
  REDBENCH_CALLBACK std::uint##bits##_t __tsan_atomic##bits##_load(                         \
      const volatile std::uint##bits##_t* address, int) {                                   \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                      \
  }                                                                                         \
  REDBENCH_CALLBACK void __tsan_atomic##bits##_store(volatile std::uint##bits##_t* address, \
                                                     std::uint##bits##_t value, int) {      \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                     \
  }                                                                                         \
  REDBENCH_CALLBACK std::uint##bits##_t __tsan_atomic##bits##_exchange(                     \
      volatile std::uint##bits##_t* address, std::uint##bits##_t value, int) {              \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                           \
  }                                                                                         \
  REDBENCH_ATOMIC_RMW(bits, add)                                                            \
  REDBENCH_ATOMIC_RMW(bits, sub)                                                            \
  REDBENCH_ATOMIC_RMW(bits, and)                                                            \
  REDBENCH_ATOMIC_RMW(bits, or)                                                             \
  REDBENCH_ATOMIC_RMW(bits, xor)                                                            \
  REDBENCH_ATOMIC_RMW(bits, nand)                                                           \
  REDBENCH_ATOMIC_CAS(bits, strong, false)                                                  \
  REDBENCH_ATOMIC_CAS(bits, weak, true)
REDBENCH_ATOMICS(8)
REDBENCH_ATOMICS(16)
REDBENCH_ATOMICS(32)
REDBENCH_ATOMICS(64)
REDBENCH_CALLBACK void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
REDBENCH_CALLBACK void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
