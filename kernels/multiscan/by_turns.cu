#include <algorithm>
#include <bit>

#include "kernels/multiscan/problem.hpp"
#include "kernels/multiscan/turn_scan.hpp"

namespace redbench {
namespace {

/// Arguments of the launches: a block, a chain of turns, has a part of `length` inputs and row blockIdx.x of
/// `sets`, m values and others up to `stride`: first its totals, then what comes before it.
template <class Op>
struct Chains {
  using T = typename Op::Value;
  const u32* labels;
  const T* values;
  Index n, length;
  int m, bits;
  FindEqual find;
  T* sets;
  Index stride;

  __device__ Index start() const { return Index(blockIdx.x) * length; }
  __device__ int count() const { return part_inputs(n, length); }
  __device__ T* set() const { return sets + blockIdx.x * stride; }
  __device__ TurnTable<Op> table() const { return {m, bits, find}; }
};

template <class Op, class Walk>
__global__ void __launch_bounds__(most_turn_threads, Walk::blocks) total_by_turns(Chains<Op> x) {
  const TurnTable<Op> table = x.table();
  reduce_in_turns<Walk>(x.labels + x.start(), x.values + x.start(), x.count(), table);
  __syncthreads();
  for (int l = threadIdx.x; l < x.m; l += blockDim.x) x.set()[l] = table.values[l];
}

/// The same by atomics, of more threads, on as many columns as fit where the scan has its table.
template <class Op>
__global__ void __launch_bounds__(1024, 2) total_by_atomics(Chains<Op> x, int columns) {
  total_in_columns<Op>(x.labels + x.start(), x.values + x.start(), x.count(), x.m, columns, x.set());
}

/// set[c][label] = the reduction of sets 0 to c - 1. A block has 32 labels, each of its warps a share of the
/// chains.
template <class Op>
__global__ void scan_chains(typename Op::Value* sets, int chains, int m, Index stride) {
  using T = typename Op::Value;
  const int label = int(blockIdx.x * warp_size + threadIdx.x % warp_size);
  scan_sets<Op>(sets + label, label < m ? chains : 0, stride, dynamic_shared<T>());
}

template <class Op, bool inclusive, class Walk>
__global__ void __launch_bounds__(most_turn_threads, Walk::blocks)
    scan_by_turns(Chains<Op> x, typename Op::Value* result) {
  scan_in_turns<Op, inclusive, Walk>(x.labels + x.start(), x.values + x.start(), x.count(), x.table(),
                                     x.set(), result + x.start());
}

struct by_turns {
  static constexpr Card card{
      .title =
          "a table in each block's shared memory that its warps read and update in input order, one after "
          "the other",
      .source =
          "not in the thesis; the segments of Eilers 2014, Alg. 5.2, one for each block instead of each "
          "thread",
      .order = Order::any,
      .parameters = {{turn_chains, turn_warps, turn_find, turn_at_once}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    if (x.n == 0) return;
    using T = typename Op::Value;
    const TurnShape shape =
        turn_shape(queue, x.n, x.m, [&](Index warps) { return turn_bytes<T>(x.m, warps); });
    const Index chains = shape.parts.blocks, stride = Index(round_up(std::size_t(x.m), warp_size));
    T* const sets = queue.scratch<T>(chains > 1 ? chains * stride : stride);
    const double set_bytes = double(chains) * double(x.m) * sizeof(T);
    const Chains<Op> all{x.labels,           x.values, x.n,
                         shape.parts.length, int(x.m), int(std::bit_width(std::uint64_t(x.m))),
                         shape.find,         sets,     stride};

    with_turn_walk(shape, [&](auto walk) {
      using Walk = decltype(walk);
      total<Walk>(queue, x, all, shape);
      launch(queue,
             {.blocks = ceil_div(x.m, warp_size),
              .threads = warp_size * int(std::min<Index>(chains, 32)),
              .shared_bytes = warp_size * std::size_t(std::min<Index>(chains, 32)) * sizeof(T),
              .bytes_read = 2 * set_bytes,
              .bytes_written = set_bytes},
             scan_chains<Op>, sets, int(chains), int(x.m), stride);
      launch(queue,
             {.blocks = chains,
              .threads = int(shape.warps) * warp_size,
              .shared_bytes = turn_bytes<T>(x.m, shape.warps),
              .bytes_read = x.input_bytes() + set_bytes,
              .bytes_written = x.result_bytes()},
             x.inclusive ? scan_by_turns<Op, true, Walk> : scan_by_turns<Op, false, Walk>, all, x.result);
    });
    queue.chain(2 * turn_chain(shape.parts.length) + 2 * ceil_div(chains, 32) + 32);
  }

 private:
  template <class Walk, class Op>
  static void total(Queue& queue, const Multiscan<Op>& x, const Chains<Op>& all, const TurnShape& shape) {
    using T = typename Op::Value;
    Grid grid{.blocks = shape.parts.blocks,
              .threads = int(shape.warps) * warp_size,
              .shared_bytes = turn_bytes<T>(x.m, shape.warps),
              .bytes_read = x.input_bytes(),
              .bytes_written = double(shape.parts.blocks) * double(x.m) * sizeof(T)};
    if constexpr (native_in_shared<Op>) {
      const Index columns = shape_for_columns<T>(grid, x.m, shape.chains);
      launch(queue, grid, total_by_atomics<Op>, all, int(columns));
    } else {
      launch(queue, grid, total_by_turns<Op, Walk>, all);
    }
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, by_turns)
}  // namespace redbench
