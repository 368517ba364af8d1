// The path of every barrier and collective: from a lane that waits to the next one. Inline, because a lane that is
// switched to returns through all frames of the switch, and no branch predictor knows where to.
#pragma once

#include <bit>
#include <utility>

#include "src/simt/block.hpp"

namespace redbench::simt {

/// Index of the first set bit of `mask` after bit `after`, in a circle. `mask` is not 0.
inline int next_bit(unsigned mask, int after) {
  const int start = (after + 1) & 31;
  return (start + std::countr_zero(std::rotr(mask, start))) & 31;
}

inline void Worker::make_runnable(Warp& warp, unsigned lanes) {
  warp.runnable |= lanes;
  runnable_warps_ |= 1u << (&warp - warps_.data());
}

inline Lane* Worker::pick_of(int w, int lane) {
  Warp& warp = warps_[w];
  warp_ = w;
  warp.last = lane;
  warp.runnable &= ~(1u << lane);
  if (!warp.runnable) runnable_warps_ &= ~(1u << w);
  return &lanes_[w * warp_lanes + lane];
}

/// The next lane to run: of the same warp where there is one. Null where no lane can.
inline Lane* Worker::pick() {
  if (!runnable_warps_) return nullptr;
  if (random_) return pick_at_random();
  const int w = warps_[warp_].runnable ? warp_ : next_bit(runnable_warps_, warp_);
  return pick_of(w, next_bit(warps_[w].runnable, warps_[w].last));
}

inline void Worker::switch_to(Fiber& from, Fiber& target, Lane* to) {
  slot_ = &from;
  running.lane = to;
  Fiber left = std::move(target).resume();
  *slot_ = std::move(left);  // the slot of the lane that switched back here
}

/// Leaves the current context in `from` and goes on as lane `to`, or on the OS thread's own stack where null.
inline void Worker::transfer(Fiber& from, Lane* to) {
  if (to && !to->context) return start_lane(from, to);
  switch_to(from, to ? to->context : main_, to);
}

inline void Worker::suspend(Lane& self, Wait wait) {
  self.wait = wait;
  transfer(self.context, pick());
  self.wait = Wait::nothing;
}

}  // namespace redbench::simt
