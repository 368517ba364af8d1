// What kernels of several GPUs say to each other: fences, atomics and flags of system scope. On the modelled device
// CUDA's own names (__threadfence_system, atomicAdd_system) are of one GPU's scope or not there: take these.
#pragma once

#include "kernels/contract/language.hpp"
#include "kernels/types.hpp"

#if defined(__CUDACC__)
#include <cuda_runtime.h>

namespace redbench {
inline namespace on_cuda {

/// Orders what the thread did before and after for threads of all GPUs.
__device__ __forceinline__ void fence_system() { __threadfence_system(); }
/// An atomic that meets those of other GPUs on the same word.
__device__ __forceinline__ u32 atomic_add_system(u32* address, u32 value) {
  return atomicAdd_system(address, value);
}
/// Whoever reads the flag by acquire_system, and finds the value, sees what the thread and those that it knows of did.
__device__ __forceinline__ void release_system(u32* flag, u32 value) {
  asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}
__device__ __forceinline__ u32 acquire_system(const u32* flag) {
  u32 value;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}

}  // namespace on_cuda
}  // namespace redbench

#else
namespace redbench {

namespace simt {
/// A fence whose release other GPUs may acquire, too; a point where another block may run.
void fence_system();
/// The calling thread's next atomic is of system scope.
void next_atomic_in_system();
}  // namespace simt

#if defined(REDBENCH_ON_SIMT)
inline namespace on_simt {

inline void fence_system() { simt::fence_system(); }
inline u32 atomic_add_system(u32* address, u32 value) {
  simt::next_atomic_in_system();
  return atomicAdd(address, value);
}
inline void release_system(u32* flag, u32 value) {
  simt::fence_system();
  relaxed_store(flag, value);
}
inline u32 acquire_system(const u32* flag) {
  const auto* const there = const_cast<const volatile u32*>(flag);
  const u32 value = *there;
  simt::fence_system();  // others run meanwhile
  (void)*there;  // the race checks see what was released before a read begins: once more, behind the value
  return value;
}

}  // namespace on_simt
#endif

}  // namespace redbench
#endif
