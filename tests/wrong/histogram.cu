// Wrong histograms. What they share are tiles of 64 labels, and an atomic for each label.
#include "kernels/histogram/join_tables.hpp"
#include "kernels/histogram/label_vectors.hpp"
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

/// Caught by labels whose counters are neighbours in a word: one wraps while it holds the carry of the one before,
/// and when that is taken back it is 15 again, and has borrowed from the next.
template <class Label>
__global__ void borrow_unseen(const Label* labels, Index n, Index m, u32* counts) {
  constexpr u32 bits = 4, per_word = 8, most = 15;
  auto* const words = dynamic_shared<u32>();
  clear_table(words, int(ceil_div(m, per_word)));
  __syncthreads();
  for (Index first = 0; first < n; first += blockDim.x) {
    const bool has_label = first + threadIdx.x < n;
    const u32 label = has_label ? labels[first + threadIdx.x] : 0, place = label % per_word * bits;
    const u32 old = has_label ? atomicAdd(&words[label / per_word], 1u << place) >> place & most : 0;
    __syncwarp();
    if (old < most) continue;
    atomicAdd(&counts[label], most + 1);
    if (place + bits < 32) atomicSub(&words[label / per_word], (most + 1) << place);
  }
  __syncthreads();
  add_counts(m, [=](Index bin) { return words[bin / per_word] >> bin % per_word * bits & most; }, counts);
}
WRONG_VARIANT(Histogram, borrow_unseen, FewBins, "a borrow from the next counter of a word is not given back",
              {
                fill(queue, x.result, x.m, 0u);
                launch(queue, {.threads = wrong_tile, .shared_bytes = table_bytes(x.m)},
                       borrow_unseen<typename Op::Value>, x.labels, x.n, x.m, x.result);
              })

/// Caught by sizes that are no multiple of a vector.
template <class Label>
__global__ void last_vector(const Label* labels, Index n, u32* counts) {
  for_each_word<1>(reinterpret_cast<const u32*>(labels), n / labels_per_vector<Label>, [=](u32 word) {
    if constexpr (sizeof(Label) == sizeof(u32)) atomicAdd(&counts[word], 1u);
    else
      for (int j = 0; j < labels_per_word; ++j) atomicAdd(&counts[label_of(word, j)], 1u);
  });
}
WRONG_VARIANT(Histogram, last_vector, AnyPairs, "labels past the last whole vector are dropped", {
  fill(queue, x.result, x.m, 0u);
  launch(queue, {.blocks = 2, .threads = wrong_tile}, last_vector<typename Op::Value>, x.labels, x.n,
         x.result);
})

/// Counts in two columns by lane, which `join(counters)` makes the result of. One block for each 512 labels.
template <class Label, class Join>
__device__ void count_in_columns(const Label* labels, Index n, Index m, const Join& join) {
  auto* const counters = dynamic_shared<u32>();
  clear_table(counters, 2 * int(m));
  __syncthreads();
  for_each_label<1>(labels, n, [=](u32 label) { atomicAdd(&counters[2 * label + threadIdx.x % 2], 1u); });
  __syncthreads();
  join(counters);
}
template <class Op, class... P>
void launch_columns(Queue& queue, const Histogram<Op>& x, void (*kernel)(P...)) {
  launch(queue,
         {.blocks = ceil_div(x.n + 1, 512), .threads = wrong_tile, .shared_bytes = table_bytes(2 * x.m)},
         kernel, x.labels, x.n, x.m, x.result);
}
struct FewColumns {
  static constexpr Card rest{.title = "", .source = "tests/wrong", .maximum_m = 4096};
};

/// Caught by every label of an odd lane.
template <class Label>
__global__ void column_dropped(const Label* labels, Index n, Index m, u32* counts) {
  count_in_columns(labels, n, m, [=](const u32* counters) {
    add_counts(m, [=](Index bin) { return counters[2 * bin]; }, counts);
  });
}
WRONG_VARIANT(Histogram, column_dropped, FewColumns, "of two columns one is joined", {
  fill(queue, x.result, x.m, 0u);
  launch_columns(queue, x, column_dropped<typename Op::Value>);
})

/// Caught where a block counts before the last one starts: nothing of the grid waits for its clearing. On the
/// modelled device that holds where there are fewer threads than the 391 blocks of the case.
template <class Label>
__global__ void cleared_late(const Label* labels, Index n, Index m, u32* counts) {
  if (blockIdx.x == gridDim.x - 1)
    for (Index bin = threadIdx.x; bin < m; bin += blockDim.x) counts[bin] = 0;
  count_in_columns(labels, n, m, [=](const u32* counters) {
    add_counts(m, [=](Index bin) { return counters[2 * bin] + counters[2 * bin + 1]; }, counts);
  });
}
WRONG_VARIANT(Histogram, cleared_late, FewColumns, "blocks add before the last one has cleared the result",
              { launch_columns(queue, x, cleared_late<typename Op::Value>); })

/// Caught by two equal labels beside each other.
template <class Label>
__global__ void pair_once(const Label* labels, Index n, u32* counts) {
  const Index i = 2 * (Index(blockIdx.x) * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(&counts[labels[i]], 1u);
  if (i + 1 < n && labels[i + 1] != labels[i]) atomicAdd(&counts[labels[i + 1]], 1u);
}
WRONG_VARIANT(Histogram, pair_once, AnyPairs, "a pair of equal labels counts for one of them", {
  fill(queue, x.result, x.m, 0u);
  count_tiles(queue, x, x.n, pair_once<typename Op::Value>);
})

/// Caught where a range of labels has more than a block's part: the last block's counts replace the others'.
template <class Label>
__global__ void range_stored(const Label* labels, Index n, Index m, u32* counts) {
  count_in_columns(labels, n, m, [=](const u32* counters) {
    for (Index bin = threadIdx.x; bin < m; bin += blockDim.x)
      relaxed_store(&counts[bin], counters[2 * bin] + counters[2 * bin + 1]);
  });
}
WRONG_VARIANT(Histogram, range_stored, FewColumns, "blocks with labels of one range store their counts",
              { launch_columns(queue, x, range_stored<typename Op::Value>); })

/// Caught by all labels of a warp but one: they are put where the first one belongs.
template <class Label>
__global__ void one_place(const Label* labels, Index n, u32* used, u32* sorted) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x % warp_size;
  const u32 group = __ballot_sync(full_mask, i < n);
  u32 place = 0;
  if (lane == 0) place = atomicAdd(used, u32(__popc(group)));
  place = shuffle(full_mask, place, 0);
  if (i < n) relaxed_store(&sorted[place], u32(labels[i]));
}
WRONG_VARIANT(Histogram, one_place, AnyPairs, "lanes that take places together take the same", {
  auto* const used = queue.scratch<u32>(1);
  auto* const sorted = queue.scratch<u32>(x.n);
  fill(queue, used, 1, 0u);
  fill(queue, sorted, x.n, 0u);
  fill(queue, x.result, x.m, 0u);
  if (x.n == 0) return;
  launch(queue, {.blocks = ceil_div(x.n, wrong_tile), .threads = wrong_tile}, one_place<typename Op::Value>,
         x.labels, x.n, used, sorted);
  launch(queue, {.blocks = ceil_div(x.n, wrong_tile), .threads = wrong_tile}, count_tile<u32>, sorted, x.n,
         x.result);
})

}  // namespace
}  // namespace redbench
