// What sees every access of a launch, and every place where its threads meet: the counters and the race
// detector are both this. Calls come on the stack of the thread that acts, or on the OS thread's own.
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
  const void* where;     // what the access's call-back returns to
  bool aligned = true;   // the compiler counts on an address that fits the size
  bool relaxed = false;  // of a volatile variable, or a relaxed_store
};

enum class Meeting : std::uint8_t { block_barrier, named_barrier, warp_barrier, warp_exchange };

/// The block that an OS thread starts to run, and where its shared memory is. Valid until it ends.
struct BlockPlace {
  Index number;
  int threads;
  const std::byte* dynamic_shared;
  std::size_t dynamic_bytes;
  const std::byte*
      static_shared;  // the start of the OS thread's storage, which KernelSource::shared counts from
};

/// One per OS thread and launch. It may end the launch with BlockRunner::fail where a thread acts.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void start_block(const BlockPlace&) {}
  virtual void end_block() {}
  virtual void access(const Thread&, const Access&) = 0;
  /// The thread enters a basic block.
  virtual void basic_block(const Thread&, const void* /*where*/) {}
  /// The thread comes to a barrier or collective, and may wait there.
  virtual void meets(const Thread&, Meeting, const void* /*where*/) {}
  /// `lanes` of the warp, in which `live` have not ended, have met, and go on.
  virtual void warp_met(unsigned /*warp*/, unsigned /*lanes*/, unsigned /*live*/, WarpOp) {}
  /// All threads of the block that have not ended have met, and go on.
  virtual void block_met() {}
  /// All blocks of the launch have met, and go on. Comes after block_met.
  virtual void grid_met() {}
  /// The thread executes a memory fence.
  virtual void fence(const Thread&) {}
  /// The thread is counted at a named barrier, whether it waits or goes on.
  virtual void arrives(const Thread&, int /*id*/) {}
  /// The named barrier has its count: these threads waited, and go on.
  virtual void named_met(int /*id*/, std::span<Thread* const> /*waited*/) {}
};

}  // namespace redbench::simt
