// The checks of `redbench verify --races`: what a kernel does that a GPU leaves undefined, or ends in an
// error. Each finding names the source line and the thread, and comes before the access is made.
//
// Found:
// - A race: two threads of a launch access the same bytes of shared or global memory, not both read and not
//   both access atomically (a relaxed_store and a store to a volatile variable count as atomic), and nothing
//   orders the two: within a block no barrier that the earlier one came to and no __syncwarp, between blocks
// no
//   grid_sync, and in global memory no memory fence before an atomic or relaxed store that the other thread's
//   block has seen. It does not have to do harm under the schedule that was run.
// - A read of shared or global memory that nobody has written.
// - An access outside every buffer, outside the block's dynamic shared memory, or outside the static
//   __shared__ variables of the kernel.
// - An address that is no multiple of the access's size. The compiler may make two accesses of 8 bytes of one
//   of 16, so a multiple of 8 is enough for it.
//
// Not found:
// - A volatile read in global memory that races with an atomic or a relaxed store: so blocks wait for each
//   other.
// - A thread that uses what another thread of its block has learnt from a third block, with no barrier
//   between.
// - An access past one static __shared__ array that hits the kernel's next one.
// - That a thread went past a barrier to its end: it counts as ended before the barrier.
// - What memcpy copies, where it stays a call, and the memory in which a function that is not inlined returns
//   an object: the compiler reports neither.
// - That whoever acquires what another GPU has released does so in a narrower scope than the system.
// - Anything in memory that is neither shared nor global: a thread's own stack, a __device__ variable, whose
//   atomics do order blocks.
//
// False alarm: threads that take turns by a flag in shared memory, with atomics and fences in place of
// barriers, are reported as racing there.
#pragma once

#include <memory>
#include <optional>

#include "src/simt/block_shadow.hpp"

namespace redbench::simt {

/// Of several GPUs that share global memory: which, and what BlockShadow::start_launch(number) gave for the launch.
struct OneOfGpus {
  unsigned number;
  std::uint32_t launch;
};

/// An observer that makes these checks. `global` outlives the launch: what one launch writes another may
/// read. `blocks.start_launch` was called.
std::unique_ptr<Watch> make_race_watch(const Launch& launch, ByteStates& global, BlockShadow& blocks,
                                       const std::optional<OneOfGpus>& gpu = std::nullopt);

}  // namespace redbench::simt
