#include "kernels/multiscan/indexed_values.hpp"
#include "kernels/multiscan/partitioned_scan.hpp"
#include "kernels/parts/block_radix_sort.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/segmented_operator.hpp"

namespace redbench {
namespace {

/// Arguments of a launch: a block has a tile of blockDim * items inputs, and its bucket l is at
/// l * gridDim.x + block. Labels are below m and have `bits` bits.
template <class Op>
struct Tiles {
  using T = typename Op::Value;
  const u32* labels;
  const T* values;
  Index n;
  u32 m;
  int bits;
  bool inclusive;
  T* result;
  T* buckets;
};

/// A block's tile: in the registers, sorted by label, scanned by segments. Registers are bounded for
/// `resident` threads of a multiprocessor; 0: as the compiler likes.
template <class Op, int items, int resident>
__global__ void __launch_bounds__(resident) sort_and_scan(Tiles<Op> x) {
  using T = typename Op::Value;
  using Scan = Segmented<Op>;
  const Op op;
  auto* const memory = dynamic_shared<unsigned char>();
  auto* const first_label = reinterpret_cast<u32*>(memory);
  const int block = blockDim.x, t = threadIdx.x;
  const Index tile = Index(blockIdx.x) * block * items, left = x.n - tile;

  // Values, then labels, are read a block apart and handed to the threads whose stretch they are in. Past the
  // end come identities of the last label: they change nothing, and the sort leaves them behind.
  int place[items];
  T fetched[items];
  u32 label[items];
  IndexedValue<T> pair[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    place[k] = k * block + t;
    fetched[k] = place[k] < left ? x.values[tile + place[k]] : Op::identity();
  }
  exchange(fetched, place, memory);
#pragma unroll
  for (int k = 0; k < items; ++k) {
    pair[k] = IndexedValue<T>::of(t * items + k, fetched[k]);
    label[k] = place[k] < left ? x.labels[tile + place[k]] : x.m - 1;
  }
  exchange(label, place, memory);
  block_sort(label, pair, x.bits, memory);

  // The next thread's first label; behind the last thread comes none, so m.
  first_label[t] = t == 0 ? x.m : label[0];
  __syncthreads();
  const u32 after = first_label[t + 1 < block ? t + 1 : 0];
  const auto ends_at = [&](int k) {
    return label[k] != (k + 1 < items ? label[k + 1 < items ? k + 1 : 0] : after);
  };

  // 1: scan[k] is the reduction of this thread's part of the segment before k, and `carry` that of the
  // segment that goes on behind the thread.
  T scan[items];
  T carry = Op::identity();
  bool any_end = false;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    scan[k] = carry;
    carry = k == 0 ? pair[0].value() : op(carry, pair[k].value());
    const bool ends = ends_at(k);
    if (ends) carry = Op::identity();
    any_end = any_end || ends;
  }

  // 2: what comes before this thread of its first segment.
  typename Scan::Value total;
  T before = block_exclusive_scan<Scan>({carry, any_end}, total).value;

  // 3
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const T exclusive = op(before, scan[k]), inclusive = op(exclusive, pair[k].value());
    const Index index = pair[k].index();
    if (index < left) x.result[tile + index] = x.inclusive ? inclusive : exclusive;
    if (!ends_at(k)) continue;
    x.buckets[Index(label[k]) * gridDim.x + blockIdx.x] = inclusive;
    before = Op::identity();
  }
}

struct sort_segscan_block {
  static constexpr Card card{
      .title = "a tile in each block's registers: radix sort, segmented scan in three phases",
      .source =
          "Eilers 2014, 5.5.3, Alg. 5.4, 5.2, with the misprints mended; CUB's and Modern GPU's block "
          "primitives there, our own here",
      .order = Order::any,
      .maximum_m = (Index(1) << 32) - 1,  // m itself stands for a label that none has
      .parameters = {
          {{"block", 256, 32, 1024, Step::multiple_of_warp, "not printed; as the multireduce's"},
           {"items", 8, 4, 12, Step::one, "5.5.3: fewer than the multireduce's 12, not printed; 4, 8, 12"},
           sort_resident}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    with_items_and_resident(queue,
                            [&]<int items, int resident>() { run_kernel<Op, items, resident>(queue, x); });
  }

  template <class Op, int items, int resident>
  static void run_kernel(Queue& queue, const Multiscan<Op>& x) {
    using T = typename Op::Value;
    if (x.n == 0) return;
    const Index block = queue.parameter("block"), tile = block * items, tiles = ceil_div(x.n, tile);
    T* const buckets = queue.scratch<T>(x.m * tiles);
    T* const before = queue.scratch<T>(x.m * tiles);

    fill(queue, buckets, x.m * tiles, Op::identity());
    launch(queue,
           {.blocks = tiles,
            .threads = int(block),
            .shared_bytes = block_sort_bytes<IndexedValue<T>>(block, items),
            .bytes_read = x.input_bytes(),
            .bytes_written = double(x.n + std::min(x.n, x.m * tiles)) * sizeof(T)},
           sort_and_scan<Op, items, resident>,
           Tiles<Op>{x.labels, x.values, x.n, u32(x.m), bits_of(x.m), x.inclusive, x.result, buckets});
    scan_buckets<Op>(queue, x.m, tiles, buckets, before);
    put_before(queue, x, tiles, tile, before);
    queue.chain(items + block_scan_chain + 2 + partitioned_scan_chain(tiles));
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, sort_segscan_block)
}  // namespace redbench
