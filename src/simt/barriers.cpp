// Barriers of a block and of the grid. Threads that have ended leave __syncthreads; a named barrier counts to the
// number that its callers state.

#include <utility>

#include "src/simt/switching.hpp"

namespace redbench::simt {

int Worker::block_barrier(BlockVote vote, int predicate, const void* where) {
  Lane& self = lane();
  Warp& warp = warp_of(self);
  self.where = where;
  if (barrier_.arrived++ == 0) {
    barrier_.vote = vote;
    barrier_.where = where;
    barrier_.sum = 0;
  } else if (vote != barrier_.vote || where != barrier_.where) {
    check_same_barrier(vote, where);
  }
  barrier_.sum += predicate != 0;
  if (barrier_.arrived == live_) {
    release_block_barrier();
  } else {
    warp.at_block_barrier |= 1u << lane_in_warp(self);
    suspend(self, Wait::block_barrier);
  }
  return barrier_.result;
}

/// One barrier may be compiled to several calls (an unrolled loop), which are then of one source line.
void Worker::check_same_barrier(BlockVote vote, const void* where) {
  if (vote == barrier_.vote && line_of_call(where) == line_of_call(barrier_.where)) return;
  fail("divergent barrier: others of the block wait in the __syncthreads of " + to_string(line_of_call(barrier_.where)),
       where);
}

void Worker::release_block_barrier() {
  switch (barrier_.vote) {
    case BlockVote::none: break;
    case BlockVote::count: barrier_.result = barrier_.sum; break;
    case BlockVote::all: barrier_.result = barrier_.sum == barrier_.arrived; break;
    case BlockVote::any: barrier_.result = barrier_.sum != 0; break;
  }
  barrier_.arrived = 0;
  for (int first = 0; first < launch_->grid().threads; first += warp_lanes) {
    Warp& warp = warps_[first / warp_lanes];
    if (warp.at_block_barrier) make_runnable(warp, std::exchange(warp.at_block_barrier, 0));
  }
}

void Worker::named_barrier(int id, int threads, bool waits, const void* where) {
  Lane& self = lane();
  self.where = where;
  if (id < 1 || id >= named_barriers)
    fail("named barrier " + std::to_string(id) + " does not exist: 1 to 15 do", where);
  if (threads < 1 || threads % warp_lanes != 0 || threads > launch_->grid().threads)
    fail("a named barrier over " + std::to_string(threads) + " threads: it takes a multiple of 32, up to the " +
             std::to_string(launch_->grid().threads) + " of the block",
         where);
  named_used_ = true;
  NamedBarrier& barrier = named_[id];
  if (barrier.arrived++ == 0) {
    barrier.expected = threads;
    barrier.where = where;
  } else if (barrier.expected != threads) {
    fail("named barrier " + std::to_string(id) + " over " + std::to_string(threads) + " threads, which the call of " +
             to_string(line_of_call(barrier.where)) + " made a barrier over " + std::to_string(barrier.expected),
         where);
  }
  if (barrier.arrived == barrier.expected) {
    barrier.arrived = 0;
    for (std::size_t w = 0; w < barrier.waiting.size(); ++w)
      if (barrier.waiting[w]) make_runnable(warps_[w], std::exchange(barrier.waiting[w], 0));
  } else if (waits) {
    self.barrier = std::uint8_t(id);
    barrier.waiting[self.number / warp_lanes] |= 1u << lane_in_warp(self);
    suspend(self, Wait::named_barrier);
  }
}

void Worker::grid_barrier(const void* where) {
  Lane& self = lane();
  self.where = where;
  if (!launch_->grid().cooperative) fail("grid_sync() in a launch that is not cooperative", where);
  ++at_grid_barrier_;
  suspend(self, Wait::grid_barrier);
}

}  // namespace redbench::simt
