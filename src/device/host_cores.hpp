// How the cores share out host memory: who fills a byte first is who reads it later, so that it lies in the
// memory next to that core.
#pragma once

#include <algorithm>
#include <cstddef>

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

}  // namespace redbench
