// Rows of values in a warp's registers: how a warp loads, reduces and cuts them, for all that split the input
// evenly.
#pragma once

#include <algorithm>

#include "kernels/parts/chains.hpp"
#include "kernels/parts/load_vector.hpp"
#include "kernels/parts/power_of_two.hpp"
#include "kernels/segreduce/ranges.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// A group of `rows` rows of 32 x `items` neighbours, loaded at once: a lane has `items` neighbours of each row.
template <class T, int items, int rows>
struct Rows {
  static constexpr int size = rows * warp_size * items;
  Vector<T, items> row[rows];

  /// Place of a lane's item in its group.
  __device__ static int place(int row, int item) {
    return (row * warp_size + int(threadIdx.x % warp_size)) * items + item;
  }

  /// The group that begins at `first`, a multiple of `items`. get(i) is element number i where the group
  /// reaches past n.
  template <class Get>
  __device__ void load(const T* in, Index first, Index n, Get get) {
    if (first + size <= n) {
#pragma unroll
      for (int r = 0; r < rows; ++r) row[r] = load_vector<items>(in + first + place(0, 0), r * warp_size);
    } else {
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int item = 0; item < items; ++item) row[r].element[item] = get(first + place(r, item));
    }
  }
};

template <class Op, int items, int rows>
struct Values : Rows<typename Op::Value, items, rows> {
  using T = typename Op::Value;
  using Rows<T, items, rows>::row;

  /// Past the end the identity.
  __device__ void load(const T* in, Index first, Index n) {
    Rows<T, items, rows>::load(in, first, n, [&](Index i) { return i < n ? in[i] : Op::identity(); });
  }

  /// The identity takes the place of values outside of [from, to), places of the group.
  __device__ void cut(Index from, Index to) {
#pragma unroll
    for (int r = 0; r < rows; ++r)
#pragma unroll
      for (int item = 0; item < items; ++item)
        if (this->place(r, item) < from || this->place(r, item) >= to) row[r].element[item] = Op::identity();
  }

  /// The reduction of a lane's values, of which other lanes have some between: for operators that commute.
  __device__ T of_lane() const {
    static_assert(Op::commutative);
    T all = of_row(0);
#pragma unroll
    for (int r = 1; r < rows; ++r) all = Op()(all, of_row(r));
    return all;
  }

  /// All lanes return the reduction of the lanes' values, in order.
  __device__ static T of_lanes(T lane_value) {
#pragma unroll
    for (int offset = 1; offset < warp_size; offset *= 2)
      lane_value = Op()(lane_value, shuffle_down(full_mask, lane_value, offset));
    return shuffle(full_mask, lane_value, 0);
  }

  /// The reduction of all values; in input order where the operator needs that.
  __device__ T reduce() const {
    if constexpr (Op::commutative) {
      return of_lanes(of_lane());
    } else {
      T all = of_lanes(of_row(0));
#pragma unroll
      for (int r = 1; r < rows; ++r) all = Op()(all, of_lanes(of_row(r)));
      return all;
    }
  }

  /// Reduces row r. `open` is the reduction of the segment that is open before it, afterwards behind it. Bit
  /// k of `starts`: a segment starts at item k, so one ends before it. That goes to emit_first(k, value) where
  /// it is the lane's first, which may have begun before the lane, else to emit(k, value).
  template <class EmitFirst, class Emit>
  __device__ __forceinline__ void reduce_row(int r, T& open, u32 starts, EmitFirst emit_first,
                                             Emit emit) const {
    const Op op;
    const int first = starts ? __ffs(int(starts)) - 1 : items;
    const u32 further = starts & (starts - 1);
    T head = Op::identity(), tail = Op::identity();
    const auto reduce_items = [&](auto several) {
#pragma unroll
      for (int item = 0; item < items; ++item) {
        const T value = row[r].element[item];
        if (several && further >> item & 1) {
          emit(item, tail);
          tail = value;
        } else if (item < first) {
          head = op(head, value);
        } else {
          tail = op(tail, value);
        }
      }
    };
    // Where segments are longer than `items`, no lane has two starts, and three instructions a value do.
    if (__any_sync(full_mask, further != 0)) reduce_items(std::true_type());
    else reduce_items(std::false_type());
    if (!starts) tail = head;
    const T whole = op(open_before<Op>(tail, starts != 0, open), head);
    if (starts) emit_first(first, whole);
  }

 private:
  __device__ T of_row(int r) const {
    T all = row[r].element[0];
#pragma unroll
    for (int item = 1; item < items; ++item) all = Op()(all, row[r].element[item]);
    return all;
  }
};

/// Values of a lane in a row: larger types have fewer, so that a row has as many bytes.
template <class T>
constexpr int items_of(int items) {
  return std::max(1, items * 4 / std::max(4, int(sizeof(T))));
}

/// Calls run(items, rows), integral constants, for the case's parameters: `items` neighbours of a lane in a
/// row, `loaded` values of a lane at once.
template <class Run>
void with_rows(const Queue& queue, Run run) {
  const Index items = queue.parameter("items"), loaded = queue.parameter("loaded");
  if (items > loaded) queue.refuse("`items` is at most `loaded`: a lane's neighbours are loaded at once");
  with_power_of_two<4, 16>(items, [&](auto neighbours) {
    with_power_of_two<std::max<int>(8, neighbours), 16>(
        loaded, [&](auto values) { run(neighbours, std::integral_constant<int, values / neighbours>()); });
  });
}

/// How the warps of a grid share `groups` groups of the input, neighbours one after the other: `quotient` each
/// and one more for the first `remainder` warps.
struct WarpShares {
  Index quotient, remainder;

  __device__ Index count(Index warp) const { return quotient + (warp < remainder); }
  __device__ Index first(Index warp) const { return warp * quotient + (warp < remainder ? warp : remainder); }
};

/// Blocks of `warps` warps, each with at most `steps` groups, the same but for one.
struct Split {
  Index warps, blocks, steps;
  WarpShares shares;
};

/// The grid for `groups` groups, > 0, given as many blocks of `most_warps` warps as are `resident` at once.
/// One block takes what it can in two groups a warp, of some 1.2 us each on an H200 (kernels/segreduce/README.md):
/// the launch that joins blocks is taken to cost as much as one, which is to be measured. A longer input gives each
/// multiprocessor as many warps, up to all it holds, then each warp more groups, then the grid whole rounds of
/// resident blocks.
inline Split split_evenly(const Queue& queue, Index resident, Index groups, Index most_warps,
                          Index most_steps) {
  const Index sms = std::max(1, queue.device().multiprocessors);
  Split split{.warps = most_warps, .blocks = 1, .steps = 1, .shares = {}};
  if (groups <= most_warps * std::min<Index>(2, most_steps)) {
    split.warps = std::min(groups, most_warps);
  } else {
    const Index per_sm =
        std::clamp<Index>(ceil_div(groups, sms * most_warps), 1, std::max<Index>(1, resident / sms));
    split.warps = std::min(most_warps, ceil_div(groups, sms * per_sm));
    const Index round = sms * per_sm, rounds = ceil_div(groups, round * split.warps * most_steps);
    split.blocks = std::min(ceil_div(groups, split.warps), rounds * round);
  }
  const Index sharing = split.blocks * split.warps;
  split.shares = {groups / sharing, groups % sharing};
  split.steps = ceil_div(groups, sharing);
  return split;
}

/// The longest chain within a warp of `steps` groups: a lane's values, the lanes, then groups or their rows.
constexpr Index rows_chain(int items, int rows, Index steps) {
  return items * rows + warp_scan_chain + 1 + rows * steps;
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
