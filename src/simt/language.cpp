// The calls that a kernel makes into the model, on the stack of the calling thread.

#include "kernels/gpus/language.hpp"
#include "src/simt/block.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

unsigned thread_number() { return running.thread->number; }
unsigned block_number() { return running.block; }
unsigned block_threads() { return running.threads; }
unsigned grid_blocks() { return running.blocks; }
void* dynamic_shared_base() { return running.dynamic_shared; }

int block_barrier(BlockVote vote, int predicate) {
  return running.runner->block_barrier(vote, predicate, __builtin_return_address(0));
}

std::uint64_t warp_collective(WarpOp op, unsigned mask, std::uint64_t value, std::uint64_t argument) {
  return running.runner->collective(op, mask, value, argument, __builtin_return_address(0));
}

unsigned active_mask() { return 1u << (running.thread->number % warp_lanes); }

void barrier_sync(int id, int threads) {
  running.runner->named_barrier(id, threads, true, __builtin_return_address(0));
}

void barrier_arrive(int id, int threads) {
  running.runner->named_barrier(id, threads, false, __builtin_return_address(0));
}

void grid_barrier() { running.runner->grid_barrier(__builtin_return_address(0)); }

void fence() {
  if (running.watch) running.watch->fence(*running.thread, false);
  running.runner->yield();
}

void fence_system() {
  if (running.watch) running.watch->fence(*running.thread, true);
  running.runner->yield();
}

}  // namespace redbench::simt
