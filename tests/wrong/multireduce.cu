// Wrong multireduces: one thread goes through each tile of 64 inputs with a set of buckets of its own; the
// sets are then joined. Right but for the fault that each is named after.
#include "kernels/multireduce/bucket_sets.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/private_buckets.hpp"
#include "kernels/parts/turns.hpp"
#include "tests/wrong/wrong_variant.hpp"

namespace redbench {
namespace {

constexpr Index wrong_tile = 64;

/// Combines the block's tile into set blockIdx.x, but for the inputs whose label is `dropped`.
template <class Op>
__global__ void reduce_tile(Multireduce<Op> x, Index dropped, typename Op::Value* sets) {
  const Index first = Index(blockIdx.x) * wrong_tile, border = first + wrong_tile;
  for (Index i = first; i < border && i < x.n; ++i) {
    auto& bucket = sets[Index(x.labels[i]) * gridDim.x + blockIdx.x];
    if (Index(x.labels[i]) != dropped) bucket = Op()(bucket, x.values[i]);
  }
}

/// How many tiles there are, at least one.
Index wrong_tiles(Index n) { return n > 0 ? ceil_div(n, wrong_tile) : 1; }

/// All tiles into a set each.
template <class Op>
void reduce_tiles(Queue& queue, const Multireduce<Op>& x, Index dropped, typename Op::Value* sets) {
  launch(queue, {.blocks = wrong_tiles(x.n), .threads = 1}, reduce_tile<Op>, x, dropped, sets);
}

/// Caught by an input of the last label.
WRONG_VARIANT(Multireduce, label_dropped, FewPairs, "drops the inputs of label m - 1", {
  const Index tiles = wrong_tiles(x.n);
  auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
  fill(queue, sets, x.m * tiles, Op::identity());
  reduce_tiles(queue, x, x.m - 1, sets);
  reduce_sets<Op>(queue, x.m, tiles, sets, x.result);
})

/// Caught by labels that occur twice in a warp: read, combine and write without an atomic.
template <class Op>
__global__ void lost_update(Multireduce<Op> x) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto before = i < x.n ? x.result[x.labels[i]] : Op::identity();
  __syncwarp();
  if (i < x.n) x.result[x.labels[i]] = Op()(before, x.values[i]);
}
WRONG_VARIANT(Multireduce, lost_update, FewPairs, "of equal labels in a warp one is combined", {
  fill(queue, x.result, x.m, Op::identity());
  if (x.n > 0) launch(queue, {.blocks = ceil_div(x.n, warp_size), .threads = warp_size}, lost_update<Op>, x);
})

/// Caught by what scratch memory held before: buckets start with what the last run left in them.
WRONG_VARIANT(Multireduce, not_cleared, FewPairs, "does not clear the buckets of its sets", {
  const Index tiles = wrong_tiles(x.n);
  auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
  reduce_tiles(queue, x, x.m, sets);
  reduce_sets<Op>(queue, x.m, tiles, sets, x.result);
})

/// Caught by the non-commutative operators, where a label occurs in two tiles.
template <class Op>
__global__ void sets_swapped(const typename Op::Value* sets, Index tiles, typename Op::Value* result) {
  auto reduction = Op::identity();
  for (Index i = Index(blockIdx.x + 1) * tiles - 1; i >= Index(blockIdx.x) * tiles; --i)
    reduction = Op()(reduction, sets[i]);
  result[blockIdx.x] = reduction;
}
WRONG_VARIANT(Multireduce, sets_swapped, FewPairs, "joins the sets from the last to the first", {
  const Index tiles = wrong_tiles(x.n);
  auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
  fill(queue, sets, x.m * tiles, Op::identity());
  reduce_tiles(queue, x, x.m, sets);
  launch(queue, {.blocks = x.m, .threads = 1}, sets_swapped<Op>, sets, tiles, x.result);
})

/// One block with a table in shared memory.
struct OneTable : FewPairs {
  static constexpr Card rest{
      .title = "", .source = "tests/wrong", .order = Order::commutative, .maximum_m = 1024};
};

/// Caught by every label of an odd lane.
template <class Op>
__global__ void column_dropped(Multireduce<Op> x) {
  const Buckets<Op, Update::atomic> buckets(dynamic_shared<typename Op::Value>(), x.m, 2);
  buckets.clear();
  __syncthreads();
  for (Index i = threadIdx.x; i < x.n; i += blockDim.x) buckets.combine(x.labels[i], x.values[i]);
  __syncthreads();
  for (Index l = threadIdx.x; l < x.m; l += blockDim.x) x.result[l] = buckets.memory[2 * l];
}
WRONG_VARIANT(Multireduce, column_dropped, OneTable, "of two columns of buckets one is joined", {
  if constexpr (Op::commutative)
    launch(queue, {.blocks = 1, .threads = 64, .shared_bytes = 2 * x.m * sizeof(typename Op::Value)},
           column_dropped<Op>, x);
})

/// Caught by two sums of i64 whose low words add up to 2^32 or more.
struct LongSums : OneTable {
  template <class Op>
  static constexpr std::string_view refuses() {
    return std::is_same_v<Op, Sum<i64>> ? "" : "a wrong kernel, built for sums of i64";
  }
};
template <class Op>
__global__ void carry_lost(Multireduce<Op> x) {
  auto* const words = dynamic_shared<u32>();
  for (Index w = threadIdx.x; w < 2 * x.m; w += blockDim.x) words[w] = 0;
  __syncthreads();
  for (Index i = threadIdx.x; i < x.n; i += blockDim.x) {
    atomicAdd(&words[2 * x.labels[i]], u32(x.values[i]));
    atomicAdd(&words[2 * x.labels[i] + 1], u32(std::uint64_t(x.values[i]) >> 32));
  }
  __syncthreads();
  for (Index l = threadIdx.x; l < x.m; l += blockDim.x)
    x.result[l] = i64(std::uint64_t(words[2 * l + 1]) << 32 | words[2 * l]);
}
WRONG_VARIANT(Multireduce, carry_lost, LongSums, "the words of a sum are added without a carry", {
  launch(queue, {.blocks = 1, .threads = 64, .shared_bytes = 2 * x.m * sizeof(u32)}, carry_lost<Op>, x);
})

/// Caught by the non-commutative operators, where a warp's second tile comes before the next warp's first.
struct OneChain : FewPairs {
  static constexpr Card rest{.title = "", .source = "tests/wrong", .maximum_m = 1024};
};
template <class Op>
__global__ void turn_not_waited(Multireduce<Op> x) {
  const TurnTable<Op> table(int(x.m), 0, FindEqual::match);
  for (int l = threadIdx.x; l <= x.m; l += blockDim.x) table.values[l] = Op::identity();
  __syncthreads();
  for (int first = int(threadIdx.x) / warp_size * turn_inputs; first < x.n;
       first += int(blockDim.x) / warp_size * turn_inputs) {
    TurnTile<typename Op::Value> tile;
    fetch<Op>(tile, x.labels, x.values, first, int(x.n), table.m);
    prepare<Op, 1>(tile, table);
    for (int row = 0; row < turn_rows; ++row) {
      auto& value = table.values[tile.label[row]];
      if (tile.last >> row & 1) value = Op()(value, tile.total[row]);
      __syncwarp();
    }
  }
  __syncthreads();
  for (Index l = threadIdx.x; l < x.m; l += blockDim.x) x.result[l] = table.values[l];
}
WRONG_VARIANT(Multireduce, turn_not_waited, OneChain, "warps update a block's table without taking turns", {
  launch(queue, {.blocks = 1, .threads = 64, .shared_bytes = turn_bytes<typename Op::Value>(x.m, 2)},
         turn_not_waited<Op>, x);
})

/// One thread puts the inputs by label into pages of eight places, and reduces them page by page.
template <class Op>
struct SmallPages {
  static constexpr Index places = 8;
  Index taken, *of_label, *next,
      *used;  // pages; [page] its label; [label] the next place; [page] places taken
  typename Op::Value* values;
};
template <class Op>
SmallPages<Op> small_pages(Queue& queue, const Multireduce<Op>& x) {
  const Index most = x.n / SmallPages<Op>::places + x.m + 1;
  return {0, queue.scratch<Index>(most), queue.scratch<Index>(x.m), queue.scratch<Index>(most),
          queue.scratch<typename Op::Value>(most * SmallPages<Op>::places)};
}
template <class Op, class IsFull, class Used>
__device__ void reduce_by_pages(const Multireduce<Op>& x, SmallPages<Op> pages, const IsFull& is_full,
                                const Used& used) {
  for (Index l = 0; l < x.m; ++l) {
    x.result[l] = Op::identity();
    pages.next[l] = 0;
  }
  for (Index i = 0; i < x.n; ++i) {
    Index& next = pages.next[x.labels[i]];
    if (is_full(next)) {
      pages.of_label[pages.taken] = x.labels[i];
      next = pages.taken++ * pages.places;
    }
    pages.values[next] = x.values[i];
    ++next;
    pages.used[(next - 1) / pages.places] = (next - 1) % pages.places + 1;
  }
  for (Index page = 0; page < pages.taken; ++page)
    for (Index k = 0; k < used(pages.used[page]); ++k) {
      auto& result = x.result[pages.of_label[page]];
      result = Op()(result, pages.values[page * pages.places + k]);
    }
}

/// Caught by a label with more inputs than a page holds: they go on into a page of another one.
template <class Op>
__global__ void page_passed(Multireduce<Op> x, SmallPages<Op> pages) {
  reduce_by_pages(x, pages, [](Index next) { return next == 0; }, [](Index used) { return used; });
}
WRONG_VARIANT(Multireduce, page_passed, FewPairs, "goes on behind a full page",
              { launch(queue, {}, page_passed<Op>, x, small_pages(queue, x)); })

/// Caught by a label whose last page is not full: what scratch memory held is reduced, too.
template <class Op>
__global__ void page_full(Multireduce<Op> x, SmallPages<Op> pages) {
  reduce_by_pages(
      x, pages, [](Index next) { return next % SmallPages<Op>::places == 0; },
      [](Index) { return SmallPages<Op>::places; });
}
WRONG_VARIANT(Multireduce, page_full, FewPairs, "takes every page for a full one",
              { launch(queue, {}, page_full<Op>, x, small_pages(queue, x)); })

}  // namespace
}  // namespace redbench
