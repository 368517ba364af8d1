#include "kernels/multireduce/bucket_sets.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/block_radix_sort.hpp"
#include "kernels/parts/device_sort.hpp"
#include "kernels/parts/segmented_operator.hpp"

namespace redbench {
namespace {

/// One tile of blockDim * items inputs: in the registers, sorted by label, reduced by segments. Bucket l of
/// block b is at l * gridDim.x + b.
template <class Op, int items>
__global__ void sort_and_reduce(const u32* labels, const typename Op::Value* values, Index n, u32 m, int bits,
                                bool transposed, typename Op::Value* buckets) {
  using T = typename Op::Value;
  using Scan = Segmented<Op>;
  const Op op;
  auto* const memory = dynamic_shared<unsigned char>();
  auto* const first_label = reinterpret_cast<u32*>(memory);
  const int block = blockDim.x, t = threadIdx.x;
  const Index tile = Index(blockIdx.x) * block * items;

  // Past the end come identities of the last label: they change nothing, and the sort leaves them behind.
  u32 label[items];
  T value[items];
  int place[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    place[k] = k * block + t;
    label[k] = tile + place[k] < n ? labels[tile + place[k]] : m - 1;
  }
#pragma unroll
  for (int k = 0; k < items; ++k) value[k] = tile + place[k] < n ? values[tile + place[k]] : Op::identity();
  if (transposed) {
    exchange(label, place, memory);
    exchange(value, place, memory);
  }
  block_sort(label, value, bits, memory);

  // The next thread's first label; behind the last thread comes none, so m.
  first_label[t] = t == 0 ? m : label[0];
  __syncthreads();
  const u32 after = first_label[t + 1 < block ? t + 1 : 0];

  // 1: value[k] becomes the reduction of this thread's part of the segment up to k, and `carry` that of the
  // segment that goes on behind the thread. A segment ends at k where ends has bit k.
  auto carry = Op::identity();
  u32 ends = 0;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    carry = k == 0 ? value[0] : op(carry, value[k]);
    value[k] = carry;
    if (label[k] != (k + 1 < items ? label[k + 1 < items ? k + 1 : 0] : after)) {
      ends |= 1u << k;
      carry = Op::identity();
    }
  }

  // 2: what comes before this thread of its first segment.
  typename Scan::Value total;
  auto before = block_exclusive_scan<Scan>({carry, ends != 0}, total).value;

  // 3
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (!(ends >> k & 1)) continue;
    buckets[Index(label[k]) * gridDim.x + blockIdx.x] = op(before, value[k]);
    before = Op::identity();
  }
}

/// Values of the parameter `fetch`.
constexpr Index by_operator = 0, strided = 1;

struct sort_segreduce_block {
  static constexpr Card card{
      .title = "a tile in each block's registers: radix sort, segmented reduction in three phases",
      .source =
          "Eilers 2014, 4.4.3, Alg. 4.13, with its misprints mended; CUB's and Modern GPU's block "
          "primitives there, our own here; the ends of segments are bits of a word, not values",
      .order = Order::any,
      .parameters = {
          {{"block", 256, 32, 1024, Step::multiple_of_warp, "an axis of Fig. 4.21; no value is printed"},
           {"items", 12, 4, 12, Step::one, "4.4.3: 12 is always best; 4 and 8, too"},
           {"fetch", by_operator, by_operator, 2, Step::one,
            "1: strided, for commutative operators; 2: transposed (Alg. 4.5); 0: as the operator asks"}}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    switch (queue.parameter("items")) {
      case 4:
        return run_kernel<Op, 4>(queue, x);
      case 8:
        return run_kernel<Op, 8>(queue, x);
      case 12:
        return run_kernel<Op, 12>(queue, x);
      default:
        queue.refuse("items is 4, 8 or 12");
    }
  }

  template <class Op, int items>
  static void run_kernel(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const Index block = queue.parameter("block"), fetch = queue.parameter("fetch");
    if (fetch == strided && !Op::commutative)
      queue.refuse("a strided fetch changes the order: fetch=1 needs a commutative operator");
    const Index blocks = ceil_div(x.n, block * items);
    const auto sets = BucketSets<Op>::cleared(queue, x.m, std::max<Index>(blocks, 1), x.result);
    if (x.n == 0) return;
    launch(queue,
           {.blocks = blocks,
            .threads = int(block),
            .shared_bytes = block_sort_bytes<T>(block, items),
            .bytes_read = x.input_bytes(),
            .bytes_written = double(std::min(x.n, x.m * blocks)) * sizeof(T)},
           sort_and_reduce<Op, items>, x.labels, x.values, x.n, u32(x.m), bits_of(x.m),
           fetch == by_operator ? !Op::commutative : fetch != strided, sets.buckets);
    sets.reduce(queue);
    queue.chain(items + block_scan_chain + 2 + sets.chain());
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, sort_segreduce_block)
}  // namespace redbench
