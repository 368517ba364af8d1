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

  /// The reduction of all values; in input order where the operator needs that.
  __device__ T reduce() const {
    const Op op;
    T of_row[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      of_row[r] = row[r].element[0];
#pragma unroll
      for (int item = 1; item < items; ++item) of_row[r] = op(of_row[r], row[r].element[item]);
    }
    if constexpr (Op::commutative) {
#pragma unroll
      for (int r = 1; r < rows; ++r) of_row[0] = op(of_row[0], of_row[r]);
      return of_lanes(of_row[0]);
    } else {
      T all = of_lanes(of_row[0]);
#pragma unroll
      for (int r = 1; r < rows; ++r) all = op(all, of_lanes(of_row[r]));
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
  /// All lanes return the reduction of the lanes' values, in order.
  __device__ static T of_lanes(T lane_value) {
#pragma unroll
    for (int offset = 1; offset < warp_size; offset *= 2)
      lane_value = Op()(lane_value, shuffle_down(full_mask, lane_value, offset));
    return shuffle(full_mask, lane_value, 0);
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

/// The longest chain within a warp of `steps` groups: a lane's values, the lanes, then groups or their rows.
constexpr Index rows_chain(int items, int rows, Index steps) {
  return items * rows + warp_scan_chain + 1 + rows * steps;
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
