// Kernels that move bytes as fast as a device can: the measured ceilings of bandwidth.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/device/device.hpp"

namespace redbench {

/// Memory of a device, 16-byte aligned.
struct Span {
  const void* start;
  std::size_t bytes;
};

/// A mix of reads and writes: all of `from` is read in order, and `written` bytes from `to` on are written,
/// at the same time. The rest of each span and of `written` modulo 16 bytes is left out.
struct Move {
  std::vector<Span> from;  // at most most_spans
  void* to = nullptr;
  std::size_t written = 0;

  static constexpr int most_spans = 4;

  std::size_t bytes_read() const;
  std::size_t bytes_written() const { return whole(written); }
  std::size_t bytes() const { return bytes_read() + bytes_written(); }
  static std::size_t whole(std::size_t bytes) { return bytes / 16 * 16; }
};

/// One implementation of a move.
struct Mover {
  std::string how;  // "resident blocks, 4 words of 16 bytes per thread"
  std::function<void()> enqueue;
};

/// The implementations that are tried; the fastest gives the ceiling. Empty for a device that has no times.
std::vector<Mover> movers(Device& device, const Move& move);

// The implementations of one device each, from which `movers` chooses.
std::vector<Mover> cuda_movers(const DeviceFacts& facts, const Move& move);
std::vector<Mover> host_movers(const Move& move);

}  // namespace redbench
