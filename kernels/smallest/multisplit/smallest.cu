#include "kernels/multisplit/problem.hpp"

namespace redbench {
namespace {

// The kernel, plain CUDA. One warp: every thread goes through all keys in order and takes those of its own
// buckets, first to count them, then to move them, so that no two threads meet.
__global__ void kernel(Multisplit<Right<u32>> x, Index* next) {
  const auto for_own = [&](const auto& take) {
    for (Index i = 0; i < x.n; ++i)
      if (const u32 bucket = x.keys[i] >> x.shift; bucket % blockDim.x == threadIdx.x) take(i, bucket);
  };
  for (Index bucket = threadIdx.x; bucket < x.m; bucket += blockDim.x) next[bucket] = 0;
  for_own([&](Index, u32 bucket) { ++next[bucket]; });
  __syncwarp();
  // next[bucket] = where its first key goes.
  Index before = 0;
  for (Index bucket = 0; bucket < x.m && threadIdx.x == 0; ++bucket) {
    const Index count = next[bucket];
    next[bucket] = before;
    before += count;
  }
  __syncwarp();
  for_own([&](Index i, u32 bucket) {
    const Index to = next[bucket]++;
    x.result[to] = x.keys[i];
    if (x.pairs) x.result_values()[to] = x.values[i];
  });
}

struct smallest {
  // What is known of it. A launch parameter goes into .parameters, and a limit of m into .maximum_m:
  // kernels/variant.hpp.
  static constexpr Card card{.title = "one warp, a share of the buckets for each thread", .source = "none"};

  // Its launches, and the scratch memory that they need.
  template <class Op>
  static void run(Queue& queue, const Multisplit<Op>& x) {
    launch(queue,
           {.blocks = 1,
            .threads = warp_size,
            .bytes_read = x.input_bytes() + x.key_bytes(),
            .bytes_written = x.input_bytes()},
           kernel, x, queue.scratch<Index>(x.m));
  }
};

}  // namespace
REDBENCH_VARIANT(Multisplit, smallest)
}  // namespace redbench
