// What a device can hold: what plans, launch codes and the occupancy model go by.
#pragma once

#include <cstddef>
#include <string>

namespace redbench {

/// Limits of the device that a case is planned for. A CPU has no multiprocessors: cores instead, the rest 0.
struct DeviceFacts {
  std::string name;    // "NVIDIA H200", "gtx480", the CPU's model name
  int capability = 0;  // compute capability x 10
  int multiprocessors = 0;
  int max_threads_per_block = 0;
  int max_blocks = 0;                      // resident, per multiprocessor
  int max_warps = 0;                       // resident, per multiprocessor
  std::size_t shared_bytes = 0;            // per multiprocessor
  std::size_t shared_bytes_per_block = 0;  // the most that a block may ask for
  std::size_t shared_bytes_reserved = 0;   // that the system takes of each block
  std::size_t shared_granularity = 1;      // allocation unit, bytes
  int registers = 0;                       // per multiprocessor
  int register_granularity = 1;            // allocation unit per warp
  int banks = 32;
  std::size_t l2_bytes = 0;
  std::size_t memory_bytes = 0;
};

}  // namespace redbench
