// The calls that a kernel makes into the model, on the stack of its lane.

#include "src/simt/block.hpp"

namespace redbench::simt {

unsigned thread_number() { return running.lane->number; }
unsigned block_number() { return running.block; }
unsigned block_threads() { return running.threads; }
unsigned grid_blocks() { return running.blocks; }
void* dynamic_shared_base() { return running.dynamic_shared; }

int block_barrier(BlockVote vote, int predicate) {
  return running.worker->block_barrier(vote, predicate, __builtin_return_address(0));
}

std::uint64_t warp_collective(WarpOp op, unsigned mask, std::uint64_t value, std::uint64_t argument) {
  return running.worker->collective(op, mask, value, argument, __builtin_return_address(0));
}

unsigned active_mask() { return 1u << (running.lane->number % warp_lanes); }

void barrier_sync(int id, int threads) {
  running.worker->named_barrier(id, threads, true, __builtin_return_address(0));
}

void barrier_arrive(int id, int threads) {
  running.worker->named_barrier(id, threads, false, __builtin_return_address(0));
}

void grid_barrier() { running.worker->grid_barrier(__builtin_return_address(0)); }

void fence() { running.worker->yield(); }

}  // namespace redbench::simt
