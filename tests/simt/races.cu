// Kernels that are clean where in[0] is 0, and break one rule where it is not: what breaks it is in[0].
#include "tests/simt/kernels.hpp"

namespace redbench {
namespace {

TEST_KERNEL(race_mirror) {
  __shared__ int s[64];
  const int t = int(threadIdx.x);
  s[t] = 0;
  __syncthreads();
  s[t] = t;  // mirror writes
  if (!in[0]) __syncthreads();
  out[blockIdx.x * 64 + t] = s[63 - t];  // mirror reads
}

/// Each half of a warp meets by itself.
TEST_KERNEL(race_halves) {
  __shared__ int s[32];
  const int t = int(threadIdx.x);
  s[t] = 0;
  __syncthreads();
  s[t] = t;  // a half writes
  __syncwarp(t < 16 ? 0x0000ffffu : 0xffff0000u);
  if (in[0] == 2) s[t] = 0;               // half writes again
  out[t] = s[t ^ (in[0] == 1 ? 16 : 1)];  // half reads
}

TEST_KERNEL(race_relaxed) {
  __shared__ int word;
  const int t = int(threadIdx.x);
  if (in[0] == 2) word = t;      // plainly stored
  else relaxed_store(&word, t);  // stored by all
  if (in[0] != 1) __syncwarp();
  out[t] = word;  // what is left
}

TEST_KERNEL(race_shuffle) {
  __shared__ int s[32];
  const int t = int(threadIdx.x);
  s[t] = 0;
  __syncthreads();
  s[t] = t;  // before the shuffle
  int first = 0;
  if (in[0]) first = __shfl_sync(full_mask, t, 0);
  else __syncwarp();
  out[t] = s[t ^ 1] + first;  // after the shuffle
}

/// Lane 0 tells lane 1, and lane 1 tells lane 2; the other way round lane 2 is told too early.
TEST_KERNEL(race_chain) {
  __shared__ int s[32];
  const int t = int(threadIdx.x);
  s[t] = 0;
  __syncthreads();
  if (t == 0) s[0] = 7;  // chain writes
  if (t == 0) __syncwarp(0b011);
  if (t == 1) {
    __syncwarp(in[0] ? 0b110 : 0b011);
    __syncwarp(in[0] ? 0b011 : 0b110);
  }
  if (t == 2) {
    __syncwarp(0b110);
    out[0] = s[0];  // chain reads
  }
}

/// Warp 0 hands values over to warp 1 twice, by barriers 1 and 2; 3 says that the first were taken.
TEST_KERNEL(race_named) {
  constexpr int early = 1, no_wait = 2, half_count = 3;
  __shared__ int buffer[32];
  const int lane = int(threadIdx.x % 32), fault = in[0];
  const int count = fault == half_count ? 32 : 64;
  if (threadIdx.x < 32) buffer[lane] = 0;
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < 2; ++round)
    if (threadIdx.x < 32) {
      if (round == 1 && fault != no_wait) named_barrier_sync(3, 64);
      if (fault == early) named_barrier_arrive(1 + round, count);
      buffer[lane] = round + 1;  // producer writes
      if (fault != early) named_barrier_arrive(1 + round, count);
    } else {
      named_barrier_sync(1 + round, count);
      sum += buffer[31 - lane];  // consumer reads
      if (round == 0 && fault != no_wait) named_barrier_arrive(3, 64);
    }
  if (threadIdx.x >= 32) out[lane] = sum;
}

/// Warp 0 tells warp 1 by barrier 1, warp 1 tells warp 2 by barrier 2; the other way round warp 2 is told too
/// early.
TEST_KERNEL(race_named_chain) {
  __shared__ int s[32];
  const int lane = int(threadIdx.x % 32), warp = int(threadIdx.x / 32);
  if (warp == 0) s[lane] = 0;
  __syncthreads();
  if (warp == 0) {
    s[lane] = lane;  // first warp writes
    named_barrier_arrive(1, 64);
  } else if (warp == 1) {
    named_barrier_sync(in[0] ? 2 : 1, 64);
    named_barrier_sync(in[0] ? 1 : 2, 64);
  } else {
    named_barrier_sync(2, 64);
    out[lane] = s[lane];  // third warp reads
  }
}

/// Bytes that are neighbours in a word.
TEST_KERNEL(race_bytes) {
  constexpr int own_byte = 0, two_on_one = 1, whole_word = 2;
  __shared__ unsigned char bytes[64];
  const int t = int(threadIdx.x), fault = in[0];
  bytes[t] = 0;
  __syncthreads();
  bytes[fault == two_on_one ? t / 2 : t] = 1;  // writes a byte
  if (fault == own_byte) out[t] = bytes[t];
  if (fault == whole_word) out[t] = reinterpret_cast<int*>(bytes)[t / 4];  // reads a word
}
/// A struct is stored as a range of bytes, not as one word.
TEST_KERNEL(race_structs) {
  struct Pair {
    int a, b;
  };
  __shared__ int s[65];
  const int t = int(threadIdx.x);
  *reinterpret_cast<Pair*>(s + 1 + (in[0] ? 0 : 2 * t)) = *reinterpret_cast<const Pair*>(in + 1);  // a struct
  __syncthreads();
  out[t] = s[1] + s[2];
}

/// All read one word, one writes it.
TEST_KERNEL(race_broadcast) {
  __shared__ int word;
  if (threadIdx.x == 0) word = 7;
  __syncthreads();
  const int seen = word;  // all read
  if (!in[0]) __syncthreads();
  if (in[0] == 2 && threadIdx.x == 5) reinterpret_cast<unsigned char*>(&word)[1] = 1;  // a byte of it changes
  else if (threadIdx.x == 5) word = seen + 1;                                          // one writes
  __syncthreads();
  out[threadIdx.x] = seen + word;
}

/// Half of the threads have ended when the others meet. PTX ISA, 8.9.4: a bar.sync synchronizes with the
/// bar.sync of other threads; those who ended made none.
TEST_KERNEL(race_ended) {
  constexpr int no_barrier = 1;
  __shared__ int s[64];
  const int t = int(threadIdx.x), fault = in[0];
  s[t] = 0;
  __syncthreads();
  s[t] = t;  // writes and ends
  if (!fault) __syncthreads();
  if (t >= 32) return;
  if (fault != no_barrier) __syncthreads();
  out[t] = s[t + 32];  // goes on
}

/// Threads 100 to 255 go past the barrier to their ends.
TEST_KERNEL(race_barrier_skipped) {
  __shared__ int s[256];
  const int t = int(threadIdx.x);
  s[t] = t;  // writes and goes past
  if (t < 100) __syncthreads();
  if (t == 0) out[0] = s[in[0] ? in[0] : 99];  // reads across the barrier
}

/// Threads 201 to 255 leave: a part of warp 6, and warp 7.
TEST_KERNEL(race_returned) {
  constexpr int by_way_of_its_warp = 222, far = 255, overwritten = 1, global = 2, far_later = 3;
  __shared__ int s[256], flag;
  const int t = int(threadIdx.x), fault = in[0];
  if (t == 0) flag = 7;
  __syncthreads();
  s[t] = out[t] = flag;  // writes and leaves
  __syncwarp();
  if (t > 200) return;
  __syncthreads();
  if (t == 0 && !fault) out[0] = s[by_way_of_its_warp] + s[0] + s[200];
  if (t == 0 && fault == far) out[0] = s[far];       // reads what one wrote who left
  if (t == 0 && fault == overwritten) flag = 8;      // overwrites what one read who left
  if (t == 0 && fault == global) out[0] = out[far];  // reads it in global memory
  __syncthreads();
  const int last = fault == far_later ? far : by_way_of_its_warp;
  if (t == 64) out[1] = s[last] + out[0];  // reads after two barriers
}

/// The last block adds up partials, each of thread 33, which the barrier orders before thread 0's fence, or of
/// thread 97, which leaves.
TEST_KERNEL(race_left_partial) {
  const int t = int(threadIdx.x), b = int(blockIdx.x);
  if (t == (in[0] ? 97 : 33)) out[1 + b] = b;  // leaves a partial behind
  if (t >= 96) return;
  __syncthreads();
  if (t > 0) return;
  __threadfence();
  if (atomicAdd(&out[0], 1) == int(gridDim.x) - 2)                  // out[0] begins as -1
    for (int i = 0; i < int(gridDim.x); ++i) out[20] = out[1 + i];  // adds up the partials
}

TEST_KERNEL(race_atomic) {
  constexpr int read_too_early = 1, plain_write = 2;
  __shared__ int sum;
  const int t = int(threadIdx.x), fault = in[0];
  if (t == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1);                           // adds to the sum
  if (fault == plain_write && t == 3) sum = 0;  // writes between
  if (fault != read_too_early) __syncthreads();
  out[t] = sum;  // reads the sum
}

TEST_KERNEL(race_grid) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = 0;
  grid_sync();
  if (threadIdx.x == 0) mine = 1;  // before the grid meets
  if (!in[0]) grid_sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = mine;  // after the grid met
}

/// Each block's word, or all blocks' word.
TEST_KERNEL(race_blocks) {
  out[in[0] ? 0 : blockIdx.x] = 1;  // blocks write
}
/// A word of four blocks: each its byte, or the last two the same.
TEST_KERNEL(race_global_bytes) {
  const int b = int(blockIdx.x);
  reinterpret_cast<char*>(out)[b == 3 && in[0] ? 2 : b] = 1;  // its byte of a word
}
/// Volatile is no barrier: the warp-synchronous code of before Volta.
TEST_KERNEL(race_volatile) {
  __shared__ int s[32];
  volatile int* const words = s;
  const int t = int(threadIdx.x);
  s[t] = 0;
  __syncthreads();
  words[t] = t;  // volatile writes
  if (!in[0]) __syncwarp();
  out[t] = words[31 - t];  // volatile reads
}

TEST_KERNEL(race_grid_words) {
  if (threadIdx.x == 0) out[blockIdx.x] = 1;  // a word before all met
  if (!in[0]) grid_sync();
  else __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 1) out[2] = out[0];  // the word after all met
}

/// The last block adds up what each has left: out[1 + block], counted in out[0].
TEST_KERNEL(race_last_block) {
  constexpr int no_fence = 1, late_fence = 2, too_early = 3, after_the_fence = 4;
  __shared__ bool is_last;
  const int t = int(threadIdx.x), b = int(blockIdx.x), fault = in[0];
  if (t == 33) out[1 + b] = b;  // leaves a partial
  if (fault != too_early) __syncthreads();
  if (t == 0) {
    if (fault != no_fence && fault != late_fence) __threadfence();
    if (fault == after_the_fence) out[9 + b] = b;           // leaves more after the fence
    is_last = atomicAdd(&out[0], 1) == int(gridDim.x) - 2;  // out[0] begins as -1
    if (fault == late_fence) __threadfence();
  }
  __syncthreads();
  if (is_last && t == 0)
    for (int i = 0; i < int(gridDim.x); ++i) {
      out[20] = out[1 + i];                                          // reads the partials
      if (fault == after_the_fence && i != b) out[21] = out[9 + i];  // reads what came after the fence
    }
}

/// Each block waits for the one before it, by a flag: what block 0 wrote reaches block 2 through block 1.
TEST_KERNEL(race_flags) {
  constexpr int no_fence = 1, other_flag = 2;
  volatile int* const flags = out + 32;
  const int b = int(blockIdx.x), fault = in[0];
  if (threadIdx.x > 0) return;
  if (b > 0)
    while (flags[b - 1] < 0) __threadfence();
  if (b == 0) out[0] = 7;       // the first writes
  if (b == 2) out[1] = out[0];  // the third reads
  if (fault != no_fence) __threadfence();
  if (fault == other_flag && b == 0) atomicAdd(&out[10], 1);
  flags[b] = 1;
}

/// Block 0 hands over to all who count; the last block may not have counted.
TEST_KERNEL(race_uncounted) {
  const int b = int(blockIdx.x);
  if (b == 0) out[0] = 7;  // the first leaves a word
  if (b == 0) __threadfence();
  if (b < 2 || !in[0]) atomicAdd(&out[1], 1);
  if (b > 0) out[1 + b] = out[0];  // reads the first one's word
}
/// in[0] is an index.
TEST_KERNEL(index_static) {
  __shared__ int s[64];
  s[threadIdx.x] = int(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) out[0] = s[in[0]];  // static index
}
TEST_KERNEL(index_dynamic) {
  int* const s = dynamic_shared<int>();
  s[threadIdx.x] = int(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) s[in[0]] = 1;  // dynamic index
}
TEST_KERNEL(index_global) {
  if (threadIdx.x == 0) out[in[0]] = 1;  // global index
}
TEST_KERNEL(vector_global) {
  struct alignas(16) Four {
    int of[4];
  };
  if (threadIdx.x == 0)
    *reinterpret_cast<Four*>(out) = reinterpret_cast<const Four*>(in)[n / 4];  // global vector
}
/// in[0] is an offset in bytes.
TEST_KERNEL(offset_dynamic) {
  auto* const s = dynamic_shared<unsigned char>();
  *reinterpret_cast<double*>(s + in[0]) = 1;  // writes 8 bytes
}
TEST_KERNEL(offset_global) {
  int* const shifted = reinterpret_cast<int*>(reinterpret_cast<char*>(out) + in[0]);
  atomicAdd(shifted, 1);  // adds 4 bytes
}

/// in[0] words are written by nobody.
TEST_KERNEL(unwritten_words) {
  __shared__ int s[64];
  const int t = int(threadIdx.x);
  if (t >= in[0]) s[t] = t;
  __syncthreads();
  out[t] = s[63 - t];  // reads all words
}
TEST_KERNEL(first_block_writes) {
  __shared__ int s;
  if (threadIdx.x == 0 && blockIdx.x == 0) s = 1;
  __syncthreads();
  out[threadIdx.x] = s;  // reads what block 0 wrote
}
/// A struct whose members are 4-byte aligned may lie on any multiple of 4.
TEST_KERNEL(pair_of_words) {
  struct Pair {
    int a, b;
  };
  __shared__ int s[33];
  *reinterpret_cast<Pair*>(s + 1) = *reinterpret_cast<const Pair*>(in + 1);
  out[0] = s[1] + s[2];
}

}  // namespace
}  // namespace redbench
