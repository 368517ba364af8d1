// Pages of scratch memory that hold inputs by bucket: the pages of all buckets, and their list by bucket.
#pragma once

#include "kernels/parts/block_scan.hpp"
#include "kernels/parts/label_ranges.hpp"
#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int page_vector = 4;  // inputs of a load
inline constexpr u32 page_size = 256;

/// Scratch memory: inputs by bucket, in pages of one bucket each.
template <class T>
struct BucketPages {
  std::uint16_t* labels;  // [pages][page_size], the low bits
  T* values;              // [pages][page_size]
  u32* info;              // [pages]: the bucket, and in the lower half how many inputs the page has
  u32* list;              // pages by bucket: the number, and in the lower 8 bits the inputs less one
  u32* taken;             // pages in all; of each bucket; of each bucket those that are in the list
  int buckets;

  __device__ u32* of_bucket() const { return taken + 1; }
  __device__ u32* listed() const { return taken + 1 + buckets; }
};

/// put(i, get(0) + ... + get(i - 1)) for i < count; returns the sum of all. All threads of the block call, and a
/// thread gets and puts the same ones in each call.
template <class Int, class Get, class Put>
__device__ __forceinline__ Int scan_slots(int count, const Get& get, const Put& put) {
  const int each = (count + int(blockDim.x) - 1) / int(blockDim.x);
  const int first = min(int(threadIdx.x) * each, count), end = min(first + each, count);
  Int sum = 0, total = 0;
#pragma unroll 1
  for (int i = first; i < end; ++i) sum += get(i);
  Int before = block_exclusive_scan<Sum<Int>>(sum, total);
#pragma unroll 1
  for (int i = first; i < end; ++i) {
    put(i, before);
    before += get(i);
  }
  return total;
}

/// Of a bucket with more pages several blocks have a part each.
__device__ __forceinline__ u32 pages_of_part(u32 taken, u32 blocks) {
  return max((taken + blocks - 1) / blocks, 1u);
}

inline constexpr Index pages_to_list = 512;  // of a block; reasoned: few blocks meet at a bucket's count
inline std::size_t listing_bytes(int buckets) { return 2 * std::size_t(buckets) * sizeof(u32); }

/// Lists the pages by bucket, and clears the results that nobody stores: of buckets without inputs, and of those
/// that several of the `reducing` blocks will add to. A block takes places for all of its pages of a bucket by one
/// atomic: a page each would have as many turns at a bucket's count as the bucket has pages.
template <class Op>
__global__ void list_pages(LabelRanges ranges, BucketPages<typename Op::Value> pages, u32 reducing,
                           typename Op::Value* result) {
  auto* const starts = dynamic_shared<u32>();
  u32* const places = starts + ranges.count;
  scan_slots<u32>(
      ranges.count, [&](int i) { return pages.of_bucket()[i]; },
      [&](int i, u32 before) {
        starts[i] = before;
        places[i] = 0;
      });
  __syncthreads();
  const u32 taken = *pages.taken, each = (taken + gridDim.x - 1) / gridDim.x;
  const u32 begin = min(blockIdx.x * each, taken), end = min(begin + each, taken);
  for (u32 page = begin + threadIdx.x; page < end; page += blockDim.x)
    atomicAdd(&places[pages.info[page] >> 16], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < ranges.count; i += blockDim.x)
    if (places[i] > 0) places[i] = starts[i] + atomicAdd(&pages.listed()[i], places[i]);
  __syncthreads();
  for (u32 page = begin + threadIdx.x; page < end; page += blockDim.x) {
    const u32 info = pages.info[page];
    pages.list[atomicAdd(&places[info >> 16], 1u)] = page << 8 | ((info & 0xffff) - 1);
  }
  const u32 part = pages_of_part(taken, reducing);
  for (int bucket = blockIdx.x; bucket < ranges.count; bucket += gridDim.x) {
    const u32 own = pages.of_bucket()[bucket];
    if (own != 0 && own <= part) continue;
    for (Index i = ranges.first(bucket) + threadIdx.x; i < ranges.end(bucket); i += blockDim.x)
      result[i] = Op::identity();
  }
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
