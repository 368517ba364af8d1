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

/// Lists the pages by bucket, and clears the results that nobody stores: of buckets without inputs, and of those
/// that several of the `reducing` blocks will add to.
template <class Op>
__global__ void list_pages(LabelRanges ranges, BucketPages<typename Op::Value> pages, u32 reducing,
                           typename Op::Value* result) {
  auto* const starts = dynamic_shared<u32>();
  scan_slots<u32>(
      ranges.count, [&](int i) { return pages.of_bucket()[i]; },
      [&](int i, u32 before) { starts[i] = before; });
  __syncthreads();
  const u32 taken = *pages.taken;
  for (u32 page = blockIdx.x * blockDim.x + threadIdx.x; page < taken; page += gridDim.x * blockDim.x) {
    const u32 info = pages.info[page], bucket = info >> 16;
    pages.list[starts[bucket] + atomicAdd(&pages.listed()[bucket], 1u)] = page << 8 | ((info & 0xffff) - 1);
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
