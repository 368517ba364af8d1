// Histograms of 32-bit bins in shared memory, one for each warp, whose lanes update it together (Eilers 2014,
// 4.3.1: Podlozhnyuk's second form and what came of it).
#pragma once

#include <string>

#include "kernels/histogram/label_words.hpp"
#include "kernels/histogram/problem.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Podlozhnyuk's update for devices without atomics in shared memory. A lane writes the new count with its
/// own number in the upper 5 bits, reads it back, and tries again where it finds another lane's: of equal
/// bins one is counted in each turn. Deviation: reading, writing and checking are steps of the whole warp,
/// with a vote on whether any lane has to try again, as warps are not in step by themselves.
struct TaggedUpdate {
  static constexpr u32 count_mask = (1u << 27) - 1;
  /// All lanes of the warp call; those without an update are not `valid`.
  static __device__ __forceinline__ void add(u32* bins, u32 bin, bool valid) {
    const u32 tag = threadIdx.x % warp_size << 27;
    bool pending = valid;
    while (__any_sync(full_mask, pending)) {
      u32 count = 0;
      if (pending) count = tag | ((bins[bin] + 1) & count_mask);
      __syncwarp();
      if (pending) relaxed_store(&bins[bin], count);
      __syncwarp();
      if (pending) pending = bins[bin] != count;
    }
  }
};

/// Atomics in shared memory, which the hardware has had since.
struct AtomicUpdate {
  static constexpr u32 count_mask = ~0u;
  static __device__ __forceinline__ void add(u32* bins, u32 bin, bool valid) {
    if (valid) atomicAdd(&bins[bin], 1u);
  }
};

/// run(update) with the update that a case's parameter `update` names.
template <class Run>
void with_update(Index update, const Run& run) {
  if (update == 0) run(TaggedUpdate{});
  else run(AtomicUpdate{});
}
inline constexpr Parameter warp_blocks{
    "blocks", 0, 0, 1 << 20, Step::one, "0: as many as the device holds at once, as the text gives no grid"};
constexpr Parameter update_parameter(Index fallback, std::string_view found) {
  return {"update", fallback, 0, 1, Step::one, found};
}

/// Refuses a case in which a warp, which has up to `labels` labels, could count further than its bins do.
template <class Update>
void check_labels_per_warp(const Queue& queue, Index labels) {
  if (labels > Index(Update::count_mask))
    queue.refuse("a warp has up to " + std::to_string(labels) + " labels, its counts of 27 bits end at " +
                 std::to_string(Update::count_mask) + ": take more blocks, or update=1");
}

/// Clears the block's bins[0..count). A barrier has to follow.
__device__ __forceinline__ void clear_bins(u32* bins, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) bins[i] = 0;
}

/// result[bin] += the warps' bins[warp * stride + bin], for the bins below `count`: an atomic for each. A
/// barrier has to come before.
template <class Update>
__device__ __forceinline__ void add_warps(const u32* bins, int stride, Index count, u32* result) {
  const int warps = blockDim.x / warp_size;
  for (int bin = threadIdx.x; bin < count; bin += blockDim.x) {
    u32 sum = 0;
    for (int warp = 0; warp < warps; ++warp) sum += bins[warp * stride + bin] & Update::count_mask;
    atomicAdd(&result[bin], sum);
  }
}

inline constexpr int bins_of_warp = 256;

/// The order in which a grid reads n labels as words. The lanes of a warp are groups of `width`, and group g
/// has part g of the input: a width of 32 is the plain order, in which a warp reads 32 neighbouring words.
struct WordOrder {
  Index words, part, step;  // all words; those of a group; those of a group that the grid reads in one turn
  Index full, turns;        // turns in which every thread has a word; turns

  REDBENCH_HOST_DEVICE constexpr WordOrder(Index n, int width, Index threads)
      : words(n / labels_per_word),
        part(ceil_div(words, warp_size) * width),
        step(threads / warp_size * width),
        full(0),
        turns(ceil_div(part, step)) {
    const Index last = words - (warp_size / width - 1) * part;
    full = last > 0 ? last / step : 0;
  }
};

template <class Update>
__device__ __forceinline__ void add_word(u32* bins, u32 word, bool valid) {
#pragma unroll
  for (int j = 0; j < labels_per_word; ++j) Update::add(bins, label_of(word, j), valid);
}

template <class Update>
__global__ void count_by_warps(const u8* labels, Index n, int width, Index m, u32* result) {
  auto* const bins = dynamic_shared<u32>();
  const int lane = threadIdx.x % warp_size, warps = blockDim.x / warp_size;
  u32* const own = bins + threadIdx.x / warp_size * bins_of_warp;
  clear_bins(bins, warps * bins_of_warp);
  __syncthreads();

  const auto* const words = reinterpret_cast<const u32*>(labels);
  const WordOrder order(n, width, Index(gridDim.x) * blockDim.x);
  const Index warp = Index(blockIdx.x) * warps + threadIdx.x / warp_size;
  const Index begin = lane / width * order.part, end = min(begin + order.part, order.words);
  Index i = begin + warp * width + lane % width;
  for (Index turn = 0; turn < order.full; ++turn, i += order.step) add_word<Update>(own, words[i], true);
  for (Index turn = order.full; turn < order.turns; ++turn, i += order.step)
    add_word<Update>(own, i < end ? words[i] : 0, i < end);
  // The labels past the last whole word, at most 3.
  if (warp == 0) {
    const Index last = order.words * labels_per_word + lane;
    Update::add(own, last < n ? labels[last] : 0, last < n);
  }
  __syncthreads();
  add_warps<Update>(bins, bins_of_warp, m, result);
}

/// As many blocks of 192 threads as the case says, or as the device holds at once (the text gives no grid),
/// on a cleared result.
template <class Update, class Op>
void launch_by_warps(Queue& queue, const Histogram<Op>& x, int width) {
  constexpr int threads = 192;
  constexpr std::size_t shared_bytes = threads / warp_size * bins_of_warp * sizeof(u32);
  const Index asked = queue.parameter("blocks");
  const Index blocks = blocks_with_words(
      x.n, threads, asked ? asked : persistent_blocks(queue, count_by_warps<Update>, threads, shared_bytes));
  check_labels_per_warp<Update>(
      queue, WordOrder(x.n, width, blocks * threads).turns * warp_size * labels_per_word + labels_per_word);
  fill(queue, x.result, x.m, 0u);
  launch(queue,
         {.blocks = blocks,
          .threads = threads,
          .shared_bytes = shared_bytes,
          .bytes_read = x.input_bytes() + double(blocks * x.m) * sizeof(u32),
          .bytes_written = double(blocks * x.m) * sizeof(u32)},
         count_by_warps<Update>, x.labels, x.n, width, x.m, x.result);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
