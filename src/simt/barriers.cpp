// Barriers of a block and of the grid. They do not wait for threads that have ended. A named one counts warps
// to the number of threads that its callers state.

#include <fmt/format.h>

#include <utility>

#include "src/simt/switching.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

int BlockRunner::block_barrier(BlockVote vote, int predicate, const void* where) {
  Thread& self = current();
  self.where = where;
  if (running.watch) running.watch->meets(self, Meeting::block_barrier, where);
  barrier_.waiting[barrier_.arrived] = &self;
  if (barrier_.arrived++ == 0) {
    barrier_.vote = vote;
    barrier_.where = where;
    barrier_.sum = 0;
  } else if (vote != barrier_.vote || where != barrier_.where) {
    check_same_barrier(vote, where);
  }
  barrier_.sum += predicate != 0;
  if (barrier_.arrived == live_) open_block_barrier(live_ - 1);  // the caller does not wait
  else suspend(self, Wait::block_barrier);
  return barrier_.result;
}

/// An unrolled loop has several calls of one barrier, all of the same source line.
void BlockRunner::check_same_barrier(BlockVote vote, const void* where) {
  const std::pair calls{where, barrier_.where};
  if (vote == barrier_.vote && calls == same_barrier_) return;
  bool same_line = false;
  on_own_stack([&] { same_line = line_of_call(where) == line_of_call(barrier_.where); });
  if (vote != barrier_.vote || !same_line)
    fail(where, [&] {
      return fmt::format("divergent barrier: thread {} of the block waits in the __syncthreads of {}",
                         barrier_.waiting[0]->number, to_string(line_of_call(barrier_.where)));
    });
  same_barrier_ = calls;
}

/// Resumes the first `count` threads that wait.
void BlockRunner::open_block_barrier(int count) {
  barrier_.result = barrier_.vote == BlockVote::count ? barrier_.sum
                    : barrier_.vote == BlockVote::all ? barrier_.sum == barrier_.arrived
                                                      : barrier_.sum != 0;
  barrier_.arrived = 0;
  if (running.watch) running.watch->block_met();
  for (int i = 0; i < count; ++i) ready_.push_back(barrier_.waiting[i]);
}

void BlockRunner::named_barrier(int id, int threads, bool waits, const void* where) {
  Thread& self = current();
  self.where = where;
  if (id < 1 || id >= named_barriers)
    fail(where, [&] { return fmt::format("named barrier {} does not exist: 1 to 15 do", id); });
  if (threads < 1 || threads % warp_lanes != 0 || threads > launch_->grid().threads)
    fail(where, [&] {
      return fmt::format(
          "a named barrier over {} threads: it takes a multiple of 32, up to the {} of the block", threads,
          launch_->grid().threads);
    });
  named_used_ = true;
  if (running.watch) {
    running.watch->meets(self, Meeting::named_barrier, where);
    running.watch->arrives(self, id);
  }
  NamedBarrier& barrier = named_[id];
  if (barrier.expected == 0) {
    barrier.expected = threads;
    barrier.where = where;
  } else if (barrier.expected != threads) {
    fail(where, [&] {
      return fmt::format("named barrier {} over {} threads, which the call of {} made a barrier over {}", id,
                         threads, to_string(line_of_call(barrier.where)), barrier.expected);
    });
  }
  const unsigned warp = self.number / warp_lanes;
  barrier.lanes[warp] |= 1u << lane_of(self);
  if (waits) barrier.waiting.push_back(&self);
  if (open_named_barrier(id, warp) || !waits) return;
  self.barrier = std::uint8_t(id);
  suspend(self, Wait::named_barrier);
}

/// If the warp, of which a lane has come or ended, was the last to be missing. Resumes all others that wait.
bool BlockRunner::open_named_barrier(int id, unsigned warp) {
  NamedBarrier& barrier = named_[id];
  if (!barrier.lanes[warp] || warps_[warp].live & ~barrier.lanes[warp]) return false;
  barrier.lanes[warp] = 0;
  barrier.arrived += warp_lanes;
  if (barrier.arrived != barrier.expected) return false;
  barrier.arrived = barrier.expected = 0;
  for (Thread* const waiting : barrier.waiting)
    if (waiting != running.thread) ready_.push_back(waiting);
  if (running.watch) running.watch->named_met(id, barrier.waiting);
  barrier.waiting.clear();
  return true;
}

void BlockRunner::grid_barrier(const void* where) {
  Thread& self = current();
  self.where = where;
  if (!launch_->grid().cooperative)
    fail(where, [] { return "grid_sync() in a launch that is not cooperative"; });
  ++at_grid_barrier_;
  suspend(self, Wait::grid_barrier);
}

}  // namespace redbench::simt
