// Writes inputs by bucket into pages that blocks take as they need them.
#pragma once

#include "kernels/multireduce/pages.hpp"
#include "kernels/parts/load_vector.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Registers: 64 hold eight inputs, sixteen have 128: with 64, so that two blocks ran at once, sixteen inputs of 4 bytes and random
/// labels took 14 % longer on an H200, equal ones 8 % less.
template <int loads>
constexpr int most_partition_threads = loads <= 2 ? 1024 : 512;

/// What a thread has of a tile; past the end of the input labels of no bucket.
template <class Op, int loads>
struct TileInputs {
  using T = typename Op::Value;
  Vector<u32, page_vector> label[loads];
  Vector<T, page_vector> value[loads];

  __device__ __forceinline__ void fetch(const u32* labels, const T* values, Index n, Index tile, u32 past) {
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const Index vector = (tile * loads + k) * blockDim.x + threadIdx.x, i = vector * page_vector;
      if (i + page_vector <= n) {
        label[k] = load_vector<page_vector>(labels, vector);
        value[k] = load_vector<page_vector>(values, vector);
      } else {
        for (int j = 0; j < page_vector; ++j) {
          label[k].element[j] = i + j < n ? labels[i + j] : past;
          value[k].element[j] = i + j < n ? values[i + j] : Op::identity();
        }
      }
    }
  }
};

/// place[j]: how many inputs of its bucket the block had before input j of the lane's, all of which are counted. A
/// row of one bucket alone takes its places at once: its lanes would take turns.
__device__ __forceinline__ void take_places(const u32 (&label)[page_vector], const LabelRanges& ranges,
                                            u32* counts, u32 (&place)[page_vector]) {
  const u32 lane = threadIdx.x % warp_size, first = shuffle(full_mask, ranges.of(label[0]), 0);
  bool same = true;
#pragma unroll
  for (int j = 0; j < page_vector; ++j) same &= ranges.of(label[j]) == first;
  if (__all_sync(full_mask, same)) {
    u32 taken = 0;
    if (lane == 0) taken = atomicAdd(&counts[first], u32(page_vector * warp_size));
    taken = shuffle(full_mask, taken, 0) + page_vector * lane;
#pragma unroll
    for (int j = 0; j < page_vector; ++j) place[j] = taken + j;
  } else {
#pragma unroll
    for (int j = 0; j < page_vector; ++j) place[j] = atomicAdd(&counts[ranges.of(label[j])], 1u);
  }
}

/// A block's shared memory while it partitions: a tile by bucket, and of each bucket, of one more for what is
/// past the end, where the tile's inputs are and where they go.
template <class T>
struct TilePlaces {
  T* values;
  u32 *labels, *counts, *starts;
  u32* next;          // the place in the pages after the last input; whole pages: none is open
  u32* border;        // in the tile: the first input that goes to a new page
  u32 *open, *fresh;  // added to a place in the tile: that in the pages, before the border and from there on

  __device__ TilePlaces(u32 tile, int slots)
      : values(dynamic_shared<T>()),
        labels(reinterpret_cast<u32*>(values + tile)),
        counts(labels + tile),
        starts(counts + slots),
        next(starts + slots),
        border(next + slots),
        open(border + slots),
        fresh(open + slots) {}
  static std::size_t bytes(Index tile, Index slots) {
    return std::size_t(tile) * (sizeof(T) + sizeof(u32)) + std::size_t(slots) * 6 * sizeof(u32);
  }

  __device__ u32 room(int bucket) const { return (0 - next[bucket]) % page_size; }
  __device__ u32 new_pages(int bucket) const {
    const u32 count = counts[bucket], fits = room(bucket);
    return count > fits ? (count - fits + page_size - 1) / page_size : 0;
  }
  __device__ u32 place(u32 bucket, u32 i) const { return (i < border[bucket] ? open : fresh)[bucket] + i; }
};

/// Takes `fresh` new pages, the first of which has number `page`, for what a bucket's open page has no room for.
template <class T>
__device__ __forceinline__ void take_pages(const TilePlaces<T>& tile, int bucket, u32 page, u32 fresh,
                                           const BucketPages<T>& pages) {
  const u32 count = tile.counts[bucket], room = tile.room(bucket), start = tile.starts[bucket];
  tile.border[bucket] = start + room;
  tile.open[bucket] = tile.next[bucket] - start;
  tile.fresh[bucket] = page * page_size - (start + room);
  tile.next[bucket] = fresh == 0 ? tile.next[bucket] + count : page * page_size + (count - room);
#pragma unroll 1
  for (u32 i = 0; i < fresh; ++i) pages.info[page + i] = u32(bucket) << 16 | page_size;
  if (fresh > 0) atomicAdd(&pages.of_bucket()[bucket], fresh);
}

/// Writes the inputs by bucket. A block fills its own pages of each, and goes on in the last one.
template <class Op, int loads>
__global__ void __launch_bounds__(most_partition_threads<loads>, 1)
    partition(const u32* labels, const typename Op::Value* values, Index n, Index tiles, LabelRanges ranges,
              BucketPages<typename Op::Value> pages) {
  using T = typename Op::Value;
  __shared__ u32 first_page;
  const int count = ranges.count;
  const TilePlaces<T> at(u32(blockDim.x) * loads * page_vector, count + 1);
  for (int i = threadIdx.x; i <= count; i += blockDim.x) at.counts[i] = at.next[i] = 0;
  __syncthreads();

  TileInputs<Op, loads> own;
  if (blockIdx.x < tiles) own.fetch(labels, values, n, blockIdx.x, ranges.past());
  for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    u32 place[loads][page_vector];
#pragma unroll
    for (int k = 0; k < loads; ++k) take_places(own.label[k].element, ranges, at.counts, place[k]);
    __syncthreads();

    // Two scans in one: of new pages, and in the lower half of inputs.
    const auto needs = [&](int i) { return (i < count ? at.new_pages(i) << 16 : 0) | at.counts[i]; };
    const u32 all = scan_slots<u32>(count + 1, needs, [&](int i, u32 before) {
      at.starts[i] = before & 0xffff;
      at.fresh[i] = before >> 16;
    });
    u32 taken = 0;
    if (threadIdx.x == 0) taken = atomicAdd(pages.taken, all >> 16);  // answered while inputs are staged
    __syncthreads();
#pragma unroll
    for (int k = 0; k < loads; ++k)
#pragma unroll
      for (int j = 0; j < page_vector; ++j) {
        const u32 to = at.starts[ranges.of(own.label[k].element[j])] + place[k][j];
        at.labels[to] = own.label[k].element[j];
        at.values[to] = own.value[k].element[j];
      }
    if (threadIdx.x == 0) first_page = taken;
    // The next tile is on its way while this one is written: its registers are free.
    if (tile + gridDim.x < tiles) own.fetch(labels, values, n, tile + gridDim.x, ranges.past());
    __syncthreads();

    for (int i = threadIdx.x; i <= count; i += blockDim.x) {
      if (i < count) take_pages(at, i, first_page + at.fresh[i], at.new_pages(i), pages);
      at.counts[i] = 0;
    }
    __syncthreads();
    const u32 mask = (1u << ranges.shift) - 1, in_tile = at.starts[count];
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      u32 low[page_vector], to[page_vector];
      T value[page_vector];
#pragma unroll
      for (int j = 0; j < page_vector; ++j) {
        const u32 i = min((k * page_vector + j) * blockDim.x + threadIdx.x, in_tile - 1),
                  label = at.labels[i];
        low[j] = label & mask;
        to[j] = at.place(ranges.of(label), i);
        value[j] = at.values[i];
      }
      __syncwarp();  // all reads are under way before the first store
#pragma unroll
      for (int j = 0; j < page_vector; ++j)
        if ((k * page_vector + j) * blockDim.x + threadIdx.x < in_tile) {
          pages.labels[to[j]] = std::uint16_t(low[j]);
          pages.values[to[j]] = value[j];
        }
    }
  }
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    if (at.next[i] % page_size != 0)
      pages.info[at.next[i] / page_size] = u32(i) << 16 | at.next[i] % page_size;
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
