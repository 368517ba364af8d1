// Wrong histograms. What they share are tiles of 64 labels, and an atomic for each label.
#include "kernels/histogram/problem.hpp"
#include "kernels/parts/fill.hpp"
#include "tests/wrong/wrong_variant.hpp"

namespace redbench {
namespace {

constexpr int wrong_tile = 64;

/// Counts labels[0..n) by kernel(labels, n, counts), a block for each tile that has labels.
template <class Op>
void count_tiles(Queue& queue, const Histogram<Op>& x, Index n,
                 void (*kernel)(const typename Op::Value*, Index, u32*)) {
  if (n > 0)
    launch(queue, {.blocks = ceil_div(n, wrong_tile), .threads = wrong_tile}, kernel, x.labels, n, x.result);
}

template <class Label>
__global__ void count_tile(const Label* labels, Index n, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[labels[i]], 1u);
}

constexpr int bins = 256;

/// Caught by labels that are equal more than 255 times in a row of one thread: its bins have 8 bits, and are
/// never emptied before the end.
template <class Label>
__global__ void bins_overflow(const Label* labels, Index n, Index m, u32* counts) {
  auto* const own = dynamic_shared<u8>() + threadIdx.x * bins;
  for (int bin = 0; bin < bins; ++bin) own[bin] = 0;
  for (Index i = threadIdx.x; i < n; i += blockDim.x) ++own[labels[i]];
  for (Index bin = 0; bin < m; ++bin) atomicAdd(&counts[bin], u32(own[bin]));
}
struct FewBins {
  static constexpr Card rest{.title = "", .source = "tests/wrong", .maximum_m = bins};
};
WRONG_VARIANT(Histogram, bins_overflow, FewBins, "a thread's bins of 8 bits overflow", {
  fill(queue, x.result, x.m, 0u);
  launch(queue, {.threads = warp_size, .shared_bytes = warp_size * bins}, bins_overflow<typename Op::Value>,
         x.labels, x.n, x.m, x.result);
})

/// Caught by the poison of scratch memory: the buckets in it are what the last run left, which are zeros only
/// where that run was of this kernel, too.
__global__ void move_counts(u32* buckets, Index m, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= m) return;
  counts[i] = buckets[i];
  buckets[i] = 0;
}
WRONG_VARIANT(Histogram, cleared_after, AnyPairs, "buckets are cleared for the next run, not for this one", {
  auto* const buckets = queue.scratch<u32>(x.m);
  if (x.n > 0)
    launch(queue, {.blocks = ceil_div(x.n, wrong_tile), .threads = wrong_tile},
           count_tile<typename Op::Value>, x.labels, x.n, buckets);
  launch(queue, {.blocks = ceil_div(x.m, wrong_tile), .threads = wrong_tile}, move_counts, buckets, x.m,
         x.result);
})

/// Caught by every label's count: of 256 labels and more, one bucket is one too few.
template <class Label>
__global__ void label_dropped(const Label* labels, Index n, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && labels[i] != Label(255)) atomicAdd(&counts[labels[i]], 1u);
}
WRONG_VARIANT(Histogram, label_dropped, AnyPairs, "label 255 is taken for a mark of no label", {
  fill(queue, x.result, x.m, 0u);
  count_tiles(queue, x, x.n, label_dropped<typename Op::Value>);
})

/// Caught by every label's count: the last of the m buckets stays empty.
template <class Label>
__global__ void last_label(const Label* labels, Index n, Index m, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && labels[i] < m - 1) atomicAdd(&counts[labels[i]], 1u);
}
WRONG_VARIANT(Histogram, last_label, AnyPairs, "label m - 1 is dropped", {
  fill(queue, x.result, x.m, 0u);
  if (x.n > 0)
    launch(queue, {.blocks = ceil_div(x.n, wrong_tile), .threads = wrong_tile},
           last_label<typename Op::Value>, x.labels, x.n, x.m, x.result);
})

/// Caught by the battery's sizes that are no multiple of a tile.
WRONG_VARIANT(Histogram, last_tile, AnyPairs, "the last, partial tile is skipped", {
  fill(queue, x.result, x.m, 0u);
  count_tiles(queue, x, x.n / wrong_tile * wrong_tile, count_tile<typename Op::Value>);
})

/// Caught by labels that occur twice in a warp: read, add and write without an atomic.
template <class Label>
__global__ void lost_updates(const Label* labels, Index n, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const u32 before = i < n ? counts[labels[i]] : 0;
  __syncwarp();
  if (i < n) counts[labels[i]] = before + 1;
}
WRONG_VARIANT(Histogram, lost_updates, AnyPairs, "of equal labels in a warp one is counted", {
  fill(queue, x.result, x.m, 0u);
  count_tiles(queue, x, x.n, lost_updates<typename Op::Value>);
})

/// Caught by the poison of the result.
WRONG_VARIANT(Histogram, not_cleared, AnyPairs, "counts on from what was there",
              { count_tiles(queue, x, x.n, count_tile<typename Op::Value>); })

}  // namespace
}  // namespace redbench
