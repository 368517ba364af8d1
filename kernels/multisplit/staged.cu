// Model, of n keys and of n pairs: a pass of up to 8 bits counts keys (4 bytes) and moves them (8, pairs 16). That is what a
// pass of the library's sort moves, 193 and 325 us of 2^26 at an H200's ceilings; 9 to 16 bits are two passes.
//
// Stores that go where each key belongs are of 32 places at once. So a block puts a tile in order in shared memory, from where
// neighbours go to neighbouring places: of 256 buckets, 16 each.
#include "kernels/multisplit/places.hpp"

namespace redbench {
namespace {

constexpr int threads = 256, warps = threads / warp_size;
constexpr int most_digit_bits = 8, most_digits = 1 << most_digit_bits;
static_assert(threads == most_digits, "a thread for each digit");
constexpr int rows = 16, warp_keys = rows * warp_size, tile_keys = rows * threads;

/// A tile's digits: how many there are in a warp's keys, then in those of the warps before; where in the tile one begins, and
/// what is to be added to a place in the tile.
struct TileDigits {
  u32 of_warp[warps][most_digits];
  u32 start[most_digits], offset[most_digits];
};

/// Which lanes have this lane's digit: each writes itself into the digit's mask, and the last lane clears it. The masks are 0
/// before and after.
__device__ __forceinline__ u32 equal_lanes_by_masks(u32 digit, bool has_key, u32* masks) {
  const int lane = threadIdx.x % warp_size;
  if (has_key) atomicOr(&masks[digit], 1u << lane);
  __syncwarp();
  const u32 equal = has_key ? masks[digit] : 0;
  __syncwarp();
  if (has_key && equal >> lane == 1) masks[digit] = 0;
  return equal;
}

/// rank[r]: keys of the same digit before this one in its warp's; of_warp: those of each digit. `masks`: the warp's.
template <bool by_masks>
__device__ __forceinline__ void rank_in_warp(const u32 (&key)[rows], int inside, const KeySplit& x, int bits,
                                             u32* masks, u32* of_warp, u32 (&rank)[rows]) {
  const int lane = threadIdx.x % warp_size;
  for (int l = lane; l < x.m; l += warp_size) of_warp[l] = 0;
  __syncwarp();
#pragma unroll
  for (int r = 0; r < rows; ++r) {
    const bool has_key = r * warp_size + lane < inside;
    const u32 digit = x.digit.of(key[r]);
    const u32 equal = by_masks ? equal_lanes_by_masks(digit, has_key, masks)
                               : equal_lanes_by_ballots(digit, bits) & __ballot_sync(full_mask, has_key);
    const bool last = has_key && equal >> lane == 1;
    u32 before = 0;
    if (last) before = atomicAdd(&of_warp[digit], u32(__popc(equal)));
    before = shuffle(full_mask, before, (31 - __clz(int(equal))) & 31);
    rank[r] = before + u32(__popc(equal & ((1u << lane) - 1)));
    __syncwarp();
  }
}

/// From the warps' counts to TileDigits. `next`, of a thread's digit: where its next key goes. All threads call.
__device__ __forceinline__ void scan_digits(TileDigits& tile, int m, u32& next) {
  const int digit = threadIdx.x;
  u32 sum = 0, all;
  if (digit < m)
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const u32 own = tile.of_warp[w][digit];
      tile.of_warp[w][digit] = sum;
      sum += own;
    }
  const u32 start = block_exclusive_scan<Sum<u32>>(sum, all);
  tile.start[digit] = start;
  tile.offset[digit] = next - start;
  next += sum;
}

template <bool pairs, bool by_masks>
__global__ void __launch_bounds__(threads, 3) move_in_tiles(KeySplit x, int bits) {
  __shared__ TileDigits tile;
  u32 *const staged_keys = dynamic_shared<u32>(), *const staged_values = staged_keys + tile_keys;
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size, count = x.count();
  u32* const masks = staged_keys + (pairs ? 2 : 1) * tile_keys + warp * most_digits;
  if (by_masks)
    for (int l = lane; l < x.m; l += warp_size) masks[l] = 0;
  const Index start = x.start();
  u32 next = int(threadIdx.x) < x.m ? x.first_place(int(threadIdx.x)) : 0;
#pragma unroll 1
  for (int first = 0; first < count; first += tile_keys) {
    const int own = first + warp * warp_keys, inside = count - own;
    u32 key[rows], value[rows], rank[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const int i = r * warp_size + lane;
      key[r] = i < inside ? x.keys[start + own + i] : 0;
      if (pairs) value[r] = i < inside ? x.values[start + own + i] : 0;
    }
    rank_in_warp<by_masks>(key, inside, x, bits, masks, tile.of_warp[warp], rank);
    __syncthreads();
    scan_digits(tile, x.m, next);
    __syncthreads();
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const u32 digit = x.digit.of(key[r]), to = tile.start[digit] + tile.of_warp[warp][digit] + rank[r];
      if (r * warp_size + lane >= inside) continue;
      staged_keys[to] = key[r];
      if (pairs) staged_values[to] = value[r];
    }
    __syncthreads();
#pragma unroll 4
    for (int i = threadIdx.x; i < min(tile_keys, count - first); i += threads) {
      const u32 staged = staged_keys[i], to = tile.offset[x.digit.of(staged)] + u32(i);
      x.out.keys[to] = staged;
      if (pairs) x.out.values[to] = staged_values[i];
    }
    __syncthreads();
  }
}

struct staged {
  static constexpr Card card{
      .title =
          "passes of up to 8 bits, tiles in order of their digits in shared memory before they are stored",
      .source =
          "a pass of a radix sort with counts of its own (Merrill and Grimshaw 2011); Ashkiani, Davidson, Meyer, Owens 2017, "
          "block-level multisplit",
      .order = Order::any,
      .maximum_n = most_of_32_bits,
      .parameters = {
          {{"digit_bits", most_digit_bits, 1, most_digit_bits, Step::one,
            "most bits of a pass; reasoned: as many as a block has threads for"},
           {"find", 1, 1, 2, Step::one,
            "lanes of equal digits by 1: ballots, 2: masks in shared memory; reasoned: less shared memory"}}}};

  template <class Op>
  static void run(Queue& queue, const Multisplit<Op>& x) {
    if (x.n == 0) return;
    const int all = 32 - x.shift, passes = int(ceil_div(all, queue.parameter("digit_bits")));
    const KeyArrays result{x.result, x.pairs ? x.result_values() : nullptr};
    KeyArrays other{};
    if (passes > 1) {
      other = {queue.scratch<u32>(x.n), nullptr};
      if (x.pairs) other.values = queue.scratch<u32>(x.n);
    }
    KeySplit split{.keys = x.keys, .values = x.values, .n = x.n};
    for (int pass = 0, from = x.shift; pass < passes; ++pass) {
      const int bits = (32 - from + passes - pass - 1) / (passes - pass);
      // The last pass writes the result, the one before it scratch memory.
      split.out = (passes - pass) % 2 == 1 ? result : other;
      split.digit = {from, (u32(1) << bits) - 1};
      split.m = pass + 1 < passes ? 1 << bits : int(((x.m - 1) >> (from - x.shift)) + 1);
      move(queue, x, split, bits);
      split.keys = split.out.keys;
      split.values = split.out.values;
      from += bits;
    }
  }

 private:
  template <bool by_masks>
  static auto kernel_for(bool pairs) {
    return pairs ? move_in_tiles<true, by_masks> : move_in_tiles<false, by_masks>;
  }

  template <class Op>
  static void move(Queue& queue, const Multisplit<Op>& x, KeySplit& split, int bits) {
    const bool by_masks = queue.parameter("find") == 2;
    const auto kernel = by_masks ? kernel_for<true>(x.pairs) : kernel_for<false>(x.pairs);
    const std::size_t bytes =
        std::size_t((x.pairs ? 2 : 1) * tile_keys + (by_masks ? warps * most_digits : 0)) * sizeof(u32);
    const Parts parts =
        contiguous_parts(queue, x.n, persistent_blocks(queue, kernel, threads, bytes), tile_keys);
    split.length = parts.length;
    split.blocks = parts.blocks;
    find_places(queue, split);
    launch(queue,
           {.blocks = parts.blocks,
            .threads = threads,
            .shared_bytes = bytes,
            .bytes_read = x.input_bytes(),
            .bytes_written = x.input_bytes()},
           kernel, split, bits);
  }
};

}  // namespace
REDBENCH_VARIANT(Multisplit, staged)
}  // namespace redbench
