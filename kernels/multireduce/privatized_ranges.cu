// Model, of n inputs of 4 bytes: each group of blocks reads all of them, 8 bytes an input, of which all groups but one
// should find most in the L2, where blocks that share a tile come to it together. A row of 32 inputs is 12 instructions
// for each group; an update of an integer of 4 bytes is one atomic in shared memory, of the lanes whose label is in the
// range. Behind the loop a table of each block is written and read.
#include <algorithm>
#include <string>

#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/block_tables.hpp"
#include "kernels/parts/labelled_vectors.hpp"
#include "kernels/parts/power_of_two.hpp"
#include "kernels/parts/private_buckets.hpp"

namespace redbench {
namespace {

/// Labels below m in `groups` ranges of `each`; block b has the range b % groups.
struct GroupRanges {
  Index m, each;
  int groups;

  __device__ Index first(int group) const { return group * each; }
  __device__ Index count(int group) const { return min(each, m - first(group)); }
};

/// Combines what is of the range from `first` on. A row of one label alone is one update.
template <class Op, int update>
__device__ __forceinline__ void combine_row_of_range(const Buckets<Op, update>& buckets, u32 first,
                                                     const u32 (&label)[4],
                                                     const typename Op::Value (&value)[4]) {
  const u32 own[4] = {label[0] - first, label[1] - first, label[2] - first, label[3] - first};
  const u32 all = u32(buckets.count), one = shuffle(full_mask, own[0], 0);
  if (__all_sync(full_mask, own[0] == one && own[1] == one && own[2] == one && own[3] == one)) {
    if (one < all) combine_row<Op, update>(buckets, own, value);
    return;
  }
#pragma unroll
  for (int j = 0; j < 4; ++j)
    if (own[j] < all) buckets.combine(own[j], value[j]);
}

template <class Op, int update, int loads>
__global__ void __launch_bounds__(loads > 4 ? 512 : 1024, 1)
    reduce_ranges(const u32* labels, const typename Op::Value* values, Index n, GroupRanges ranges,
                  typename Op::Value* tables, typename Op::Value* result) {
  using T = typename Op::Value;
  const int group = blockIdx.x % ranges.groups, in_group = gridDim.x / ranges.groups;
  const Index place = blockIdx.x / ranges.groups;
  const u32 first = u32(ranges.first(group));
  auto* const memory = dynamic_shared<T>();
  const Buckets<Op, update> buckets(memory, ranges.count(group), 1);
  buckets.clear();
  __syncthreads();

  const int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const Index tiles = n / inputs_per_tile<loads>;
#pragma unroll 1
  for (Index tile = warp * in_group + place; tile < tiles; tile += warps * in_group)
    for_row_of_tile<loads>(labels, values, tile * loads * warp_size + threadIdx.x % warp_size,
                           [&](const u32(&label)[4], const T(&value)[4]) {
                             combine_row_of_range<Op, update>(buckets, first, label, value);
                           });
  for (Index i = tiles * inputs_per_tile<loads> + place * blockDim.x + threadIdx.x; i < n;
       i += in_group * blockDim.x)
    if (labels[i] - first < u32(buckets.count)) buckets.combine(labels[i] - first, values[i]);
  __syncthreads();

  const auto tables_of = [&](int of) {
    const Index stride = ranges.each;
    return BlockTables<T>{tables + Index(of) * in_group * stride, ranges.count(of), stride};
  };
  const BlockTables<T> own = tables_of(group);
  for (Index l = threadIdx.x; l < own.stride; l += blockDim.x)
    own.values[place * own.stride + l] = l < own.m ? buckets.reduced(l) : Op::identity();
  grid_sync();
  for (Index chunk = blockIdx.x; chunk < ranges.groups * own.chunks(); chunk += gridDim.x) {
    const int of = int(chunk / own.chunks());
    T* const to = result + ranges.first(of);
    reduce_chunk<Op>(tables_of(of), in_group, chunk % own.chunks(), memory,
                     [=](Index label, T all) { to[label] = all; });
  }
}

struct privatized_ranges {
  static constexpr Card card{
      .title =
          "a table in each block's shared memory for one range of the labels, and a group of blocks for each range: "
          "all groups read all inputs",
      .source =
          "Eilers 2014, 4.3.6, with the ranges of Shams and Kennedy 2007, side by side for one after the other",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .parameters = {
          {{"groups", 0, 0, 16, Step::one,
            "of blocks, at least; 0: as few as have room for all labels; reasoned"},
           {"loads", 4, 1, 8, Step::power_of_two,
            "loads of 16 bytes of labels in flight, and as many of values; reasoned: as privatized"},
           {"block", 1024, 32, 1024, Step::multiple_of_warp,
            "most threads, 512 with 8 loads; reasoned: few tables to join"}}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return no_atomic_combine<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    with_power_of_two<1, 8>(queue.parameter("loads"), [&](auto loads) {
      if constexpr (Op::commutative) reduce<loads>(queue, x);
    });
  }

 private:
  static constexpr Index most_groups = 16;

  /// Ranges of whole vectors, so that tables of them are read by vectors.
  template <class T>
  static GroupRanges ranges_of(const Queue& queue, Index m) {
    const Index fit = Index(queue.device().shared_bytes_per_block / sizeof(T)) / labels_per_lane;
    const Index room = std::max(fit, Index(1)) * labels_per_lane;
    const Index groups = std::max({Index(1), queue.parameter("groups"), ceil_div(m, room)});
    const Index each =
        std::max(Index(labels_per_lane), Index(round_up(std::size_t(ceil_div(m, groups)), labels_per_lane)));
    return {m, each, int(ceil_div(std::max(m, Index(1)), each))};
  }

  template <int loads, class Op>
  static void reduce(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const auto kernel = reduce_ranges<Op, shared_atomic<Op>, loads>;
    const GroupRanges ranges = ranges_of<T>(queue, x.m);
    if (ranges.groups > most_groups)
      queue.refuse("its buckets need " + std::to_string(ranges.groups) +
                   " groups of blocks, and there may be " + std::to_string(most_groups));
    const int threads = int(std::min<Index>(queue.parameter("block"), loads > 4 ? 512 : 1024));
    const std::size_t bytes =
        std::max<std::size_t>(std::size_t(ranges.each) * sizeof(T), BlockTables<T>::join_bytes(threads));
    const Index resident = persistent_blocks(queue, kernel, threads, bytes);
    if (resident < ranges.groups)
      queue.refuse("its buckets need " + std::to_string(ranges.groups) + " groups of blocks, and " +
                   std::to_string(resident) + " blocks run at a time");
    // No block without a tile, and none with fewer inputs than labels, which it clears and joins.
    const Index in_group = std::clamp<Index>(x.n / std::max<Index>(inputs_per_tile<loads>, ranges.each), 1,
                                             resident / ranges.groups);
    const Index blocks = in_group * ranges.groups;
    T* const tables = queue.scratch<T>(blocks * ranges.each);
    const double table_bytes = double(blocks) * double(ranges.each) * sizeof(T);
    launch(queue,
           {.blocks = blocks,
            .threads = threads,
            .shared_bytes = bytes,
            .cooperative = true,
            .bytes_read = ranges.groups * x.input_bytes() + table_bytes,
            .bytes_written = x.result_bytes() + table_bytes},
           kernel, x.labels, x.values, x.n, ranges, tables, x.result);
    queue.chain(inputs_of_block<loads>(x.n, in_group, threads) + 7 + in_group + 32);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, privatized_ranges)
}  // namespace redbench
