// Turns: the warps of a block go through its part of the input in tiles, and touch a table of one value for
// each label in shared memory one after the other, in input order, by plain loads and stores. So updates are
// in order, need no atomics, and may be of any associative operator. What can be done without the table is done
// before a warp has its turn: a row of 32 inputs is reduced to one update for each of its labels.
//
// A warp waits for its turn at a named barrier of its own, where its predecessor arrives: 15 warps at most.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/parts/block_scan.hpp"
#include "kernels/parts/contiguous_parts.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Rows of a warp's tile, a power of two; 1, 2 or 4 of them are taken at once where they have no label twice.
inline constexpr int turn_rows = 8, turn_inputs = turn_rows * warp_size;
inline constexpr int most_turn_warps = 15, most_turn_threads = most_turn_warps * warp_size;
/// Of a multiprocessor, by 64 registers each.
inline constexpr int most_turn_threads_resident = 1024;
/// Where a warp looks for labels that occur twice: a power of two of places for an input's number in its rows.
using TestNumber = unsigned short;
inline constexpr int test_places = 1024;

/// How the lanes of a row with the same label are found: __match_any_sync, a ballot for each bit of a label, or
/// first a test whether there are any.
enum class FindEqual : std::uint8_t { match, ballots, test };

/// A block's part of the input, and shared memory: a value for each label and one for `m`, which stands for
/// inputs past the end, then the warps' places.
template <class Op>
struct TurnTable {
  using T = typename Op::Value;
  T* values;
  TestNumber* tests;
  int m, bits;  // of m
  FindEqual find;

  __device__ TurnTable(int m, int bits, FindEqual find)
      : values(dynamic_shared<T>()),
        tests(reinterpret_cast<TestNumber*>(values + m + 1) + threadIdx.x / warp_size * test_places),
        m(m),
        bits(bits),
        find(find) {}
};
template <class T>
constexpr std::size_t turn_bytes(Index m, Index warps) {
  return std::size_t(m + 1) * sizeof(T) + std::size_t(warps) * test_places * sizeof(TestNumber);
}

/// The order of a block's warps over tiles 0, 1, ... `tiles` - 1.
struct Turns {
  int warp, warps, tiles;

  __device__ explicit Turns(int tiles)
      : warp(int(threadIdx.x) / warp_size), warps(int(blockDim.x) / warp_size), tiles(tiles) {}
  __device__ __forceinline__ void wait(int tile) const {
    if (tile > 0 && warps > 1) named_barrier_sync(1 + warp, 2 * warp_size);
  }
  __device__ __forceinline__ void pass_on(int tile) const {
    const int next = warp + 1 < warps ? warp + 1 : 0;
    if (tile + 1 < tiles && warps > 1) named_barrier_arrive(1 + next, 2 * warp_size);
  }
};

/// A tile in registers. Once prepared, bit r of `free` says that row r, with those taken at once with it, has no
/// label twice. Otherwise `total` of row r is the reduction of the lane's input and those of its label that are
/// before it in the row, `before` without the input itself; bit r of `last` says that none of its label follows in
/// the row.
template <class T>
struct TurnTile {
  u32 label[turn_rows];
  T total[turn_rows], before[turn_rows];
  u32 last, free;
};

/// Inputs first, first + 1, ... of `count`; past the end, identities of label m.
template <class Op>
__device__ __forceinline__ void fetch(TurnTile<typename Op::Value>& tile, const u32* labels,
                                      const typename Op::Value* values, int first, int count, int m) {
  const int lane = threadIdx.x % warp_size;
  if (first + turn_inputs <= count) {
#pragma unroll
    for (int r = 0; r < turn_rows; ++r) tile.label[r] = labels[first + r * warp_size + lane];
#pragma unroll
    for (int r = 0; r < turn_rows; ++r) tile.total[r] = values[first + r * warp_size + lane];
  } else {
#pragma unroll
    for (int r = 0; r < turn_rows; ++r) {
      const int i = first + r * warp_size + lane;
      tile.label[r] = i < count ? labels[i] : u32(m);
      tile.total[r] = i < count ? values[i] : Op::identity();
    }
  }
}

__device__ __forceinline__ u32 equal_lanes_by_ballots(u32 label, int bits) {
  u32 equal = full_mask;
#pragma unroll 4
  for (int b = 0; b < bits; ++b) {
    const bool one = label >> b & 1;
    const u32 ones = __ballot_sync(full_mask, one);
    equal &= one ? ones : ~ones;
  }
  return equal;
}

/// `total` is an input; it becomes the reduction of those of the lanes `equal`, this one and earlier, and
/// `before` that without this one. Pointer jumping: each lane knows up to which lane it has come.
template <class Op>
__device__ __forceinline__ void scan_equal(u32 equal, typename Op::Value& total, typename Op::Value& before) {
  const int lane = threadIdx.x % warp_size;
  const int previous = 31 - __clz(int(equal & ((1u << lane) - 1)));
  int from = previous;
  while (__any_sync(full_mask, from >= 0)) {
    const auto earlier = shuffle(full_mask, total, from & 31);
    const int next = shuffle(full_mask, from, from & 31);
    if (from >= 0) {
      total = Op()(earlier, total);
      from = next;
    }
  }
  const auto of_previous = shuffle(full_mask, total, previous & 31);
  before = previous >= 0 ? of_previous : Op::identity();
}

/// Which lanes of each row have this lane's label there, and whether a label occurs twice in the rows. Each input
/// writes its number to a place of its label's; where it reads another's, the label is held against all inputs.
template <class Op, int at_once>
__device__ __forceinline__ bool find_equal(const u32 (&label)[at_once], const TurnTable<Op>& table,
                                           u32 (&equal)[at_once]) {
  const int lane = threadIdx.x % warp_size;
  u32 doubtful[at_once];
#pragma unroll
  for (int k = 0; k < at_once; ++k)
    relaxed_store(&table.tests[label[k] % test_places], TestNumber(k * warp_size + lane));
  __syncwarp();
#pragma unroll
  for (int k = 0; k < at_once; ++k) {
    doubtful[k] = __ballot_sync(full_mask, table.tests[label[k] % test_places] != k * warp_size + lane);
    equal[k] = 1u << lane;
  }
  __syncwarp();
  bool any = false;
#pragma unroll
  for (int k = 0; k < at_once; ++k)
    while (doubtful[k] != 0) {
      const u32 one = shuffle(full_mask, label[k], __ffs(int(doubtful[k])) - 1);
      int count = 0;
#pragma unroll
      for (int j = 0; j < at_once; ++j) {
        const bool has_it = label[j] == one;
        const u32 lanes = __ballot_sync(full_mask, has_it);
        if (has_it) equal[j] = lanes;
        doubtful[j] &= ~lanes;
        count += __popc(lanes);
      }
      any = any || count > 1;
    }
  return any;
}

/// `total` and `before` of an input, from the lanes that have its label; returns whether it is the last.
template <class Op>
__device__ __forceinline__ bool scan_row(u32 equal, typename Op::Value& total, typename Op::Value& before) {
  const u32 lane = threadIdx.x % warp_size;
  if (equal == full_mask) {
    total = warp_inclusive_scan<Op>(total);
    before = shuffle_up(full_mask, total, 1);
    if (lane == 0) before = Op::identity();
  } else {
    scan_equal<Op>(equal, total, before);
  }
  return equal >> lane == 1;
}

/// Rows first, ..., first + at_once - 1 from what was fetched to what is said of TurnTile.
template <class Op, int at_once, int first>
__device__ __forceinline__ void prepare_rows(TurnTile<typename Op::Value>& tile, const TurnTable<Op>& table) {
  u32 equal[at_once];
  if (table.find == FindEqual::test) {
    u32 label[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) label[k] = tile.label[first + k];
    if (!find_equal<Op>(label, table, equal)) {
      constexpr u32 rows = (1u << at_once) - 1;
      tile.free |= rows << first;
      return;
    }
  } else {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const u32 label = tile.label[first + k];
      if (__all_sync(full_mask, label == shuffle(full_mask, label, 0))) equal[k] = full_mask;
      else if (table.find == FindEqual::ballots) equal[k] = equal_lanes_by_ballots(label, table.bits);
      else equal[k] = __match_any_sync(full_mask, label);
    }
  }
#pragma unroll
  for (int k = 0; k < at_once; ++k)
    tile.last |= u32(scan_row<Op>(equal[k], tile.total[first + k], tile.before[first + k])) << (first + k);
}
template <class Op, int at_once, int first = 0>
__device__ __forceinline__ void prepare(TurnTile<typename Op::Value>& tile, const TurnTable<Op>& table) {
  if constexpr (first == 0) tile.last = tile.free = 0;
  prepare_rows<Op, at_once, first>(tile, table);
  if constexpr (first + at_once < turn_rows) prepare<Op, at_once, first + at_once>(tile, table);
}

/// How the warps of a block go through its inputs: rows taken at once, whether a warp has its next tile under way
/// while it waits for its turn, which takes registers that one block on a multiprocessor has, and the order of tiles.
template <int rows_at_once, bool tile_ahead>
struct TurnWalk {
  static constexpr int at_once = rows_at_once, blocks = tile_ahead ? 1 : 2;

  /// update(tile) in turns, and store(tile, first) for the tile's first input behind its turn.
  template <bool backwards, class Op, class Update, class Store>
  static __device__ __forceinline__ void run(const u32* labels, const typename Op::Value* values, int count,
                                             const TurnTable<Op>& table, const Update& update,
                                             const Store& store) {
    const Turns turns((count + turn_inputs - 1) / turn_inputs);
    const auto first_of = [&](int t) { return (backwards ? turns.tiles - 1 - t : t) * turn_inputs; };
    TurnTile<typename Op::Value> next;
    if (tile_ahead && turns.warp < turns.tiles)
      fetch<Op>(next, labels, values, first_of(turns.warp), count, table.m);
#pragma unroll 1
    for (int t = turns.warp; t < turns.tiles; t += turns.warps) {
      if (!tile_ahead) fetch<Op>(next, labels, values, first_of(t), count, table.m);
      TurnTile<typename Op::Value> tile = next;
      prepare<Op, at_once>(tile, table);
      if (tile_ahead && t + turns.warps < turns.tiles)
        fetch<Op>(next, labels, values, first_of(t + turns.warps), count, table.m);
      turns.wait(t);
      update(tile);
      turns.pass_on(t);
      store(tile, first_of(t));
    }
  }
};

/// Takes a tile into the table, from its last row to its first.
template <class Op, int at_once>
__device__ __forceinline__ void reduce_tile(const TurnTile<typename Op::Value>& tile,
                                            typename Op::Value* values) {
  const Op op;
#pragma unroll
  for (int first = turn_rows - at_once; first >= 0; first -= at_once) {
    if (tile.free >> first & 1) {
      typename Op::Value later[at_once];
#pragma unroll
      for (int k = 0; k < at_once; ++k) later[k] = values[tile.label[first + k]];
#pragma unroll
      for (int k = 0; k < at_once; ++k) values[tile.label[first + k]] = op(tile.total[first + k], later[k]);
      __syncwarp();
    } else {
#pragma unroll
      for (int k = at_once - 1; k >= 0; --k) {
        auto& later = values[tile.label[first + k]];
        if (tile.last >> (first + k) & 1) later = op(tile.total[first + k], later);
        __syncwarp();
      }
    }
  }
}

/// table[label] = the reduction of a block's inputs of the label. From the last tile to the first, so that what
/// the L2 still has of the part afterwards is its beginning.
template <class Walk, class Op>
__device__ __forceinline__ void reduce_in_turns(const u32* labels, const typename Op::Value* values,
                                                int count, const TurnTable<Op>& table) {
  using Tile = TurnTile<typename Op::Value>;
  for (int l = threadIdx.x; l <= table.m; l += blockDim.x) table.values[l] = Op::identity();
  __syncthreads();
  Walk::template run<true, Op>(
      labels, values, count, table,
      [&](const Tile& tile) { reduce_tile<Op, Walk::at_once>(tile, table.values); }, [](const Tile&, int) {});
}

/// What a variant by turns asks its parameters and the device for.
struct TurnShape {
  Index warps, chains;
  FindEqual find;
  int at_once;
  Parts parts;
};
inline constexpr Parameter turn_chains{
    "chains",
    0,
    0,
    4,
    Step::one,
    "blocks for each multiprocessor; 0: 4, 2 or 1, as many as have the labels in shared memory; tuned on an H200"};
inline constexpr Parameter turn_warps{
    "warps",
    0,
    0,
    most_turn_warps,
    Step::one,
    "of a block; 0: 8 where there are 4 blocks, else 15, one for each named barrier; tuned on an H200"};
inline constexpr Parameter turn_find{
    "find",
    0,
    0,
    3,
    Step::one,
    "lanes of equal labels by 1: match_any, 2: ballots, 3: a test first; 0: 2 up to 32 labels, else 3; tuned on an H200"};
inline constexpr Parameter turn_at_once{
    "at_once",
    0,
    0,
    4,
    Step::one,
    "rows without a label twice, down to a power of two; 0: 2 above 8 Ki labels; tuned on an H200"};

/// `bytes(warps)`: shared memory of a block.
template <class Bytes>
TurnShape turn_shape(const Queue& queue, Index n, Index m, const Bytes& bytes) {
  const DeviceFacts& device = queue.device();
  const auto warps_of = [&](Index chains) {
    const Index asked = queue.parameter("warps");
    return asked > 0 ? asked : chains > 2 ? 8 : Index(most_turn_warps);
  };
  const auto fits = [&](Index chains) {
    const std::size_t each = bytes(warps_of(chains));
    return each <= device.shared_bytes_per_block &&
           std::size_t(chains) * (each + device.shared_bytes_reserved) <= device.shared_bytes;
  };
  Index chains = queue.parameter("chains");
  if (chains == 0) chains = fits(4) ? 4 : fits(2) ? 2 : 1;
  const Index warps = warps_of(chains);
  if (!fits(chains))
    queue.refuse("its labels take " + std::to_string(bytes(warps)) + " bytes of each of " +
                 std::to_string(chains) + " blocks, a multiprocessor has " +
                 std::to_string(device.shared_bytes) + " of shared memory");
  if (chains * warps * warp_size > most_turn_threads_resident)
    queue.refuse(std::to_string(chains) + " blocks of " + std::to_string(warps) + " warps are more than " +
                 std::to_string(most_turn_threads_resident) + " threads, which registers are for");
  // 64 inputs have a label twice in one case of two with 3 Ki uniform labels, and where others are tried first a
  // turn is longer.
  const Index asked = queue.parameter("at_once");
  const Index rows = asked > 0 ? asked : m > 8 << 10 ? 2 : 1;
  const Index find = queue.parameter("find");
  // No block has fewer inputs than labels, whose results it clears and hands on, or a warp without a tile.
  const Index least = std::max<Index>(m, warps * turn_inputs);
  const Index most = std::clamp<Index>(n / least, 1, chains * device.multiprocessors);
  return {warps, chains,
          find > 0  ? FindEqual(find - 1)
          : m <= 32 ? FindEqual::ballots
                    : FindEqual::test,
          rows > 3   ? 4
          : rows > 1 ? 2
                     : 1,
          contiguous_parts(queue, n, most, turn_inputs)};
}

/// launch_all(TurnWalk) for the walk that a shape asks for.
template <class LaunchAll>
void with_turn_walk(const TurnShape& shape, const LaunchAll& launch_all) {
  if (shape.at_once == 1) launch_all(TurnWalk<1, false>{});
  else if (shape.at_once == 2) launch_all(TurnWalk<2, false>{});
  else if (shape.chains > 1) launch_all(TurnWalk<4, false>{});
  else launch_all(TurnWalk<4, true>{});
}

/// Operations between an input and its label's value in the table.
constexpr Index turn_chain(Index length) { return length / warp_size + warp_scan_chain + 2; }

}  // namespace REDBENCH_TARGET
}  // namespace redbench
