// Model, of n inputs of 4 bytes: labels and values are read (8 bytes), written by bucket as 2 and 4 bytes and
// read again (6 + 6), each once. Places come from pages that blocks take as they need them, so that no pass counts
// before. What a tile waits for, one after the other: its loads, seven barriers, one atomic that takes pages, and
// stores.
#include <algorithm>
#include <string>

#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/block_scan.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/label_ranges.hpp"
#include "kernels/parts/load_vector.hpp"
#include "kernels/parts/power_of_two.hpp"
#include "kernels/parts/private_buckets.hpp"

namespace redbench {
namespace {

constexpr int width = 4;  // inputs of a load
constexpr u32 page_size = 256;
constexpr Index most_ranges = 2048;
/// Registers: 64 hold eight inputs, sixteen have 128.
template <int loads>
constexpr int most_threads = loads <= 2 ? 1024 : 512;

/// Scratch memory: inputs by bucket, in pages of one bucket each.
template <class T>
struct Pages {
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

/// What a thread has of a tile; past the end of the input labels of no bucket.
template <class Op, int loads>
struct TileInputs {
  using T = typename Op::Value;
  Vector<u32, width> label[loads];
  Vector<T, width> value[loads];

  __device__ __forceinline__ void fetch(const u32* labels, const T* values, Index n, Index tile, u32 past) {
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const Index vector = (tile * loads + k) * blockDim.x + threadIdx.x, i = vector * width;
      if (i + width <= n) {
        label[k] = load_vector<width>(labels, vector);
        value[k] = load_vector<width>(values, vector);
      } else {
        for (int j = 0; j < width; ++j) {
          label[k].element[j] = i + j < n ? labels[i + j] : past;
          value[k].element[j] = i + j < n ? values[i + j] : Op::identity();
        }
      }
    }
  }
};

/// place[j]: how many inputs of its bucket the block had before input j of the lane's, all of which are counted. A
/// row of one bucket alone takes its places at once: its lanes would take turns.
__device__ __forceinline__ void take_places(const u32 (&label)[width], const LabelRanges& ranges, u32* counts,
                                            u32 (&place)[width]) {
  const u32 lane = threadIdx.x % warp_size, first = shuffle(full_mask, ranges.of(label[0]), 0);
  bool same = true;
#pragma unroll
  for (int j = 0; j < width; ++j) same &= ranges.of(label[j]) == first;
  if (__all_sync(full_mask, same)) {
    u32 taken = 0;
    if (lane == 0) taken = atomicAdd(&counts[first], u32(width * warp_size));
    taken = shuffle(full_mask, taken, 0) + width * lane;
#pragma unroll
    for (int j = 0; j < width; ++j) place[j] = taken + j;
  } else {
#pragma unroll
    for (int j = 0; j < width; ++j) place[j] = atomicAdd(&counts[ranges.of(label[j])], 1u);
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
                                           const Pages<T>& pages) {
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
__global__ void __launch_bounds__(most_threads<loads>, 1)
    partition(const u32* labels, const typename Op::Value* values, Index n, Index tiles, LabelRanges ranges,
              Pages<typename Op::Value> pages) {
  using T = typename Op::Value;
  __shared__ u32 first_page;
  const int count = ranges.count;
  const TilePlaces<T> at(u32(blockDim.x) * loads * width, count + 1);
  for (int i = threadIdx.x; i <= count; i += blockDim.x) at.counts[i] = at.next[i] = 0;
  __syncthreads();

  TileInputs<Op, loads> own;
  if (blockIdx.x < tiles) own.fetch(labels, values, n, blockIdx.x, ranges.past());
  for (Index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    u32 place[loads][width];
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
      for (int j = 0; j < width; ++j) {
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
      u32 low[width], to[width];
      T value[width];
#pragma unroll
      for (int j = 0; j < width; ++j) {
        const u32 i = min((k * width + j) * blockDim.x + threadIdx.x, in_tile - 1), label = at.labels[i];
        low[j] = label & mask;
        to[j] = at.place(ranges.of(label), i);
        value[j] = at.values[i];
      }
      __syncwarp();  // all reads are under way before the first store
#pragma unroll
      for (int j = 0; j < width; ++j)
        if ((k * width + j) * blockDim.x + threadIdx.x < in_tile) {
          pages.labels[to[j]] = std::uint16_t(low[j]);
          pages.values[to[j]] = value[j];
        }
    }
  }
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    if (at.next[i] % page_size != 0)
      pages.info[at.next[i] / page_size] = u32(i) << 16 | at.next[i] % page_size;
}

/// Of a bucket with more pages several blocks have a part each.
__device__ __forceinline__ u32 pages_of_part(u32 taken, u32 blocks) {
  return max((taken + blocks - 1) / blocks, 1u);
}

/// Lists the pages by bucket, and clears the results that nobody stores: of buckets without inputs, and of those
/// that several of the `reducing` blocks will add to.
template <class Op>
__global__ void list_pages(LabelRanges ranges, Pages<typename Op::Value> pages, u32 reducing,
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

/// A lane's share of a page: neighbours, `count` of them.
template <class T>
struct PageInputs {
  static constexpr int size = page_size / warp_size;
  Vector<u32, size / 2> labels;  // two in a word: nvcc would take a register for each
  Vector<T, width> value[size / width];
  int count;
  bool full;  // the page

  __device__ __forceinline__ void fetch(const Pages<T>& pages, u32 entry) {
    const int lane = threadIdx.x % warp_size, used = int(entry % page_size) + 1;
    const Index first = Index(entry / page_size) * warp_size + lane;
    count = min(used - lane * size, size);
    full = used == page_size;
    if (count == size) {
      labels = load_vector<size / 2>(reinterpret_cast<const u32*>(pages.labels), first);
#pragma unroll
      for (int k = 0; k < size / width; ++k)
        value[k] = load_vector<width>(pages.values, first * (size / width) + k);
    } else {
      labels = {};
#pragma unroll
      for (int j = 0; j < size; ++j)
        if (j < count) {
          labels.element[j / 2] |= u32(pages.labels[first * size + j]) << 16 * (j % 2);
          value[j / width].element[j % width] = pages.values[first * size + j];
        }
    }
  }

  template <class Op, int update>
  __device__ __forceinline__ void combine(const Buckets<Op, update>& buckets) const {
#pragma unroll
    for (int k = 0; k < size / width; ++k) {
      u32 row[width];
#pragma unroll
      for (int j = 0; j < width; ++j) row[j] = labels.element[(k * width + j) / 2] >> 16 * (j % 2) & 0xffff;
      if (full) {
        combine_row<Op, update>(buckets, row, value[k].element);
      } else {
#pragma unroll
        for (int j = 0; j < width; ++j)
          if (k * width + j < count) buckets.combine(row[j], value[k].element[j]);
      }
    }
  }
};

/// Combines `count` pages of a warp's into the table, entries `first` on of those that its lanes have.
template <int count, class Op, int update>
__device__ __forceinline__ void combine_pages(const Buckets<Op, update>& buckets,
                                              const Pages<typename Op::Value>& pages, u32 entries,
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
    reduce_pages(LabelRanges ranges, int columns, Pages<typename Op::Value> pages,
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

struct partitioned {
  static constexpr Card card{
      .title =
          "inputs partitioned by the high bits of their labels into pages of scratch memory, then a table in "
          "shared memory for each range of labels",
      .source = "Eilers 2014, 4.3.5 (presorting by some bits), with one pass for a sort's two, and 4.3.6",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .maximum_n = most_of_32_bits,
      .parameters = {
          {{"buckets", 128, 1, most_ranges, Step::power_of_two,
            "most ranges of labels, or more where a range's table would not fit; tuned on an H200"},
           {"loads", 4, 1, 4, Step::power_of_two, "of 16 bytes of labels for each thread; tuned on an H200"},
           {"block", 512, 32, 1024, Step::multiple_of_warp,
            "most threads that partition, 512 with 4 loads; tuned on an H200"},
           {"table_block", 1024, 32, 1024, Step::multiple_of_warp,
            "threads that reduce a range: one table fills a multiprocessor; tuned on an H200"}}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return no_atomic_combine<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    if (x.n == 0) return fill(queue, x.result, x.m, Op::identity());
    with_power_of_two<1, 4>(queue.parameter("loads"), [&](auto loads) {
      if constexpr (Op::commutative) reduce<loads>(queue, x, ranges_of<typename Op::Value>(queue, x.m));
    });
  }

 private:
  /// Shared memory for tables of 2^shift labels, in `columns` columns.
  template <class T>
  static std::size_t table_bytes(const LabelRanges& ranges, Index columns) {
    const Index words = columns << ranges.shift;
    return std::size_t(words) * sizeof(T) + 2 * std::size_t(ranges.count + 1) * sizeof(u32);
  }

  template <class T>
  static LabelRanges ranges_of(const Queue& queue, Index m) {
    constexpr int most_bits = 16;
    LabelRanges ranges{m, 0, int(std::min(m, most_ranges + 1))};
    const auto divide = [&](int shift) {
      ranges = {m, shift, int(std::min(ceil_div(m, Index(1) << shift), most_ranges + 1))};
    };
    while (ranges.shift < most_bits && ranges.count > queue.parameter("buckets")) divide(ranges.shift + 1);
    while (ranges.shift > 0 && table_bytes<T>(ranges, 1) > queue.device().shared_bytes_per_block)
      divide(ranges.shift - 1);
    if (ranges.count > most_ranges)
      queue.refuse("its ranges are " + std::to_string(Index(1) << ranges.shift) +
                   " labels, and there may be " + std::to_string(most_ranges) + " of them");
    return ranges;
  }

  template <int loads, class Op>
  static void reduce(Queue& queue, const Multireduce<Op>& x, const LabelRanges& ranges) {
    using T = typename Op::Value;
    constexpr int update = shared_atomic<Op>;
    const auto partitions = partition<Op, loads>;
    const auto reduces = reduce_pages<Op, update>;
    const std::size_t most = queue.device().shared_bytes_per_block;

    const int threads = int(std::min<Index>(queue.parameter("block"), most_threads<loads>));
    const Index tile = Index(threads) * loads * width, tiles = ceil_div(x.n, tile);
    const std::size_t bytes = TilePlaces<T>::bytes(tile, ranges.count + 1);
    if (bytes > most)
      queue.refuse("a tile takes " + std::to_string(bytes) + " bytes, a block has " + std::to_string(most) +
                   " of shared memory");
    const Index blocks = std::clamp<Index>(persistent_blocks(queue, partitions, threads, bytes), 1, tiles);

    const int table_threads = int(queue.parameter("table_block"));
    Index columns = 32;
    while (columns > 1 && table_bytes<T>(ranges, columns) > most) columns /= 2;
    const std::size_t shared_bytes = table_bytes<T>(ranges, columns);
    const Index reducing = std::max<Index>(1, persistent_blocks(queue, reduces, table_threads, shared_bytes));

    // Of each block and bucket one page may not be full.
    const Index most_pages = ceil_div(x.n, page_size) + blocks * ranges.count,
                controls = 1 + 2 * Index(ranges.count);
    const Pages<T> pages{queue.scratch<std::uint16_t>(most_pages * page_size),
                         queue.scratch<T>(most_pages * page_size),
                         queue.scratch<u32>(most_pages),
                         queue.scratch<u32>(most_pages),
                         queue.scratch<u32>(controls),
                         ranges.count};
    const double scattered = double(x.n) * (sizeof(std::uint16_t) + sizeof(T));
    const double listed = double(ceil_div(x.n, page_size)) * sizeof(u32);
    fill(queue, pages.taken, controls, 0u);
    launch(queue,
           {.blocks = blocks,
            .threads = threads,
            .shared_bytes = bytes,
            .bytes_read = x.input_bytes(),
            .bytes_written = scattered + listed},
           partitions, x.labels, x.values, x.n, tiles, ranges, pages);
    constexpr int listing_threads = 256;
    const std::size_t listing_bytes = std::size_t(ranges.count) * sizeof(u32);
    const Index listing =
        std::max<Index>(1, std::min(persistent_blocks(queue, list_pages<Op>, listing_threads, listing_bytes),
                                    std::max<Index>(ceil_div(most_pages, listing_threads), ranges.count)));
    launch(queue,
           {.blocks = listing,
            .threads = listing_threads,
            .shared_bytes = listing_bytes,
            .bytes_read = listed,
            .bytes_written = listed},
           list_pages<Op>, ranges, pages, u32(reducing), x.result);
    launch(queue,
           {.blocks = reducing,
            .threads = table_threads,
            .shared_bytes = shared_bytes,
            .bytes_read = scattered + listed,
            .bytes_written = x.result_bytes()},
           reduces, ranges, int(columns), pages, x.result);
    // A table has at most so many pages; tables of a bucket are joined by atomics.
    queue.chain(ceil_div(most_pages, reducing) * page_size + columns + reducing + 8);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, partitioned)
}  // namespace redbench
