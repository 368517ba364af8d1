// The place of each key by turns (kernels/parts/turns.hpp), for as many buckets as shared memory has counters for. A row's
// equal buckets are found before the turn; in it a lane for each of them takes their places by one atomic, and the
// atomics of all rows of a tile are under way at once. Turns are for the order of the warps alone.
#pragma once

#include "kernels/multisplit/places.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

using PlaceTable = TurnTable<Sum<u32>>;

/// Which lanes have this lane's bucket.
__device__ __forceinline__ u32 equal_lanes(u32 bucket, const PlaceTable& table) {
  if (__all_sync(full_mask, bucket == shuffle(full_mask, bucket, 0))) return full_mask;
  if (table.find == FindEqual::ballots) return equal_lanes_by_ballots(bucket, table.bits);
  const u32 buckets[1] = {bucket};
  u32 equal[1];
  find_equal<Sum<u32>, 1>(buckets, table, equal);
  return equal[0];
}

/// Takes places for a tile's rows. To be called in turn.
__device__ __forceinline__ void take_places(const u32 (&bucket)[turn_rows], const u32 (&equal)[turn_rows],
                                            u32* next, u32 (&place)[turn_rows]) {
  const int lane = threadIdx.x % warp_size;
#pragma unroll
  for (int r = 0; r < turn_rows; ++r) {
    if (equal[r] >> lane == 1) place[r] = atomicAdd(&next[bucket[r]], u32(__popc(equal[r])));
    __syncwarp();
  }
}

/// put(i, key, value, place) for the keys of the block's part; `pairs`: a value is loaded with each.
template <bool pairs, class Put>
__device__ __forceinline__ void for_each_place(const KeySplit& x, FindEqual find, int bits, const Put& put) {
  const PlaceTable table(x.m, bits, find);
  for (int l = threadIdx.x; l <= x.m; l += blockDim.x) table.values[l] = l < x.m ? x.first_place(l) : 0;
  __syncthreads();
  const int lane = threadIdx.x % warp_size, count = x.count();
  const Index start = x.start();
  const Turns turns((count + turn_inputs - 1) / turn_inputs);
#pragma unroll 1
  for (int t = turns.warp; t < turns.tiles; t += turns.warps) {
    const int first = t * turn_inputs + lane;
    u32 key[turn_rows], value[turn_rows], bucket[turn_rows], equal[turn_rows], place[turn_rows];
#pragma unroll
    for (int r = 0; r < turn_rows; ++r) {
      const int i = first + r * warp_size;
      key[r] = i < count ? x.keys[start + i] : 0;
      if (pairs) value[r] = i < count ? x.values[start + i] : 0;
    }
#pragma unroll
    for (int r = 0; r < turn_rows; ++r) {
      bucket[r] = first + r * warp_size < count ? x.digit.of(key[r]) : u32(x.m);
      equal[r] = equal_lanes(bucket[r], table);
      place[r] = 0;
    }
    turns.wait(t);
    take_places(bucket, equal, table.values, place);
    turns.pass_on(t);
#pragma unroll
    for (int r = 0; r < turn_rows; ++r) {
      const u32 of_equal = shuffle(full_mask, place[r], 31 - __clz(int(equal[r])));
      const u32 own = of_equal + u32(__popc(equal[r] & ((1u << lane) - 1)));
      if (first + r * warp_size < count)
        put(start + first + r * warp_size, key[r], pairs ? value[r] : 0, own);
    }
  }
}

/// For Card::parameters.
inline constexpr Parameter place_chains{
    "chains",
    0,
    0,
    4,
    Step::one,
    "blocks for each multiprocessor; 0: 4, 2 or 1, as many as have the buckets, as by_turns of multiscan"};

/// A split by whole buckets, with its places found, and a launch by turns.
struct TurnSplit {
  KeySplit split;
  Grid grid;
  FindEqual find;
  int bits;

  template <class Op>
  TurnSplit(Queue& queue, const Multisplit<Op>& x) {
    const DeviceFacts& device = queue.device();
    const auto warps_of = [](Index chains) { return chains > 2 ? 8 : most_turn_warps; };
    const auto bytes = [&](Index chains) { return turn_bytes<u32>(x.m, warps_of(chains)); };
    const auto fits = [&](Index chains) {
      return bytes(chains) <= device.shared_bytes_per_block &&
             std::size_t(chains) * (bytes(chains) + device.shared_bytes_reserved) <= device.shared_bytes;
    };
    Index chains = queue.parameter("chains");
    if (chains == 0) chains = fits(4) ? 4 : fits(2) ? 2 : 1;
    if (!fits(chains))
      queue.refuse("its buckets take " + std::to_string(bytes(chains)) + " bytes of each of " +
                   std::to_string(chains) + " blocks, a multiprocessor has " +
                   std::to_string(device.shared_bytes) + " of shared memory");
    const int warps = warps_of(chains);
    // No block has fewer keys than buckets, or a warp without a tile.
    const Index least = std::max<Index>(x.m, warps * turn_inputs);
    const Parts parts = contiguous_parts(
        queue, x.n, std::clamp<Index>(x.n / least, 1, chains * device.multiprocessors), turn_inputs);
    split = KeySplit{.keys = x.keys,
                     .values = x.values,
                     .n = x.n,
                     .length = parts.length,
                     .blocks = parts.blocks,
                     .digit = {x.shift, ~u32(0)},
                     .m = int(x.m),
                     .out = {x.result, x.pairs ? x.result_values() : nullptr}};
    find_places(queue, split);
    find = x.m <= 32 ? FindEqual::ballots : FindEqual::test;
    bits = int(std::bit_width(std::uint64_t(x.m)));
    grid = {.blocks = parts.blocks, .threads = warps * warp_size, .shared_bytes = bytes(chains)};
  }
};

}  // namespace REDBENCH_TARGET
}  // namespace redbench
