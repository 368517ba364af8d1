// The host's cores and memory. The core that first touches a byte of shared out memory is the one that reads
// it later, so that it lies in the memory of that core's NUMA node.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace redbench {

/// One core's part of `whole` bytes: equal parts in whole cache lines, in order, as of a loop with a static
/// schedule.
struct Piece {
  Piece(std::size_t whole, int core, int cores) {
    constexpr std::size_t line = 64;
    const std::size_t lines = (whole + line - 1) / line;
    start = std::min(whole, lines * std::size_t(core) / std::size_t(cores) * line);
    bytes = std::min(whole, lines * std::size_t(core + 1) / std::size_t(cores) * line) - start;
  }
  std::size_t start, bytes;
};

/// The numbers of cores that are tried: 1, 4, 16 and so on, and all. Few are faster for work that ends before
/// all have woken up.
std::vector<int> core_counts();

/// Available memory of this machine in bytes; without a limit where the system does not say.
std::size_t available_memory();

}  // namespace redbench
