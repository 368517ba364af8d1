// What the reductions in one launch share: how blocks go through the input, and a block's tree.
//
// A reduction that is not held up moves its input at the rate of memory, so the loop has one task: enough
// bytes asked for at any time (Little's law: about 2 MB on an H200), and as little as possible before the
// first load and behind the last. Loads have 16 bytes. A grid of resident blocks takes small inputs, with a
// load for each thread before any thread has two; of the largest it takes several waves, as the blocks of
// one wave do not end together.
#pragma once

#include <algorithm>

#include "kernels/parts/chains.hpp"
#include "kernels/parts/load_vector.hpp"
#include "kernels/parts/power_of_two.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// The operator that a kernel accumulates with. Halves are added in single precision, which takes an
/// instruction for each value either way and does not lose the sum of a long input; bytes are taken as words,
/// as a warp has operations on these alone.
template <class Op>
struct AccumulatorOf {
  using type = OnResults<Op>;
};
template <>
struct AccumulatorOf<Sum<f16>> {
  using type = Sum<f32>;
};
template <>
struct AccumulatorOf<Sum<bf16>> {
  using type = Sum<f32>;
};
template <template <class> class Op>
struct AccumulatorOf<Op<u8>> {
  using type = Op<u32>;
};
template <template <class> class Op>
struct AccumulatorOf<Op<i8>> {
  using type = Op<i32>;
};
template <class Op>
using Accumulator = typename AccumulatorOf<Op>::type;

template <class T>
inline constexpr int vector_width = 16 / int(sizeof(T));
/// A load of 16 bytes. Values of a byte are held four in a word, as nvcc would take a register for each.
template <class T>
using WideVector = std::conditional_t<sizeof(T) == 1, Vector<u32, 4>, Vector<T, vector_width<T>>>;

template <class T>
__device__ __forceinline__ const WideVector<T>* vectors_of(const T* in) {
  return reinterpret_cast<const WideVector<T>*>(in);
}

/// A vector that is read once: the caches need not keep it.
template <class V>
__device__ __forceinline__ V load_streaming(const V* vector) {
#if defined(__CUDA_ARCH__)
  return std::bit_cast<V>(__ldcs(reinterpret_cast<const uint4*>(vector)));
#else
  return *vector;
#endif
}

template <class Op>
__device__ __forceinline__ WideVector<typename Op::Value> identity_vector() {
  WideVector<typename Op::Value> vector;
  for (auto& element : vector.element) {
    if constexpr (sizeof(typename Op::Value) == 1) element = u8(Op::identity()) * 0x01010101u;
    else element = Op::identity();
  }
  return vector;
}

/// What a thread begins with: the identity on values of Op, which in a wider type may not be the accumulator's.
template <class Op>
__device__ __forceinline__ typename Accumulator<Op>::Value first_value() {
  return typename Accumulator<Op>::Value(Op::identity());
}

/// An element of a vector as the accumulator's; of a word with four bytes of T their reduction.
template <class Acc, class T, class Element>
__device__ __forceinline__ typename Acc::Value accumulated(Element element) {
  using Value = typename Acc::Value;
  if constexpr (sizeof(Element) == sizeof(T)) return Value(element);
  else if constexpr (Acc::name == Operator::sum) return __dp4a(Value(element), Value(0x01010101), Value(0));
  else {
    const auto byte = [=](int k) { return Value(T(element >> 8 * k)); };
    return Acc()(Acc()(byte(0), byte(1)), Acc()(byte(2), byte(3)));
  }
}

/// The reduction of `count` elements of a vector of T, neighbours first.
template <class Acc, class T, int count, class Element>
__device__ __forceinline__ typename Acc::Value reduce_elements(const Element* element) {
  if constexpr (count == 1) return accumulated<Acc, T>(element[0]);
  else
    return Acc()(reduce_elements<Acc, T, count / 2>(element),
                 reduce_elements<Acc, T, count / 2>(element + count / 2));
}
template <class Acc, class T>
__device__ __forceinline__ typename Acc::Value reduce_vector(const WideVector<T>& vector) {
  return reduce_elements<Acc, T, 16 / int(sizeof(vector.element[0]))>(vector.element);
}

/// Whether a warp reduces with one instruction, since compute capability 8.0.
template <class Op>
inline constexpr bool has_warp_instruction =
    (std::is_same_v<typename Op::Value, i32> || std::is_same_v<typename Op::Value, u32>) &&
    (Op::name == Operator::sum || Op::name == Operator::min || Op::name == Operator::max);

/// Lane 0 returns the reduction of the warp's values in lane order. All 32 lanes call.
template <class Op>
__device__ __forceinline__ typename Op::Value warp_total(typename Op::Value value) {
  if constexpr (has_warp_instruction<Op>) {
    if constexpr (Op::name == Operator::sum) return __reduce_add_sync(full_mask, value);
    else if constexpr (Op::name == Operator::min) return __reduce_min_sync(full_mask, value);
    else return __reduce_max_sync(full_mask, value);
  } else {
#pragma unroll
    for (int offset = 1; offset < warp_size; offset *= 2)
      value = Op()(value, shuffle_down(full_mask, value, offset));
    return value;
  }
}

/// Thread 0 returns the reduction, in order, of the values that lane 0 of each warp brings. All threads of the
/// block call; between two calls they meet at a barrier.
template <class Op>
__device__ __forceinline__ typename Op::Value total_of_warps(typename Op::Value value) {
  __shared__ typename Op::Value of_warp[warp_size];
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_total<Op>(lane < blockDim.x / warp_size ? of_warp[lane] : Op::identity());
  return value;
}

/// Thread 0 returns the reduction of the block's values in thread order. All threads of the block call, whole
/// warps.
template <class Op>
__device__ __forceinline__ typename Op::Value block_total(typename Op::Value value) {
  return total_of_warps<Op>(warp_total<Op>(value));
}

/// A grid that covers the input once: blocks, what the kernel is told of a block's or warp's share, and the
/// chain of a block's reduction.
struct Cover {
  int threads;
  Index blocks, share, chain;
};

/// Blocks of a launch at most, and waves of them of inputs from 512 MiB on: each block costs the one that
/// finishes something.
struct MostBlocks {
  Index blocks, waves;
};

/// The grid for `vectors` whole vectors, by a card's "block", "loads", "per_sm" and "waves": block b takes tile b,
/// then those a grid further, in at most `steps` steps. A thread has at most `loads` vectors of a tile, and as
/// few as give each multiprocessor the same number of tiles.
struct Tiling {
  Index block, blocks, tile, steps;
};
template <class Kernel>
Tiling tiling(const Queue& queue, Kernel* kernel, Index vectors, const MostBlocks& most) {
  constexpr Index line = 8;  // vectors of 128 bytes
  constexpr Index many = Index(1) << 25;
  const Index block = queue.parameter("block"), per_sm = queue.parameter("per_sm");
  const Index resident =
      per_sm ? per_sm * queue.device().multiprocessors : persistent_blocks(queue, kernel, int(block), 0);
  const Index chosen = queue.parameter("waves"), waves = chosen ? chosen : vectors < many ? 1 : most.waves;
  const Index full_tile = block * queue.parameter("loads");
  const Index rounds = std::max<Index>(1, ceil_div(vectors, full_tile * resident));
  const Index even = ceil_div(ceil_div(vectors, resident * rounds), line) * line;
  const Index tile = std::clamp(even, block, full_tile), tiles = ceil_div(vectors, tile);
  const Index blocks = std::max<Index>(1, std::min({tiles, resident * waves, most.blocks}));
  return {block, blocks, tile, ceil_div(tiles, blocks)};
}

/// For `tiled_share`: the share is a tile.
template <class T, class Kernel>
Cover cover_by_tiles(const Queue& queue, Kernel* kernel, Index n, const MostBlocks& most) {
  const Tiling tiles = tiling(queue, kernel, n / vector_width<T>, most);
  const Index chain = tiles.steps * queue.parameter("loads") + tree_chain(vector_width<T>) + 1;
  return {int(tiles.block), tiles.blocks, tiles.tile, chain + block_reduce_chain};
}

/// For `ordered_share`: the share is the rows of a warp, as many as its threads have vectors in a tiling.
template <class T, class Kernel>
Cover cover_in_order(const Queue& queue, Kernel* kernel, Index n, const MostBlocks& most) {
  const Index vectors = n / vector_width<T>;
  const Tiling tiles = tiling(queue, kernel, vectors, most);
  const Index rows = ceil_div(tiles.tile * tiles.steps, tiles.block);
  const Index blocks = std::max<Index>(1, ceil_div(vectors, rows * tiles.block));
  return {int(tiles.block), blocks, rows, rows + tree_chain(vector_width<T>) + 1 + block_reduce_chain};
}

/// The reduction of the thread's share of a tiling, and of one value past the last whole vector.
template <class Op, int loads>
__device__ typename Accumulator<Op>::Value tiled_share(const typename Op::Value* in, Index n, unsigned tile) {
  using Acc = Accumulator<Op>;
  constexpr int width = vector_width<typename Op::Value>;
  const Acc op;
  const Index vectors = n / width;
  auto reduction = first_value<Op>();
  if constexpr (width > 1) {
    const Index tail = vectors * width + threadIdx.x;
    if (blockIdx.x == 0 && tail < n) reduction = typename Acc::Value(in[tail]);
  }
#pragma unroll 1
  for (Index first = Index(blockIdx.x) * tile; first < vectors; first += Index(gridDim.x) * tile) {
    const unsigned count = vectors - first < tile ? unsigned(vectors - first) : tile;
    const auto* const from = vectors_of(in) + first;
    WideVector<typename Op::Value> vector[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const unsigned i = k * blockDim.x + threadIdx.x;
      vector[k] = i < count ? load_streaming(from + i) : identity_vector<Op>();
    }
#pragma unroll
    for (int k = 0; k < loads; ++k)
      reduction = op(reduction, reduce_vector<Acc, typename Op::Value>(vector[k]));
  }
  return reduction;
}

/// Lane 0 returns the reduction of the warp's rows in input order; with those of the last warp come the values
/// past the last whole vector. Each row is reduced across its lanes before it meets the next one.
template <class Op, int loads>
__device__ typename Accumulator<Op>::Value ordered_share(const typename Op::Value* in, Index n, Index rows) {
  using Acc = Accumulator<Op>;
  constexpr int width = vector_width<typename Op::Value>;
  const Acc op;
  const unsigned lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size,
                 warps = blockDim.x / warp_size;
  const Index vectors = n / width, share = rows * warp_size;
  const Index begin = (Index(blockIdx.x) * warps + warp) * share, left = vectors - begin;
  const Index count = left < share ? left : share;

  const bool takes_tail = width > 1 && blockIdx.x == gridDim.x - 1 && warp == warps - 1;
  auto of_tail = Acc::identity();
  if (const Index tail = vectors * width + lane; takes_tail && tail < n)
    of_tail = typename Acc::Value(in[tail]);

  auto reduction = Acc::identity();
#pragma unroll 1
  for (Index first = 0; first < count; first += loads * warp_size) {
    const auto* const from = vectors_of(in) + (begin + first);
    const unsigned in_step = count - first < loads * warp_size ? unsigned(count - first) : loads * warp_size;
    WideVector<typename Op::Value> vector[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const unsigned i = k * warp_size + lane;
      vector[k] = i < in_step ? load_streaming(from + i) : identity_vector<Op>();
    }
#pragma unroll
    for (int k = 0; k < loads; ++k)
      reduction = op(reduction, warp_total<Acc>(reduce_vector<Acc, typename Op::Value>(vector[k])));
  }
  return takes_tail ? op(reduction, warp_total<Acc>(of_tail)) : reduction;
}

/// The bound for a result whose operations, `length` of them, are those of the accumulator.
template <class Op>
Index accumulated_chain(Index length) {
  return wider_chain(
      length, TypeTraits<typename Accumulator<Op>::Value>::digits - TypeTraits<typename Op::Result>::digits);
}

/// Launches kernel(in, n, share, more..., result), one of whose blocks reduces the results of all, each thread
/// some of them one after the other.
template <class Op, class Kernel, class... More>
void launch_over(Queue& queue, const Reduce<Op>& x, const Cover& cover, Kernel* kernel, const More&... more) {
  launch(queue,
         {.blocks = cover.blocks,
          .threads = cover.threads,
          .bytes_read = x.input_bytes(),
          .bytes_written = sizeof(typename Op::Result)},
         kernel, x.values, x.n, cover.share, more..., x.result);
  queue.chain(
      accumulated_chain<Op>(cover.chain + ceil_div(cover.blocks, cover.threads) + block_reduce_chain));
}

inline constexpr Parameter one_launch_block{
    "block", 512, 64, 1024, Step::power_of_two, "four fill a multiprocessor; tuned on an H200"};
inline constexpr Parameter one_launch_loads{
    "loads", 4, 2, 8, Step::power_of_two, "loads of 16 bytes that a thread has in flight; tuned on an H200"};
inline constexpr Parameter ordered_loads{
    "loads", 4, 2, 4, Step::power_of_two, "loads of 16 bytes that a thread has in flight; tuned on an H200"};
inline constexpr Parameter one_launch_per_sm{
    "per_sm", 0, 0, 32, Step::one, "blocks of a wave for each multiprocessor; 0: as many as it holds"};
inline constexpr Parameter one_launch_waves{
    "waves", 0,         0,
    1024,    Step::one, "0: one to 512 MiB of input, of more 16, or 2 of waiting blocks; tuned on an H200"};

/// Calls run(std::integral_constant<int, loads>) for those of a case.
template <const Parameter& loads, class Run>
void with_loads(const Queue& queue, Run run) {
  with_power_of_two<int(loads.minimum), int(loads.maximum)>(queue.parameter("loads"), run);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
