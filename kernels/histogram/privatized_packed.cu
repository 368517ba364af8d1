#include <algorithm>
#include <string>

#include "kernels/histogram/join_tables.hpp"
#include "kernels/histogram/label_vectors.hpp"

namespace redbench {
namespace {

constexpr u32 no_label = ~u32(0);
constexpr int least_entries = warp_size, most_entries = 2048;

/// Labels that whole warps had in every lane, not yet counted.
struct Run {
  u32 label = 0, count = 0;
};

/// A block's counters of `bits` bits, several in a word. A row of words, one for each bank, counts as many
/// neighbouring labels as it has counters: neighbours, of which Zipf's labels have the frequent ones, are in
/// different words, and a warp that joins has neighbours in the same place of its words.
template <int bits>
struct PackedTable {
  static constexpr int per_word = 32 / bits, row_labels = per_word * warp_size;
  static constexpr u32 most = (1u << bits) - 1, lowest_bits = ~u32(0) / most;

  u32* counters;   // [words]
  u32* overflows;  // [entries]: what left the counters of the label tags[entry]
  u32* tags;       // [entries], or no_label
  u32 last_entry;  // entries are a power of two
  Index m;
  u32* result;

  __device__ static u32 word(u32 label) { return label / row_labels * warp_size + label % warp_size; }
  __device__ static u32 one(u32 label) { return 1u << label / warp_size % per_word * bits; }
  __device__ static u32 label(u32 word, int place) {
    return word / warp_size * row_labels + place * warp_size + word % warp_size;
  }

  /// Counts past the counters. The labels that overflow first, mostly the frequent ones, take the entries; the
  /// others go to the result.
  __device__ __forceinline__ void spill(u32 label, u32 amount) const {
    const u32 entry = label & last_entry, tag = atomicCAS(&tags[entry], no_label, label);
    if (tag == no_label || tag == label) atomicAdd(&overflows[entry], amount);
    else atomicAdd(&result[label], amount);
  }

  /// What has to follow an addition of `amount` to a word that was `old`. For a counter that wrapped 2^bits are
  /// spilt, and its carry is taken back from the next counter. That one may have wrapped by the carry, or may be
  /// 0 again, as somebody else made it wrap meanwhile, and borrow: what the atomic returned says which, whoever
  /// came between. So each carry and each borrow is followed up by the thread whose atomic made it, and when all
  /// have done so, a label's count is its counter and what was spilt for it. Ends, as each round begins at a
  /// higher counter than the one before.
  __device__ __forceinline__ void settle(u32 word, u32 old, u32 amount) const {
#pragma unroll 1
    for (bool adds = true;; adds = !adds) {
      const u32 now = adds ? old + amount : old - amount;
      const u32 entered = (now ^ old ^ amount) & lowest_bits;  // of counters that a carry or a borrow came to
      const bool left = adds ? now < old : now > old;          // the last counter of the word
      for (u32 wrapped = entered >> bits | u32(left) << (32 - bits); wrapped; wrapped &= wrapped - 1) {
        const u32 from = label(word, (__ffs(int(wrapped)) - 1) / bits);
        if (from < m) spill(from, adds ? most + 1 : 0u - (most + 1));
      }
      if (entered == 0) return;
      amount = entered;
      old = atomicAdd(&counters[word], adds ? 0u - amount : amount);
    }
  }

  __device__ __forceinline__ void add(u32 label, u32 amount) const {
    if (amount > most) return spill(label, amount);
    const u32 added = amount * one(label);
    settle(word(label), atomicAdd(&counters[word(label)], added), added);
  }

  /// Four updates are under way before the first is waited for. With counters of 4 bits a label that has an entry is
  /// counted there: it would overflow with each sixteenth count, which waits for three more atomics.
  __device__ __forceinline__ void count(const WordVector& labels) const {
    const auto& x = labels.element;
    u32 old[words_per_vector], wrapped = 0;
    bool has_entry[words_per_vector] = {};
#pragma unroll
    for (int j = 0; j < words_per_vector; ++j)
      if constexpr (bits == 4) has_entry[j] = static_cast<volatile u32*>(tags)[x[j] & last_entry] == x[j];
#pragma unroll
    for (int j = 0; j < words_per_vector; ++j)
      old[j] = atomicAdd(has_entry[j] ? &overflows[x[j] & last_entry] : &counters[word(x[j])],
                         has_entry[j] ? 1u : one(x[j]));
#pragma unroll
    for (int j = 0; j < words_per_vector; ++j)
      wrapped |= u32(!has_entry[j] && (~old[j] & one(x[j]) * most) == 0) << j;
#pragma unroll 1
    for (; wrapped; wrapped &= wrapped - 1) {
      const u32 first = wrapped & (0u - wrapped);
      const u32 label = first == 1 ? x[0] : first == 2 ? x[1] : first == 4 ? x[2] : x[3];
      settle(word(label),
             first == 1   ? old[0]
             : first == 2 ? old[1]
             : first == 4 ? old[2]
                          : old[3],
             one(label));
    }
  }

  /// Counts the labels of lanes that have one label each, the same in lanes next to each other by one addition,
  /// or, where it is the whole warp's, later. Returns whether it counted the lane's. All lanes call together.
  __device__ __forceinline__ bool count_run(const WordVector& labels, Run& run) const {
    const auto& x = labels.element;
    const bool same = x[0] == x[1] && x[1] == x[2] && x[2] == x[3];
    const u32 alike = __ballot_sync(full_mask, same);
    if (alike == 0) return false;
    const int lane = threadIdx.x % warp_size;
    const bool goes_on = shuffle_up(full_mask, x[0], 1) == x[0] && (alike & alike << 1) >> lane & 1;
    const u32 heads = __ballot_sync(full_mask, !goes_on);
    if (heads == 1) {
      if (run.label != x[0]) {
        finish(run);
        run = {x[0], 0};
      }
      run.count += words_per_vector * warp_size;
    } else if (same && !goes_on) {
      const u32 later = heads >> lane >> 1;
      add(x[0], words_per_vector * (later ? __ffs(int(later)) : warp_size - lane));
    }
    return same;
  }
  __device__ __forceinline__ void finish(const Run& run) const {
    if (threadIdx.x % warp_size == 0 && run.count) spill(run.label, run.count);
  }
};

/// Counts all labels, in tiles that go to the blocks in turn; those past them go to the last block.
template <int loads, class Table>
__device__ __forceinline__ void count_labels(const u32* labels, Index n, const Table& table) {
  const auto* const in = reinterpret_cast<const WordVector*>(labels);
  const int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const Index vectors = n / words_per_vector, tiles = vectors / tile_vectors<loads>, blocks = gridDim.x;
  Run run;
  for_tile_vectors<loads>(in, tiles, warp * blocks + blockIdx.x, warps * blocks,
                          [&](const WordVector& vector) {
                            if (!table.count_run(vector, run)) table.count(vector);
                          });
  table.finish(run);
  const auto one = [&](u32 label) { table.add(label, 1); };
  if (blockIdx.x == gridDim.x - 1) for_few_vectors(in, tiles * tile_vectors<loads>, vectors, one);
  for_last_labels(labels, n, one);
}

/// Adds tables[blocks][words] to the result. A thread has a word of every parts-th block.
template <int bits>
__device__ __forceinline__ void add_tables(const u32* tables, int words, const PackedTable<bits>& table) {
  const int blocks = gridDim.x, threads = blocks * blockDim.x;
  const int parts = max(1, min(threads / words, (blocks + 15) / 16));
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words * parts; i += threads) {
    const int word = i % words;
    u32 sums[table.per_word] = {};
#pragma unroll 8
    for (int block = i / words; block < blocks; block += parts) {
      const u32 counters = tables[Index(block) * words + word];
#pragma unroll
      for (int k = 0; k < table.per_word; ++k) sums[k] += counters >> k * bits & table.most;
    }
#pragma unroll
    for (int k = 0; k < table.per_word; ++k) {
      const u32 label = table.label(word, k);
      if (label < table.m && sums[k]) atomicAdd(&table.result[label], sums[k]);
    }
  }
}

template <int bits, int loads>
__global__ void __launch_bounds__(1024, 1)
    count_packed(const u32* labels, Index n, Index m, int words, int entries, u32* tables, u32* result) {
  // The counters come last: nvcc holds an address that a parameter moves, and else asks for the block's window of
  // shared memory before every four updates.
  auto* const shared = dynamic_shared<u32>();
  const PackedTable<bits> table{.counters = shared + 2 * entries,
                                .overflows = shared + entries,
                                .tags = shared,
                                .last_entry = u32(entries - 1),
                                .m = m,
                                .result = result};
  clear_table(table.overflows, entries + words);
  for (int i = threadIdx.x; i < entries; i += blockDim.x) table.tags[i] = no_label;
  clear_result(result, m);
  grid_sync();

  count_labels<loads>(labels, n, table);
  __syncthreads();

  for (int i = threadIdx.x; i < entries; i += blockDim.x)
    if (table.tags[i] != no_label) atomicAdd(&result[table.tags[i]], table.overflows[i]);
  auto* const to = reinterpret_cast<WordVector*>(tables + Index(blockIdx.x) * words);
  for (int i = threadIdx.x; i < words / words_per_vector; i += blockDim.x)
    to[i] = reinterpret_cast<const WordVector*>(table.counters)[i];
  grid_sync();
  add_tables(tables, words, table);
}

struct privatized_packed {
  static constexpr Card card{
      .title =
          "a table of counters of 4 or 8 bits in each block's shared memory, overflows by label, joined in the "
          "same launch",
      .source =
          "the tables of Podlozhnyuk 2007 with the counters of few bits of Shams and Kennedy 2007, by hardware's "
          "atomics",
      .order = Order::commutative,
      .parameters = {
          {{"bits", 0, 0, 8, Step::one, "of a counter, 4 or 8; 0: 8 where they fit; reasoned: few overflows"},
           {"loads", 4, 1, 8, Step::power_of_two, "loads of 16 bytes in flight; reasoned: as privatized"},
           {"block", 1024, 32, 1024, Step::multiple_of_warp, "reasoned: few tables to join"}}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return sizeof(typename Op::Value) == sizeof(u32)
               ? ""
               : "counters for labels of a byte fit without being packed";
  }
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    if constexpr (sizeof(typename Op::Value) == sizeof(u32)) {
      const Index asked = queue.parameter("bits");
      if (asked != 0 && asked != 4 && asked != 8)
        queue.refuse("its counters have 4 or 8 bits, not " + std::to_string(asked));
      const Index fitting = entries_beside(queue, words_of<8>(x.m)) > 0 ? 8 : 4;
      with_power_of_two<4, 8>(asked > 0 ? asked : fitting, [&](auto bits) {
        with_power_of_two<1, 8>(queue.parameter("loads"), [&](auto loads) { count<bits, loads>(queue, x); });
      });
    }
  }

 private:
  template <int bits>
  static Index words_of(Index m) {
    return ceil_div(m, PackedTable<bits>::row_labels) * warp_size;
  }
  /// Entries for overflows that fit a block's shared memory beside so many words; 0 where too few do.
  static Index entries_beside(const Queue& queue, Index words) {
    const Index room = Index(queue.device().shared_bytes_per_block / sizeof(u32)) - words;
    for (Index entries = most_entries; entries >= least_entries; entries /= 2)
      if (2 * entries <= room) return entries;
    return 0;
  }

  template <int bits, int loads, class Op>
  static void count(Queue& queue, const Histogram<Op>& x) {
    const auto kernel = count_packed<bits, loads>;
    const int threads = int(queue.parameter("block"));
    const Index words = words_of<bits>(x.m), entries = entries_beside(queue, words);
    if (entries == 0)
      queue.refuse("its counters take " + std::to_string(table_bytes(words)) + " bytes, a block has " +
                   std::to_string(queue.device().shared_bytes_per_block) +
                   " of shared memory, of which overflows need " +
                   std::to_string(table_bytes(2 * least_entries)));
    const std::size_t bytes = table_bytes(words + 2 * entries);
    // None with fewer labels than words, which it clears and joins.
    const Index blocks = std::min(blocks_with_tiles<u32, loads>(queue, x.n, kernel, threads, bytes),
                                  std::max<Index>(x.n / words, 1));
    auto* const tables = queue.scratch<u32>(blocks * words);
    const double table_traffic = double(blocks * words) * sizeof(u32);
    launch(queue,
           {.blocks = blocks,
            .threads = threads,
            .shared_bytes = bytes,
            .cooperative = true,
            .bytes_read = x.input_bytes() + table_traffic,
            .bytes_written = x.result_bytes() + table_traffic},
           kernel, x.labels, x.n, x.m, int(words), int(entries), tables, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, privatized_packed)
}  // namespace redbench
