// Reduces the pages of a bucket in a table in shared memory.
#pragma once

#include "kernels/multireduce/pages.hpp"
#include "kernels/parts/load_vector.hpp"
#include "kernels/parts/private_buckets.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// A lane's share of a page: neighbours, `count` of them.
template <class T>
struct PageInputs {
  static constexpr int size = page_size / warp_size;
  Vector<u32, size / 2> labels;  // two in a word: nvcc would take a register for each
  Vector<T, page_vector> value[size / page_vector];
  int count;
  bool full;  // the page

  __device__ __forceinline__ void fetch(const BucketPages<T>& pages, u32 entry) {
    const int lane = threadIdx.x % warp_size, used = int(entry % page_size) + 1;
    const Index first = Index(entry / page_size) * warp_size + lane;
    count = min(used - lane * size, size);
    full = used == page_size;
    if (count == size) {
      labels = load_vector<size / 2>(reinterpret_cast<const u32*>(pages.labels), first);
#pragma unroll
      for (int k = 0; k < size / page_vector; ++k)
        value[k] = load_vector<page_vector>(pages.values, first * (size / page_vector) + k);
    } else {
      labels = {};
#pragma unroll
      for (int j = 0; j < size; ++j)
        if (j < count) {
          labels.element[j / 2] |= u32(pages.labels[first * size + j]) << 16 * (j % 2);
          value[j / page_vector].element[j % page_vector] = pages.values[first * size + j];
        }
    }
  }

  template <class Op, int update>
  __device__ __forceinline__ void combine(const Buckets<Op, update>& buckets) const {
#pragma unroll
    for (int k = 0; k < size / page_vector; ++k) {
      u32 row[page_vector];
#pragma unroll
      for (int j = 0; j < page_vector; ++j)
        row[j] = labels.element[(k * page_vector + j) / 2] >> 16 * (j % 2) & 0xffff;
      if (full) {
        combine_row<Op, update>(buckets, row, value[k].element);
      } else {
#pragma unroll
        for (int j = 0; j < page_vector; ++j)
          if (k * page_vector + j < count) buckets.combine(row[j], value[k].element[j]);
      }
    }
  }
};

/// Combines `count` pages of a warp's into the table, entries `first` on of those that its lanes have.
template <int count, class Op, int update>
__device__ __forceinline__ void combine_pages(const Buckets<Op, update>& buckets,
                                              const BucketPages<typename Op::Value>& pages, u32 entries,
                                              int first) {
  PageInputs<typename Op::Value> page[count];
#pragma unroll
  for (int c = 0; c < count; ++c) page[c].fetch(pages, shuffle(full_mask, entries, first + c));
  __syncwarp();
#pragma unroll
  for (int c = 0; c < count; ++c) page[c].combine(buckets);
}

/// A table in shared memory for each bucket, or part of one.
template <class Op, int update>
__global__ void __launch_bounds__(1024, 1)
    reduce_pages(LabelRanges ranges, int columns, BucketPages<typename Op::Value> pages,
                 typename Op::Value* result) {
  using T = typename Op::Value;
  constexpr int at_once = sizeof(T) == 4 ? 2 : 1;  // pages of a warp that are under way
  const int count = ranges.count, lane = threadIdx.x % warp_size;
  const u32 warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  auto* const memory = dynamic_shared<T>();
  const Buckets<Op, update> buckets(memory, Index(1) << ranges.shift, columns);
  u32* const first_page = reinterpret_cast<u32*>(memory + buckets.count);
  u32* const first_part = first_page + count + 1;

  const u32 part_size = pages_of_part(*pages.taken, gridDim.x);
  const auto of_bucket = [&](int i) { return i < count ? pages.of_bucket()[i] : 0; };
  const auto parts_of = [&](int i) { return (of_bucket(i) + part_size - 1) / part_size; };
  scan_slots<u32>(count + 1, of_bucket, [&](int i, u32 before) { first_page[i] = before; });
  scan_slots<u32>(count + 1, parts_of, [&](int i, u32 before) { first_part[i] = before; });
  __syncthreads();

  for (u32 part = blockIdx.x; part < first_part[count]; part += gridDim.x) {
    int bucket = 0;
    for (int above = count; bucket < above;) {
      const int middle = (bucket + above) / 2;
      if (first_part[middle + 1] > part) above = middle;
      else bucket = middle + 1;
    }
    const bool whole = first_part[bucket + 1] - first_part[bucket] == 1;
    const u32 begin = first_page[bucket] + (part - first_part[bucket]) * part_size;
    const u32 end = min(begin + part_size, first_page[bucket + 1]);
    buckets.clear();
    __syncthreads();
    for (u32 first = begin + warp; first < end; first += warps * warp_size) {
      const u32 own = first + lane * warps;
      const u32 entries = own < end ? pages.list[own] : 0;
      const int several = int(min((end - first + warps - 1) / warps, u32(warp_size)));
      int k = 0;
#pragma unroll 1
      for (; k + at_once <= several; k += at_once) combine_pages<at_once>(buckets, pages, entries, k);
#pragma unroll 1
      for (; k < several; ++k) combine_pages<1>(buckets, pages, entries, k);
    }
    __syncthreads();
    T* const to = result + ranges.first(bucket);
    const Index labels = ranges.end(bucket) - ranges.first(bucket);
    for (Index i = threadIdx.x; i < labels; i += blockDim.x) {
      const T reduced = buckets.reduced(i);
      if (whole) to[i] = reduced;
      else if (reduced != Op::identity()) atomic_combine<Op>(&to[i], reduced);
    }
    __syncthreads();
  }
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
