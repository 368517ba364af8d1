// A variant of several GPUs: what it sees besides its queue. `run` is called for each of the case's GPUs, by a host
// thread that is that GPU's rank. Its operands are the rank's part of the inputs, which are spread in order, its
// queue launches on its GPU, and the result of the first rank is the case's. No rank begins a run before all have
// ended the one before. A variant that does not ask for its rank is of one GPU, and refused more.
#pragma once

#include <functional>

#include "kernels/gpus/language.hpp"
#include "kernels/variant.hpp"

namespace redbench {

inline constexpr int most_gpus = 8;
/// Words of each GPU that are zero before a case's first run; before each later one zero, or as the last has left them.
inline constexpr Index flags_of_gpu = 256;

/// One of `count` GPUs. `number` 0 is the first.
struct Rank {
  int number = 0, count = 1;
};
/// That of the calling thread.
Rank this_rank();

/// The same array on each GPU, by rank. Kernels of all GPUs may access all of them.
template <class T>
struct OnEach {
  T* of[most_gpus] = {};
};

namespace gpus {
void* same_on(int rank, void* own);
u32* flags_on(int rank);
}  // namespace gpus

/// What the ranks got for the same request: `own` comes from Queue::scratch, of which each rank asks for the same
/// number of arrays, in the same order, or is the rank's result. Null while planning.
template <class T>
OnEach<T> on_each(T* own) {
  OnEach<T> each;
  for (int r = 0; r < this_rank().count; ++r) each.of[r] = static_cast<T*>(gpus::same_on(r, own));
  return each;
}
inline OnEach<u32> flags_on_each() {
  OnEach<u32> each;
  for (int r = 0; r < this_rank().count; ++r) each.of[r] = gpus::flags_on(r);
  return each;
}

/// A step on the CPU over what all GPUs have: waits for them, and calls `step` on the first rank's thread with the
/// `bytes` bytes at `own` of each rank, one behind the other. Those that it leaves in front then stand at `own` of
/// the first. The card says `synchronizes`.
void join_on_host(Queue& queue, void* own, std::size_t bytes, const std::function<void(void* all)>& step);

/// Says that the result stays in parts: each rank has `bytes` of it at `part`, one rank's behind the other's. Whoever
/// checks it puts them together, outside of the time. A GPU alone has all of it in the result.
void leave_part(Queue& queue, const void* part, std::size_t bytes);

}  // namespace redbench
