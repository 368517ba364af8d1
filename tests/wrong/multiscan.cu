// Wrong multiscans: one thread goes through each tile of 64 inputs with buckets of its own, which the
// partitioning scheme joins. Right but for the fault that each is named after.
#include "kernels/multiscan/partitioned_scan.hpp"
#include "kernels/multiscan/sheffler.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/turns.hpp"
#include "tests/wrong/wrong_variant.hpp"

namespace redbench {
namespace {

constexpr Index wrong_tile = 64;
/// Buckets of 2^14 tiles would take most of the battery's time.
struct ShortInputs : FewPairs {
  static constexpr Card rest{.title = "", .source = "tests/wrong", .maximum_n = Index(1) << 17};
};

/// The inputs, and buckets of which that of label l and a tile is at l * gridDim.x + tile.
template <class Op>
struct Tiles {
  using Value = typename Op::Value;
  const u32* labels;
  const Value* values;
  Index n, m;
  Value* buckets;
  Value* result;
  bool inclusive;
};

/// Scans a block's tile on its buckets.
template <class Op>
__device__ void scan_own_tile(const Tiles<Op>& x) {
  const Index first = Index(blockIdx.x) * wrong_tile, border = first + wrong_tile;
  const Index end = border < x.n ? border : x.n;
  for (Index i = first; i < end; ++i) {
    auto& bucket = x.buckets[Index(x.labels[i]) * gridDim.x + blockIdx.x];
    const auto before = bucket;
    bucket = Op()(before, x.values[i]);
    x.result[i] = x.inclusive ? bucket : before;
  }
}

template <class Op>
__global__ void scan_tile(Tiles<Op> x) {
  scan_own_tile(x);
}

/// The three phases, with `tile_kernel` for the first and scan(queue, m, tiles, buckets, before) for the
/// second. `cleared`: the buckets are the identity before.
template <class Op, class Scan>
void run_tiles(Queue& queue, const Multiscan<Op>& x, void (*tile_kernel)(Tiles<Op>), const Scan& scan,
               bool cleared = true) {
  if (x.n == 0) return;
  using T = typename Op::Value;
  const Index tiles = ceil_div(x.n, wrong_tile);
  T* const buckets = queue.scratch<T>(x.m * tiles);
  T* const before = queue.scratch<T>(x.m * tiles);
  if (cleared) fill(queue, buckets, x.m * tiles, Op::identity());
  launch(queue, {.blocks = tiles, .threads = 1}, tile_kernel,
         Tiles<Op>{x.labels, x.values, x.n, x.m, buckets, x.result, x.inclusive});
  scan(queue, x.m, tiles, buckets, before);
  put_before(queue, x, tiles, wrong_tile, before);
  queue.chain(wrong_tile + partitioned_scan_chain(tiles));
}

/// Caught by label m - 1 where it occurs in two tiles: nothing of it is handed on.
template <class Op>
__global__ void carry_lost(Tiles<Op> x) {
  scan_own_tile(x);
  x.buckets[(x.m - 1) * gridDim.x + blockIdx.x] = Op::identity();
}
WRONG_VARIANT(Multiscan, carry_lost, ShortInputs, "the last label's buckets are not handed on",
              { run_tiles(queue, x, carry_lost<Op>, scan_buckets<Op>); })

/// Caught by the exclusive cases: each value is in its own result.
WRONG_VARIANT(Multiscan, inclusive, ShortInputs, "inclusive where exclusive is asked for", {
  Multiscan<Op> all = x;
  all.inclusive = true;
  run_tiles(queue, all, scan_tile<Op>, scan_buckets<Op>);
})

/// Caught by the non-commutative operators, where a label occurs in two tiles and after them.
/// Puts each tile's bucket before those of the tiles before it.
template <class Op>
__global__ void tiles_swapped(const typename Op::Value* buckets, Index tiles, typename Op::Value* before) {
  auto carry = Op::identity();
  for (Index i = Index(blockIdx.x) * tiles; i < Index(blockIdx.x + 1) * tiles; ++i) {
    before[i] = carry;
    carry = Op()(buckets[i], carry);
  }
}
WRONG_VARIANT(Multiscan, tiles_swapped, ShortInputs, "joins the tiles from the last to the first", {
  using T = typename Op::Value;
  run_tiles(queue, x, scan_tile<Op>, [](Queue& q, Index m, Index tiles, const T* buckets, T* before) {
    launch(q, {.blocks = m, .threads = 1}, tiles_swapped<Op>, buckets, tiles, before);
  });
})

/// Caught by the second tile's first input: its result is inclusive in an exclusive case, exclusive in an
/// inclusive one.
template <class Op>
__global__ void border_swapped(Tiles<Op> x) {
  scan_own_tile(x);
  const Index first = Index(blockIdx.x) * wrong_tile;
  if (first > 0) x.result[first] = x.inclusive ? Op::identity() : x.values[first];
}
WRONG_VARIANT(Multiscan, border_swapped, ShortInputs, "inclusive for exclusive at a tile's first input",
              { run_tiles(queue, x, border_swapped<Op>, scan_buckets<Op>); })

/// Caught by the poison of scratch memory: a tile's buckets begin with what was there.
WRONG_VARIANT(Multiscan, not_cleared, ShortInputs, "the sets of buckets are not cleared",
              { run_tiles(queue, x, scan_tile<Op>, scan_buckets<Op>, false); })

/// Caught by the non-commutative operators, where a label occurs twice in a tile and then again.
template <class Op>
struct Backwards : Op {
  __device__ constexpr typename Op::Value operator()(typename Op::Value x, typename Op::Value y) const {
    return Op()(y, x);
  }
};

template <class Op>
__global__ void operands_swapped(Tiles<Op> x) {
  scan_own_tile(Tiles<Backwards<Op>>{x.labels, x.values, x.n, x.m, x.buckets, x.result, x.inclusive});
}
WRONG_VARIANT(Multiscan, operands_swapped, ShortInputs, "puts an input before its bucket",
              { run_tiles(queue, x, operands_swapped<Op>, scan_buckets<Op>); })

/// Caught by rows whose values add up to the identity: Sheffler's condition as it was published
/// (kernels/multiscan/sheffler.hpp).
WRONG_VARIANT(Multiscan, published_sheffler, FewPairs,
              "a row's sum is handed on where it is not the identity",
              { run_sheffler_in_shared<Op, true>(queue, x, 32); })

/// Caught by a label that occurs in the first tile and after it.
template <class Op>
__global__ void first_tile_lost(const typename Op::Value* buckets, Index tiles, typename Op::Value* before) {
  auto carry = Op::identity();
  for (Index i = 0; i < tiles; ++i) {
    before[blockIdx.x * tiles + i] = carry;
    if (i > 0) carry = Op()(carry, buckets[blockIdx.x * tiles + i]);
  }
}
WRONG_VARIANT(Multiscan, first_tile_lost, ShortInputs, "the first tile's totals are not handed on", {
  using T = typename Op::Value;
  run_tiles(queue, x, scan_tile<Op>, [](Queue& q, Index m, Index tiles, const T* buckets, T* before) {
    launch(q, {.blocks = m, .threads = 1}, first_tile_lost<Op>, buckets, tiles, before);
  });
})

/// One warp that goes through the input by rows.
struct OneWarp : FewPairs {
  static constexpr Card rest{
      .title = "", .source = "tests/wrong", .maximum_n = Index(1) << 17, .maximum_m = 1024};
};

/// Caught by a label that occurs twice in a row: both of its lanes store what they have come to.
template <class Op>
__global__ void both_stored(Multiscan<Op> x) {
  const TurnTable<Op> table(int(x.m), 0, FindEqual::match);
  const Op op;
  const int lane = threadIdx.x;
  for (int l = lane; l <= x.m; l += warp_size) table.values[l] = Op::identity();
  __syncwarp();
  for (int first = 0; first < x.n; first += turn_inputs) {
    TurnTile<typename Op::Value> tile;
    fetch<Op>(tile, x.labels, x.values, first, int(x.n), table.m);
    prepare<Op, 1>(tile, table);
    for (int row = 0; row < turn_rows; ++row) {
      auto& value = table.values[tile.label[row]];
      const auto before = value, after = op(before, tile.total[row]);
      __syncwarp();
      value = after;
      __syncwarp();
      const int i = first + row * warp_size + lane;
      if (i < x.n) x.result[i] = x.inclusive ? after : op(before, tile.before[row]);
    }
  }
}
WRONG_VARIANT(Multiscan, both_stored, OneWarp, "equal labels of a row are all stored", {
  launch(queue, {.blocks = 1, .threads = warp_size, .shared_bytes = turn_bytes<typename Op::Value>(x.m, 1)},
         both_stored<Op>, x);
})

/// Caught by a label with two inputs: a partition into even and odd labels that is not stable.
template <class Op>
__global__ void backwards_partition(Multiscan<Op> x, Index* order, typename Op::Value* buckets) {
  Index next = 0;
  for (u32 range = 0; range < 2; ++range)
    for (Index i = x.n - 1; i >= 0; --i)
      if (x.labels[i] % 2 == range) order[next++] = i;
  for (Index l = 0; l < x.m; ++l) buckets[l] = Op::identity();
  for (Index k = 0; k < x.n; ++k) {
    const Index i = order[k];
    auto& bucket = buckets[x.labels[i]];
    const auto before = bucket;
    bucket = Op()(before, x.values[i]);
    x.result[i] = x.inclusive ? bucket : before;
  }
}
WRONG_VARIANT(Multiscan, backwards_partition, ShortInputs, "partitions from the last input to the first", {
  if (x.n > 0)
    launch(queue, {}, backwards_partition<Op>, x, queue.scratch<Index>(x.n),
           queue.scratch<typename Op::Value>(x.m));
})

}  // namespace
}  // namespace redbench
