// What the variants that call CUB and Thrust share.
#pragma once

#if defined(__CUDACC__)
#include <cuda_runtime.h>

#include <new>
#endif

#include "kernels/parts/chains.hpp"
#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

#if defined(__CUDACC__)

/// Gives Thrust the scratch memory that was asked for up front, so that it allocates nothing while time is
/// taken. Throws bad_alloc where that does not do.
class ScratchAllocator {
 public:
  using value_type = char;
  ScratchAllocator(void* memory, std::size_t bytes) : next_(static_cast<char*>(memory)), free_(bytes) {}

  char* allocate(std::ptrdiff_t count) {
    constexpr std::size_t alignment = 256;
    const std::size_t bytes = round_up(std::size_t(count), alignment);
    if (bytes > free_) throw std::bad_alloc();
    char* const memory = next_;
    next_ += bytes;
    free_ -= bytes;
    return memory;
  }
  void deallocate(char*, std::size_t) {}

 private:
  char* next_;
  std::size_t free_;
};

#endif

}  // namespace REDBENCH_TARGET
}  // namespace redbench
