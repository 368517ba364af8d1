// Ways of moving bytes as fast as a device can: what a variant is held against.
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

/// What is moved: all of `from` is read, as it lies, and `written` bytes from `to` on are written, both at
/// once. Of each span and of `written`, what fills no 16 bytes is left out.
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

/// One way of doing a move.
struct Mover {
  std::string how;  // "resident blocks, 4 words of 16 bytes per thread"
  std::function<void()> enqueue;
};

/// The ways that are tried, of which the fastest is the ceiling. Empty for a device without time of its own.
std::vector<Mover> movers(Device& device, const Move& move);

// One per device; `movers` chooses.
std::vector<Mover> cuda_movers(const DeviceFacts& facts, const Move& move);
std::vector<Mover> host_movers(const Move& move);

}  // namespace redbench
