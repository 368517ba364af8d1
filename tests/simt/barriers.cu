#include "tests/simt/kernels.hpp"

namespace redbench {
namespace {

/// Each thread reads what its mirror image wrote: wrong without a barrier under any order.
TEST_KERNEL(reverse) {
  __shared__ int s[1024];
  s[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
TEST_KERNEL(votes) {
  const int predicate = in[threadIdx.x];
  out[threadIdx.x] = __syncthreads_count(predicate) * 4 + (__syncthreads_and(predicate) ? 2 : 0) +
                     (__syncthreads_or(predicate) ? 1 : 0);
}
/// Threads past n leave; the others still meet.
TEST_KERNEL(leaves) {
  if (int(threadIdx.x) >= n) return;
  out[threadIdx.x] = __syncthreads_and(1) ? __syncthreads_count(1) : 0;
}
TEST_KERNEL(divergent_barrier) {
  if (threadIdx.x < 32) {
    __syncthreads();  // first
    out[threadIdx.x] = 1;
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();  // second
  }
}
TEST_KERNEL(barrier_in_half) {
  if (threadIdx.x < 32) __syncthreads();
  if (threadIdx.x >= 32) named_barrier_sync(1, 64);
}

/// Warp 0 produces, warp 1 consumes, over two buffers: full barriers 1 and 2, empty barriers 3 and 4.
TEST_KERNEL(producer_consumer) {
  __shared__ int buffer[2][32];
  const int lane = int(threadIdx.x % 32);
  const int rounds = n / 32;
  if (threadIdx.x < 32) {
    for (int round = 0; round < rounds; ++round) {
      const int b = round % 2;
      if (round >= 2) named_barrier_sync(3 + b, 64);
      buffer[b][lane] = in[round * 32 + lane];
      named_barrier_arrive(1 + b, 64);
    }
  } else {
    int sum = 0;
    for (int round = 0; round < rounds; ++round) {
      const int b = round % 2;
      named_barrier_sync(1 + b, 64);
      sum += buffer[b][lane];
      if (round + 2 < rounds) named_barrier_arrive(3 + b, 64);
    }
    out[lane] = sum;
  }
}
/// Thread in[0] leaves before its warp and the other meet.
TEST_KERNEL(named_without_a_lane) {
  __shared__ int s[64];
  const int t = int(threadIdx.x);
  s[t] = t;
  if (t == in[0]) return;
  named_barrier_sync(1, 64);
  out[t] = s[63 - t == in[0] ? t : 63 - t];
}
/// A half of each of two warps comes to a barrier of 32 threads; the others wait at another one.
TEST_KERNEL(named_by_halves) {
  const bool lower = threadIdx.x % 32 < 16;
  named_barrier_sync(lower ? 1 : 2, 32);
}

/// Every block adds 1, all meet, every block sees all of it; twice.
TEST_KERNEL(grid_meets) {
  for (int round = 1; round <= 2; ++round) {
    if (threadIdx.x == 0) atomicAdd(&out[0], 1);
    grid_sync();
    if (threadIdx.x == 0 && atomicAdd(&out[0], 0) == round * int(gridDim.x)) atomicAdd(&out[1], 1);
    grid_sync();
  }
}
TEST_KERNEL(grid_without_first) {
  if (blockIdx.x > 0) {
    grid_sync();
    out[blockIdx.x] = 1;
  }
}
/// Block 0 waits in grid_sync for block 1, which by then, in[0] additions later, meets an address that is no
/// memory.
TEST_KERNEL(grid_waits_for_a_fault) {
  volatile int* const results = out;
  if (blockIdx.x == 0) {
    results[0] = 1;
  } else {
    while (results[0] < 0) __threadfence();
    for (int i = 0; i < in[0]; ++i) atomicAdd(&out[1], 1);
    *reinterpret_cast<volatile int*>(std::size_t(in[1])) = 1;
  }
  grid_sync();
}
/// Block b waits for block b - 1, as a look-back does.
TEST_KERNEL(chain_of_blocks) {
  if (threadIdx.x == 0) {
    const int b = int(blockIdx.x);
    volatile int* const results = out;
    int previous = 0;
    if (b > 0)
      while ((previous = results[b - 1]) < 0) __threadfence();
    results[b] = previous + 1;
  }
}
/// Thread 0 waits for the last thread of its block.
TEST_KERNEL(spins_on_thread) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0)
    while (atomicAdd(&flag, 0) == 0) {
    }
  if (threadIdx.x == blockDim.x - 1) atomicExch(&flag, 1);
  out[threadIdx.x] = 1;
}

}  // namespace
}  // namespace redbench
