// How the cores share out host memory: who fills a byte first is who reads it later, so that it lies in the
// memory next to that core.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace redbench {

/// What one of several cores takes of `whole` bytes: equal parts in whole cache lines, in order, as a loop
/// with a static schedule does.
struct Piece {
  Piece(std::size_t whole, int core, int cores) {
    constexpr std::size_t line = 64;
    const std::size_t lines = (whole + line - 1) / line;
    start = std::min(whole, lines * std::size_t(core) / std::size_t(cores) * line);
    bytes = std::min(whole, lines * std::size_t(core + 1) / std::size_t(cores) * line) - start;
  }
  std::size_t start, bytes;
};

/// How many cores are tried: 1, 4, 16 and so on, and all. What is small ends before all have woken up.
std::vector<int> core_counts();

}  // namespace redbench
