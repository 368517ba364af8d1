// One launch as planned, and how much of it a multiprocessor holds.
#pragma once

#include <string>

#include "kernels/variant.hpp"

namespace redbench {

/// One launch as planned, with what the device says of the kernel.
struct LaunchFacts {
  std::string kernel;  // demangled name
  Grid grid;
  int registers = 0;                    // per thread; 0: not known
  std::size_t static_shared_bytes = 0;  // per block
  std::size_t local_bytes = 0;          // per thread: spills and run-time indexed arrays
  int resident_blocks = 0;              // per multiprocessor
  double occupancy = 0;                 // resident warps over the most that fit
  std::string limiter;  // what keeps more blocks out: "warps", "blocks", "shared memory", "registers"
};

/// Blocks of `threads` threads that one multiprocessor of `facts` holds, and what limits them. `registers`
/// per thread, 0 where not known. The rules of the CUDA occupancy calculator, from the device's limits alone.
void model_occupancy(const DeviceFacts& facts, int registers, LaunchFacts& launch);

}  // namespace redbench
