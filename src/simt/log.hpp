// What a thread does, as a list of entries: the logs of a warp's lanes are put together again to what the
// warp did.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "src/simt/block.hpp"

namespace redbench::simt {

struct LogEntry {
  /// The first three are those of AccessKind, the last four those of Meeting.
  enum class Kind : std::uint8_t {
    read,
    write,
    atomic,
    basic_block,
    block_barrier,
    named_barrier,
    warp_barrier,
    exchange
  };
  const void* where;
  std::uintptr_t address : 48;
  std::uintptr_t bytes : 8;
  std::uintptr_t kind : 8;
};

/// What each lane has still to do.
using WarpLogs = std::array<std::span<const LogEntry>, warp_lanes>;

}  // namespace redbench::simt
