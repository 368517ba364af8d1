// The path of every barrier and collective: from a lane that waits to the next one. Inline, because a lane
// that is switched to returns through all frames of the switch, and no branch predictor knows where to.
#pragma once

#include <utility>

#include "src/simt/block.hpp"

namespace redbench::simt {

/// The next lane to run. Null where no lane can.
inline Lane* Worker::pick() {
  if (ready_.empty()) return nullptr;
  if (random_) ready_.bring_forward(random());
  Lane* const lane = ready_.pop();
  // The stacks of a block do not fit the first-level cache.
  if (const Lane* const after = ready_.next())
    for (int line = 0; line < 4; ++line)
      __builtin_prefetch(static_cast<const char*>(after->context) + 64 * line);
  return lane;
}

[[gnu::always_inline]] inline void Worker::switch_to(Context& from, Context& target, Lane* to) {
  slot_ = &from;
  running.lane = to;
  const Context left = jump(std::exchange(target, nullptr));
  *slot_ = left;  // the slot of the lane that switched back here
}

/// Leaves the current context in `from` and goes on as lane `to`, or on the OS thread's own stack where null.
[[gnu::always_inline]] inline void Worker::transfer(Context& from, Lane* to) {
  if (to && !to->context) return start_lane(from, to);
  switch_to(from, to ? to->context : main_, to);
}

[[gnu::always_inline]] inline void Worker::suspend(Lane& self, Wait wait) {
  self.wait = wait;
  transfer(self.context, pick());
}

}  // namespace redbench::simt
