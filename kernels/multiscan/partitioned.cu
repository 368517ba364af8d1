// Model, of n inputs of 4 bytes: labels are counted (4 bytes), labels and values partitioned, the place of each kept
// (8 read, 12 written), totals made (8), the scan (8 and 4) and the results fetched (8 and 4): 56 bytes, seven
// launches. The scan's turns are those of as many labels as a range has.
#include <algorithm>
#include <bit>

#include "kernels/multiscan/problem.hpp"
#include "kernels/multiscan/turn_scan.hpp"
#include "kernels/parts/contiguous_parts.hpp"
#include "kernels/parts/label_ranges.hpp"
#include "kernels/parts/labelled_values.hpp"

namespace redbench {
namespace {

/// A range of labels for each lane of a warp.
constexpr int most_ranges = warp_size;
constexpr int partition_threads = 256, partition_warps = partition_threads / warp_size;
constexpr int partition_rows = 8, warp_inputs = partition_rows * warp_size;
constexpr int partition_tile = partition_threads * partition_rows;
/// Ranges begin where vectors do.
constexpr u32 range_alignment = 4;

/// The inputs in order of their ranges. Scratch memory.
template <class T>
struct Partition {
  LabelRanges ranges;
  u32* labels;  // within their range
  T* values;
  u32* place;          // [n] where an input is
  u32* counts;         // [range][block], then where the block's first input of the range goes
  u32 *begins, *ends;  // [range]
};

/// counts[range][block] = inputs of the block's part in the range; columns of warps are joined at the end.
__global__ void __launch_bounds__(partition_threads)
    count_ranges(const u32* labels, Index n, Index length, LabelRanges ranges, u32* counts) {
  __shared__ u32 of_warp[partition_warps][most_ranges];
  constexpr int width = 4;
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size, count = part_inputs(n, length);
  const u32* const part = labels + Index(blockIdx.x) * length;
  of_warp[warp][lane] = 0;
  __syncwarp();
#pragma unroll 4
  for (int i = threadIdx.x; i < count / width; i += partition_threads) {
    const auto vector = load_vector<width>(part, i);
#pragma unroll
    for (const u32 label : vector.element) atomicAdd(&of_warp[warp][ranges.of(label)], 1u);
  }
  const int tail = count / width * width + int(threadIdx.x);
  if (tail < count) atomicAdd(&of_warp[warp][ranges.of(part[tail])], 1u);
  __syncthreads();
  if (warp > 0 || lane >= ranges.count) return;
  u32 sum = 0;
#pragma unroll
  for (int w = 0; w < partition_warps; ++w) sum += of_warp[w][lane];
  counts[lane * Index(gridDim.x) + blockIdx.x] = sum;
}

/// From counts to places, a warp for each range.
template <class T>
__global__ void __launch_bounds__(most_ranges* warp_size) place_ranges(Partition<T> x, int blocks) {
  __shared__ u32 sizes[most_ranges];
  const int lane = threadIdx.x % warp_size, range = threadIdx.x / warp_size;
  u32* const counts = x.counts + Index(range) * blocks;
  const auto scan = [&](u32 before, const auto& put) {
    for (int first = 0; first < blocks; first += warp_size) {
      const int block = first + lane;
      const u32 own = range < x.ranges.count && block < blocks ? counts[block] : 0;
      const u32 inclusive = warp_inclusive_scan<Sum<u32>>(own);
      put(block, before + inclusive - own);
      before += shuffle(full_mask, inclusive, warp_size - 1);
    }
    return before;
  };
  const u32 size = scan(0, [](int, u32) {});
  if (lane == 0) sizes[range] = size;
  __syncthreads();
  const u32 room = (sizes[lane] + range_alignment - 1) / range_alignment * range_alignment;
  const u32 begin = shuffle(full_mask, warp_inclusive_scan<Sum<u32>>(room) - room, range);
  if (range >= x.ranges.count) return;
  if (lane == 0) {
    x.begins[range] = begin;
    x.ends[range] = begin + size;
  }
  scan(begin, [&](int block, u32 before) {
    if (block < blocks) counts[block] = before;
  });
}

/// Writes the inputs by range, in order, and where each has gone. A warp has 256 neighbours of a tile, in rows.
template <class T>
__global__ void __launch_bounds__(partition_threads)
    partition_in_order(const u32* labels, const T* values, Index n, Index length, int bits, Partition<T> x) {
  __shared__ u32
      of_warp[partition_warps][most_ranges];  // inputs of a range in a warp, then in those before it
  __shared__ u32 starts[most_ranges],
      offsets[most_ranges];  // of a range in the tile; from there to its place
  T* const staged_values = dynamic_shared<T>();
  u32* const staged_labels = reinterpret_cast<u32*>(staged_values + partition_tile);
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size, count = part_inputs(n, length);
  const Index part = Index(blockIdx.x) * length;
  u32 next = 0;  // in the first warp: where the next input of range `lane` goes
  if (warp == 0 && lane < x.ranges.count) next = x.counts[lane * Index(gridDim.x) + blockIdx.x];

  for (int tile = 0; tile < count; tile += partition_tile) {
    const int own = tile + warp * warp_inputs + lane;
    u32 label[partition_rows], rank[partition_rows];
    T value[partition_rows];
#pragma unroll
    for (int r = 0; r < partition_rows; ++r) {
      const int i = own + r * warp_size;
      label[r] = i < count ? labels[part + i] : 0;
      value[r] = i < count ? values[part + i] : T{};
    }
    of_warp[warp][lane] = 0;
    __syncwarp();
#pragma unroll
    for (int r = 0; r < partition_rows; ++r) {
      const bool inside = own + r * warp_size < count;
      const u32 range = x.ranges.of(label[r]);
      const u32 equal = equal_lanes_by_ballots(range, bits) & __ballot_sync(full_mask, inside);
      const u32 before = of_warp[warp][range];
      __syncwarp();
      rank[r] = before + u32(__popc(equal & ((1u << lane) - 1)));
      if (inside && equal >> lane == 1) of_warp[warp][range] = rank[r] + 1;
      __syncwarp();
    }
    __syncthreads();
    if (warp == 0) {
      u32 sum = 0;
#pragma unroll
      for (int w = 0; w < partition_warps; ++w) {
        const u32 of_this = of_warp[w][lane];
        of_warp[w][lane] = sum;
        sum += of_this;
      }
      starts[lane] = warp_inclusive_scan<Sum<u32>>(sum) - sum;
      offsets[lane] = next - starts[lane];
      next += sum;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < partition_rows; ++r) {
      const int i = own + r * warp_size;
      const u32 range = x.ranges.of(label[r]), to = starts[range] + of_warp[warp][range] + rank[r];
      if (i < count) {
        staged_labels[to] = label[r];
        staged_values[to] = value[r];
        x.place[part + i] = offsets[range] + to;
      }
    }
    __syncthreads();
    const u32 mask = (1u << x.ranges.shift) - 1;
#pragma unroll
    for (int k = 0; k < partition_rows; ++k) {
      const int i = k * partition_threads + int(threadIdx.x);
      if (tile + i < count) {
        const u32 staged = staged_labels[i], to = offsets[x.ranges.of(staged)] + u32(i);
        x.labels[to] = staged & mask;
        x.values[to] = staged_values[i];
      }
    }
  }
}

/// The partitioned inputs in parts of `length`, a block each. What a part has of a range is a piece, with a set of
/// its own; of the block's part and range numbers, the sum is the piece's.
template <class Op>
struct Pieces {
  using T = typename Op::Value;
  Partition<T> in;
  Index length;
  int m, bits;  // of a range
  FindEqual find;
  T* sets;

  __device__ TurnTable<Op> table() const { return {m, bits, find}; }

  /// visit(first, count, set) for the block's pieces, in order, with a barrier behind each.
  template <class Visit>
  __device__ __forceinline__ void for_each(const Visit& visit) const {
    const Index begin = Index(blockIdx.x) * length, end = begin + length;
#pragma unroll 1
    for (int range = 0; range < in.ranges.count; ++range) {
      const Index first = max(begin, Index(in.begins[range])), last = min(end, Index(in.ends[range]));
      if (first >= last) continue;
      visit(first, int(last - first), sets + (Index(blockIdx.x) + range) * m);
      __syncthreads();
    }
  }
};

template <class Op, class Walk>
__global__ void __launch_bounds__(most_turn_threads, Walk::blocks) total_pieces(Pieces<Op> x) {
  const TurnTable<Op> table = x.table();
  x.for_each([&](Index first, int count, typename Op::Value* set) {
    reduce_in_turns<Walk>(x.in.labels + first, x.in.values + first, count, table);
    __syncthreads();
    for (int l = threadIdx.x; l < x.m; l += blockDim.x) set[l] = table.values[l];
  });
}

template <class Op>
__global__ void __launch_bounds__(1024, 2) total_pieces_by_atomics(Pieces<Op> x, int columns) {
  x.for_each([&](Index first, int count, typename Op::Value* set) {
    total_in_columns<Op>(x.in.labels + first, x.in.values + first, count, x.m, columns, set);
  });
}

/// Each label's sets, of the pieces of its range, become what comes before the piece.
template <class Op>
__global__ void scan_pieces(Pieces<Op> x) {
  const Index label = Index(blockIdx.x) * warp_size + threadIdx.x % warp_size;
  const int range = int(min(label >> x.in.ranges.shift, Index(x.in.ranges.count) - 1));
  const Index begin = x.in.begins[range], end = x.in.ends[range], first = begin / x.length;
  const bool any = label < x.in.ranges.m && begin < end;
  scan_sets<Op>(x.sets + (first + range) * x.m + (label - x.in.ranges.first(range)),
                any ? int((end - 1) / x.length - first + 1) : 0, x.m, dynamic_shared<typename Op::Value>());
}

/// The results take the place of the values.
template <class Op, bool inclusive, class Walk>
__global__ void __launch_bounds__(most_turn_threads, Walk::blocks) scan_pieces_by_turns(Pieces<Op> x) {
  x.for_each([&](Index first, int count, typename Op::Value* set) {
    scan_in_turns<Op, inclusive, Walk>(x.in.labels + first, x.in.values + first, count, x.table(), set,
                                       x.in.values + first);
  });
}

/// result[i] = results[place[i]].
template <class T>
__global__ void __launch_bounds__(256) fetch_results(const T* results, const u32* place, Index n, T* result) {
  constexpr int width = 4;
  const Index i = (Index(blockIdx.x) * blockDim.x + threadIdx.x) * width;
  if (i + width <= n) {
    const auto from = load_vector<width>(place + i, 0);
    Vector<T, width> out;
#pragma unroll
    for (int j = 0; j < width; ++j) out.element[j] = results[from.element[j]];
    *reinterpret_cast<Vector<T, width>*>(result + i) = out;
  } else {
    for (Index k = i; k < n; ++k) result[k] = results[place[k]];
  }
}

struct partitioned {
  static constexpr Card card{
      .title = "a stable partition by the high bits of labels into up to 32 ranges, then turns within each",
      .source = "Eilers 2014, 5.5.1 (sort, scan, results put back), with one pass for the sort; by_turns",
      .order = Order::any,
      .maximum_n = most_of_32_bits,
      .parameters = {{turn_chains, turn_warps, turn_find, turn_at_once}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    using T = typename Op::Value;
    if (x.n == 0) return;
    LabelRanges ranges{x.m, 0, 0};
    while (ceil_div(x.m, Index(1) << ranges.shift) > most_ranges) ++ranges.shift;
    ranges.count = int(ceil_div(x.m, Index(1) << ranges.shift));
    const Index labels = Index(1) << ranges.shift, padded = x.n + Index(ranges.count) * range_alignment;
    const TurnShape shape =
        turn_shape(queue, padded, labels, [&](Index warps) { return turn_bytes<T>(labels, warps); });

    const auto partitions = partition_in_order<T>;
    const std::size_t shared_bytes = partition_tile * (sizeof(T) + sizeof(u32));
    const Index resident = persistent_blocks(queue, partitions, partition_threads, shared_bytes);
    const Parts parts = contiguous_parts(queue, x.n, std::max<Index>(resident, 1), partition_tile);
    const Partition<T> partition{ranges,
                                 queue.scratch<u32>(padded),
                                 queue.scratch<T>(padded),
                                 queue.scratch<u32>(x.n),
                                 queue.scratch<u32>(parts.blocks * ranges.count),
                                 queue.scratch<u32>(ranges.count),
                                 queue.scratch<u32>(ranges.count)};
    const double count_bytes = double(parts.blocks) * ranges.count * sizeof(u32), words = 4.0 * double(x.n);
    launch(queue,
           {.blocks = parts.blocks,
            .threads = partition_threads,
            .bytes_read = words,
            .bytes_written = count_bytes},
           count_ranges, x.labels, x.n, parts.length, ranges, partition.counts);
    launch(queue,
           {.threads = most_ranges * warp_size, .bytes_read = 2 * count_bytes, .bytes_written = count_bytes},
           place_ranges<T>, partition, int(parts.blocks));
    launch(queue,
           {.blocks = parts.blocks,
            .threads = partition_threads,
            .shared_bytes = shared_bytes,
            .bytes_read = x.input_bytes() + count_bytes,
            .bytes_written = x.input_bytes() + words},
           partitions, x.labels, x.values, x.n, parts.length, std::max(1, bits_of(ranges.count)), partition);

    const Index sets = (shape.parts.blocks + ranges.count) * labels;
    const Pieces<Op> pieces{partition,   shape.parts.length,
                            int(labels), int(std::bit_width(std::uint64_t(labels))),
                            shape.find,  queue.scratch<T>(sets)};
    with_turn_walk(
        shape, [&](auto walk) { scan<decltype(walk)>(queue, x, pieces, shape, double(sets) * sizeof(T)); });
    constexpr int fetching = 256, of_thread = 4;
    launch(queue,
           {.blocks = ceil_div(x.n, fetching * of_thread),
            .threads = fetching,
            .bytes_read = words + x.result_bytes(),
            .bytes_written = x.result_bytes()},
           fetch_results<T>, partition.values, partition.place, x.n, x.result);
    queue.chain(2 * turn_chain(shape.parts.length) + 2 * ceil_div(shape.parts.blocks, 32) + 32);
  }

 private:
  template <class Walk, class Op>
  static void scan(Queue& queue, const Multiscan<Op>& x, const Pieces<Op>& pieces, const TurnShape& shape,
                   double set_bytes) {
    using T = typename Op::Value;
    const Index blocks = shape.parts.blocks, warps = std::min<Index>(blocks, 32);
    const Grid by_turns{.blocks = blocks,
                        .threads = int(shape.warps) * warp_size,
                        .shared_bytes = turn_bytes<T>(pieces.m, shape.warps),
                        .bytes_read = x.input_bytes() + set_bytes,
                        .bytes_written = x.result_bytes()};
    Grid totals = by_turns;
    totals.bytes_read = x.input_bytes();
    totals.bytes_written = set_bytes;
    if constexpr (native_in_shared<Op>) {
      const Index columns = shape_for_columns<T>(totals, pieces.m, shape.chains);
      launch(queue, totals, total_pieces_by_atomics<Op>, pieces, int(columns));
    } else {
      launch(queue, totals, total_pieces<Op, Walk>, pieces);
    }
    launch(queue,
           {.blocks = ceil_div(x.m, warp_size),
            .threads = int(warps) * warp_size,
            .shared_bytes = std::size_t(warps) * warp_size * sizeof(T),
            .bytes_read = 2 * set_bytes,
            .bytes_written = set_bytes},
           scan_pieces<Op>, pieces);
    launch(queue, by_turns,
           x.inclusive ? scan_pieces_by_turns<Op, true, Walk> : scan_pieces_by_turns<Op, false, Walk>,
           pieces);
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, partitioned)
}  // namespace redbench
