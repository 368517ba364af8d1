// The most that a device moves: the rate that a variant is held against, taken in the same run over the same
// bytes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "src/device/device.hpp"

namespace redbench {

enum class Traffic : std::uint8_t { read, copy, write };
inline constexpr std::array<std::string_view, 3> traffic_names{"read", "copy", "write"};

/// One way of moving bytes.
struct Mover {
  std::string how;  // "grid-stride, 8 loads in flight"
  std::function<void()> enqueue;
};

/// Buffers of the device, `bytes` a multiple of 16. `to` is not touched by a read; `from` never is written.
struct Move {
  const void* from;
  void* to;
  std::size_t bytes;
};

/// The ways that are tried, of which the fastest is the ceiling. Empty for a device without time of its own.
std::vector<Mover> movers(Device& device, Traffic traffic, const Move& move);

// One per device; `movers` chooses.
std::vector<Mover> cuda_movers(const DeviceFacts& facts, Traffic traffic, const Move& move);
std::vector<Mover> host_movers(Traffic traffic, const Move& move);

}  // namespace redbench
