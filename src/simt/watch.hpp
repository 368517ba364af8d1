// An observer of a launch: it sees every access, and every barrier and collective. The counters and the race
// detector are observers. Calls come on the stack of the thread that acts, or on the OS thread's own.
#pragma once

#include <cstdint>
#include <span>

#include "src/simt/block.hpp"

namespace redbench::simt {

enum class AccessKind : std::uint8_t { read, write, atomic };

/// An access of memory by one thread. `bytes` is 1, 2, 4, 8 or 16, or any number for a copy of a range.
struct Access {
  AccessKind kind;
  std::uint32_t bytes;
  const void* address;
  const void* where;       // the return address of the access's call-back
  bool aligned = true;     // the compiler relies on an address that is a multiple of the size
  bool relaxed = false;    // of a volatile variable, or a relaxed_store, which are of system scope
  bool in_system = false;  // an atomic of system scope
};

enum class Meeting : std::uint8_t { block_barrier, named_barrier, warp_barrier, warp_exchange };

/// A block and its shared memory. Valid until the block ends.
struct BlockPlace {
  Index number;
  int threads;
  const std::byte* dynamic_shared;
  std::size_t dynamic_bytes;
  /// Start of the OS thread's storage, from which the offsets in KernelSource::shared count.
  const std::byte* static_shared;
};

/// One per OS thread and launch. A call for a thread may end the launch with BlockRunner::fail.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void start_block(const BlockPlace&) {}
  virtual void end_block() {}
  virtual void access(const Thread&, const Access&) = 0;
  /// The thread enters a basic block.
  virtual void basic_block(const Thread&, const void* /*where*/) {}
  /// The thread arrives at a barrier or collective, and may wait there.
  virtual void meets(const Thread&, Meeting, const void* /*where*/) {}
  /// A collective of `lanes` of the warp is complete; `live` are all lanes of the warp that have not ended.
  virtual void warp_met(unsigned /*warp*/, unsigned /*lanes*/, unsigned /*live*/, WarpOp) {}
  /// A barrier of the block is complete.
  virtual void block_met() {}
  /// A barrier of the grid is complete. Comes after block_met.
  virtual void grid_met() {}
  /// The thread has ended. Comes before the end of a barrier that waited for this thread alone.
  virtual void ends(const Thread&) {}
  /// The thread executes a memory fence.
  virtual void fence(const Thread&, bool /*in_system*/ = false) {}
  /// The thread arrives at a named barrier, whether it waits there or not.
  virtual void arrives(const Thread&, int /*id*/) {}
  /// The named barrier is complete: these threads waited, and resume.
  virtual void named_met(int /*id*/, std::span<Thread* const> /*waited*/) {}
};

}  // namespace redbench::simt
