// Model, of n inputs of 4 bytes: labels and values are read (8 bytes), written by bucket as 2 and 4 bytes and
// read again (6 + 6), each once. Places come from pages that blocks take as they need them, so that no pass counts
// before. What a tile waits for, one after the other: its loads, seven barriers, one atomic that takes pages, and
// stores.
#include <algorithm>
#include <string>

#include "kernels/multireduce/partition_into_pages.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/multireduce/reduce_pages.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/power_of_two.hpp"

namespace redbench {
namespace {

constexpr Index most_ranges = 2048;

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

    const int threads = int(std::min<Index>(queue.parameter("block"), most_partition_threads<loads>));
    const Index tile = Index(threads) * loads * page_vector, tiles = ceil_div(x.n, tile);
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
    const BucketPages<T> pages{queue.scratch<std::uint16_t>(most_pages * page_size),
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
    const std::size_t shared_to_list = listing_bytes(ranges.count);
    const Index listing =
        std::max<Index>(1, std::min(persistent_blocks(queue, list_pages<Op>, listing_threads, shared_to_list),
                                    std::max<Index>(ceil_div(most_pages, pages_to_list), ranges.count)));
    launch(queue,
           {.blocks = listing,
            .threads = listing_threads,
            .shared_bytes = shared_to_list,
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
