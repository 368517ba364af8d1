#include "kernels/histogram/join_tables.hpp"
#include "kernels/histogram/label_vectors.hpp"
#include "kernels/parts/block_scan.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/label_ranges.hpp"

namespace redbench {
namespace {

constexpr int thread_vectors = 4, thread_labels = thread_vectors * words_per_vector;
constexpr int counting_loads = 4;
constexpr Index most_buckets = 2048;

using TileLabels = u32[thread_vectors][words_per_vector];
__device__ __forceinline__ void fetch_tile(const u32* labels, Index n, Index tile, u32 past,
                                           TileLabels& out) {
#pragma unroll
  for (int k = 0; k < thread_vectors; ++k) {
    const Index i = (tile * thread_vectors + k) * blockDim.x + threadIdx.x, label = i * words_per_vector;
    if (label + words_per_vector <= n) {
      const auto vector = load_vector<words_per_vector>(labels, i);
#pragma unroll
      for (int j = 0; j < words_per_vector; ++j) out[k][j] = vector.element[j];
    } else {
      for (int j = 0; j < words_per_vector; ++j) out[k][j] = label + j < n ? labels[label + j] : past;
    }
  }
  __syncwarp();
}

/// counts[bucket][block] = labels of the block's tiles in that bucket.
__global__ void __launch_bounds__(1024)
    count_by_bucket(const u32* labels, Index n, Index tiles, LabelRanges buckets, u32* counts) {
  auto* const of_bucket = dynamic_shared<u32>();
  clear_table(of_bucket, buckets.count + 1);
  __syncthreads();
  for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    TileLabels label;
    fetch_tile(labels, n, tile, buckets.past(), label);
#pragma unroll
    for (const auto& vector : label)
#pragma unroll
      for (const u32 one : vector) atomicAdd(&of_bucket[buckets.of(one)], 1u);
  }
  __syncthreads();
  for (int bucket = threadIdx.x; bucket < buckets.count; bucket += blockDim.x)
    counts[Index(bucket) * gridDim.x + blockIdx.x] = of_bucket[bucket];
}

/// Replaces counts[bucket][block] by the sum of the blocks before it, a warp for each bucket.
__global__ void scan_blocks(u32* counts, int buckets, int blocks, u32* totals) {
  const int lane = threadIdx.x % warp_size;
  const int bucket = int(blockIdx.x * (blockDim.x / warp_size) + threadIdx.x / warp_size);
  if (bucket >= buckets) return;
  u32* const row = counts + Index(bucket) * blocks;
  u32 before = 0;
  for (int first = 0; first < blocks; first += warp_size) {
    const int block = first + lane;
    const u32 count = block < blocks ? row[block] : 0;
    const u32 inclusive = warp_inclusive_scan<Sum<u32>>(count);
    if (block < blocks) row[block] = before + inclusive - count;
    before += shuffle(full_mask, inclusive, warp_size - 1);
  }
  if (lane == 0) totals[bucket] = before;
}

/// out[i] = in[0] + ... + in[i - 1] in shared memory; barriers before and after are the caller's.
__device__ inline void scan_buckets(const u32* in, u32* out, int count) {
  const int each = (count + int(blockDim.x) - 1) / int(blockDim.x);
  const int first = int(threadIdx.x) * each, end = min(first + each, count);
  u32 sum = 0, total = 0;
  for (int i = first; i < end; ++i) sum += in[i];
  u32 before = block_exclusive_scan<Sum<u32>>(sum, total);
  for (int i = first; i < end; ++i) {
    out[i] = before;
    before += in[i];
  }
}

/// sizes[0..count) = totals, starts[0..count] = where each bucket begins; the last size is 0.
__device__ inline void place_buckets(const u32* totals, int count, u32* sizes, u32* starts) {
  for (int i = threadIdx.x; i <= count; i += blockDim.x) sizes[i] = i < count ? totals[i] : 0;
  __syncthreads();
  scan_buckets(sizes, starts, count + 1);
  __syncthreads();
}

/// The number of labels in `bucket` of the block's before this one, which it is counted into. Lanes whose
/// bucket is that of the first lane are counted together: buckets with most labels would take a turn for each.
__device__ __forceinline__ u32 take_place(u32* counts, u32 bucket, u32 common) {
  const u32 lane = threadIdx.x % warp_size, group = __ballot_sync(full_mask, bucket == common);
  const bool in_group = bucket == common;
  const u32 leader = u32(__ffs(int(group))) - 1;
  u32 place = 0;
  if (!in_group || lane == leader) place = atomicAdd(&counts[bucket], in_group ? u32(__popc(group)) : 1u);
  if (group != 0) {
    const u32 of_leader = shuffle(full_mask, place, int(leader));
    if (in_group) place = of_leader + u32(__popc(group & ((1u << lane) - 1)));
  }
  return place;
}

/// Writes the low bits of the labels by bucket, and clears the results that nobody stores: of buckets without
/// labels, and of those that have more than `part`, which several blocks add to.
__global__ void __launch_bounds__(1024)
    partition(const u32* labels, Index n, Index tiles, LabelRanges buckets, const u32* before,
              const u32* totals, u32 part, std::uint16_t* out, u32* result) {
  const int count = buckets.count, slots = count + 1;
  auto* const counts = dynamic_shared<u32>();
  u32* const starts = counts + slots;
  u32* const next = starts + slots;
  u32* const offsets = next + slots;
  u32* const staged = offsets + slots;

  place_buckets(totals, count, counts, next);
  for (int bucket = blockIdx.x; bucket < count; bucket += gridDim.x)
    if (counts[bucket] == 0 || counts[bucket] > part)
      for (Index i = buckets.first(bucket) + threadIdx.x; i < buckets.end(bucket); i += blockDim.x)
        result[i] = 0;
  __syncthreads();
  for (int bucket = threadIdx.x; bucket <= count; bucket += blockDim.x) {
    if (bucket < count) next[bucket] += before[Index(bucket) * gridDim.x + blockIdx.x];
    counts[bucket] = 0;
  }
  __syncthreads();

  for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    TileLabels label, place;
    fetch_tile(labels, n, tile, buckets.past(), label);
#pragma unroll
    for (int k = 0; k < thread_vectors; ++k) {
      const u32 common = shuffle(full_mask, buckets.of(label[k][0]), 0);
#pragma unroll
      for (int j = 0; j < words_per_vector; ++j)
        place[k][j] = take_place(counts, buckets.of(label[k][j]), common);
    }
    __syncthreads();
    scan_buckets(counts, starts, slots);
    __syncthreads();

#pragma unroll
    for (int k = 0; k < thread_vectors; ++k)
#pragma unroll
      for (int j = 0; j < words_per_vector; ++j)
        staged[starts[buckets.of(label[k][j])] + place[k][j]] = label[k][j];
    for (int bucket = threadIdx.x; bucket <= count; bucket += blockDim.x) {
      offsets[bucket] = next[bucket] - starts[bucket];
      next[bucket] += counts[bucket];
      counts[bucket] = 0;
    }
    __syncthreads();
    const u32 mask = (1u << buckets.shift) - 1, in_tile = starts[count];
    for (u32 i = threadIdx.x; i < in_tile; i += blockDim.x)
      out[offsets[buckets.of(staged[i])] + i] = std::uint16_t(staged[i] & mask);
  }
}

/// table[low bits] += 1 for the low bits begin to end - 1, by the block.
__device__ __forceinline__ void count_low_bits(const std::uint16_t* low, Index begin, Index end, u32* table) {
  constexpr int per_vector = labels_per_vector<std::uint16_t>;
  const auto one = [=](Index first, Index last) {
    if (first + threadIdx.x < last) atomicAdd(&table[low[first + threadIdx.x]], 1u);
  };
  const auto two = [=](u32 word) {
    atomicAdd(&table[word & 0xffff], 1u);
    atomicAdd(&table[word >> 16], 1u);
  };
  const Index first = ceil_div(begin, per_vector), vectors = max(Index(0), end / per_vector - first);
  const Index head = min(first * per_vector, end), tail = max(head, (first + vectors) * per_vector);
  one(begin, head);
  one(tail, end);
  const auto* const in = reinterpret_cast<const WordVector*>(low) + first;
  const Index tiles = vectors / tile_vectors<counting_loads>;
  for_tiles<counting_loads>(in, tiles, threadIdx.x / warp_size, blockDim.x / warp_size, two);
  for_few_vectors(in, tiles * tile_vectors<counting_loads>, vectors, two);
}

/// Counts the buckets that begin in the block's `part` of the low bits. Of a bucket with more than `part` it
/// counts what lies in its own part, and adds to the result, which is cleared.
__global__ void __launch_bounds__(1024) count_buckets(const std::uint16_t* low, Index n, u32 part,
                                                      LabelRanges buckets, const u32* totals, u32* result) {
  const int count = buckets.count;
  auto* const table = dynamic_shared<u32>();
  u32* const sizes = table + round_up(Index(1) << buckets.shift, 4);
  u32* const starts = sizes + count + 1;
  place_buckets(totals, count, sizes, starts);
  const Index begin = Index(blockIdx.x) * part, end = min(begin + part, n);

  int bucket = 0;
  for (int above = count; bucket < above;) {
    const int middle = (bucket + above) / 2;
    if (starts[middle + 1] > begin) above = middle;
    else bucket = middle + 1;
  }
  for (; bucket < count && starts[bucket] < end; ++bucket) {
    const bool whole = sizes[bucket] <= part;
    if (sizes[bucket] == 0 || (whole && starts[bucket] < begin)) continue;
    const Index first = starts[bucket], last = first + sizes[bucket];
    clear_table(table, 1 << buckets.shift);
    __syncthreads();
    count_low_bits(low, whole ? first : max(first, begin), whole ? last : min(last, end), table);
    __syncthreads();
    u32* const to = result + buckets.first(bucket);
    const Index bins = buckets.end(bucket) - buckets.first(bucket);
    for (Index i = threadIdx.x; i < bins; i += blockDim.x) {
      if (whole) to[i] = table[i];
      else if (table[i]) atomicAdd(&to[i], table[i]);
    }
    __syncthreads();
  }
}

struct partitioned {
  static constexpr Card card{
      .title =
          "labels partitioned by their high bits, then a table in shared memory for each range of labels",
      .source =
          "the passes of Shams and Kennedy 2007, each over its own labels alone: a radix partition first",
      .order = Order::commutative,
      .maximum_n = (Index(1) << 32) - 1,
      .parameters = {
          {{"buckets", 128, 1, most_buckets, Step::power_of_two,
            "most ranges, or more where a range's table would not fit; tuned on an H200"},
           {"block", 1024, 32, 1024, Step::multiple_of_warp,
            "threads that partition, 16 labels each; tuned on an H200"},
           {"count_block", 1024, 32, 1024, Step::multiple_of_warp,
            "threads that count a range; one table of 128 kB fills a multiprocessor; tuned on an H200"}}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return sizeof(typename Op::Value) == sizeof(u32) ? "" : "labels of one byte need no partition";
  }
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    if constexpr (sizeof(typename Op::Value) == sizeof(u32)) {
      if (x.n == 0) return fill(queue, x.result, x.m, 0u);
      count(queue, x, buckets_of(queue, x.m));
    }
  }

 private:
  static std::size_t counting_bytes(const LabelRanges& buckets) {
    return table_bytes(Index(1) << buckets.shift) + 2 * (buckets.count + 1) * sizeof(u32);
  }

  static LabelRanges buckets_of(const Queue& queue, Index m) {
    LabelRanges buckets{m, 0, 0};
    const auto divide = [&](int shift) { buckets = {m, shift, int(ceil_div(m, Index(1) << shift))}; };
    constexpr int most_bits = 16;
    while (buckets.shift < most_bits && ceil_div(m, Index(1) << buckets.shift) > queue.parameter("buckets"))
      divide(buckets.shift + 1);
    divide(buckets.shift);
    while (buckets.shift > 0 && counting_bytes(buckets) > queue.device().shared_bytes_per_block)
      divide(buckets.shift - 1);
    if (buckets.count > most_buckets)
      queue.refuse("its ranges are " + std::to_string(Index(1) << buckets.shift) + " labels, of which " +
                   std::to_string(buckets.count) + " are more than " + std::to_string(most_buckets));
    return buckets;
  }

  template <class Op>
  static void count(Queue& queue, const Histogram<Op>& x, const LabelRanges& buckets) {
    const int threads = int(queue.parameter("block")), counting_threads = int(queue.parameter("count_block"));
    const Index tile = Index(threads) * thread_labels, tiles = ceil_div(x.n, tile);
    const std::size_t slot_bytes = table_bytes(buckets.count + 1);
    const std::size_t bytes = 4 * (buckets.count + 1) * sizeof(u32) + tile * sizeof(u32);
    const Index blocks =
        std::max<Index>(1, std::min(tiles, persistent_blocks(queue, partition, threads, bytes)));
    auto* const counts = queue.scratch<u32>(blocks * buckets.count);
    auto* const totals = queue.scratch<u32>(buckets.count);
    auto* const low = queue.scratch<std::uint16_t>(x.n);
    const Index counting = std::max<Index>(
        1, persistent_blocks(queue, count_buckets, counting_threads, counting_bytes(buckets)));
    const u32 part = u32(std::max<Index>(ceil_div(x.n, counting), counting_threads));
    const double count_bytes = double(blocks) * buckets.count * sizeof(u32), low_bytes = 2.0 * double(x.n);

    launch(queue,
           {.blocks = blocks,
            .threads = threads,
            .shared_bytes = slot_bytes,
            .bytes_read = x.input_bytes(),
            .bytes_written = count_bytes},
           count_by_bucket, x.labels, x.n, tiles, buckets, counts);
    constexpr int scan_threads = 256;
    launch(queue,
           {.blocks = ceil_div(Index(buckets.count) * warp_size, scan_threads),
            .threads = scan_threads,
            .bytes_read = count_bytes,
            .bytes_written = count_bytes},
           scan_blocks, counts, buckets.count, int(blocks), totals);
    launch(queue,
           {.blocks = blocks,
            .threads = threads,
            .shared_bytes = bytes,
            .bytes_read = x.input_bytes() + count_bytes,
            .bytes_written = low_bytes},
           partition, x.labels, x.n, tiles, buckets, counts, totals, part, low, x.result);
    launch(queue,
           {.blocks = ceil_div(x.n, part),
            .threads = counting_threads,
            .shared_bytes = counting_bytes(buckets),
            .bytes_read = low_bytes,
            .bytes_written = x.result_bytes()},
           count_buckets, low, x.n, part, buckets, totals, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, partitioned)
}  // namespace redbench
