#include <algorithm>
#include <bit>

#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/block_tables.hpp"
#include "kernels/parts/labelled_vectors.hpp"
#include "kernels/parts/power_of_two.hpp"
#include "kernels/parts/private_buckets.hpp"

namespace redbench {
namespace {

/// Registers: 64 hold four loads, a column's owner and eight loads have 128.
template <int update, int loads>
inline constexpr int most_threads = update == Update::owned || loads > 4 ? 512 : 1024;

template <class Op, int update, int loads>
__global__ void __launch_bounds__(most_threads<update, loads>, 1)
    reduce_privately(const u32* labels, const typename Op::Value* values, Index n, int columns,
                     BlockTables<typename Op::Value> tables, typename Op::Value* result) {
  using T = typename Op::Value;
  auto* const memory = dynamic_shared<T>();
  const Buckets<Op, update> buckets(memory, tables.m, columns);
  buckets.clear();
  __syncthreads();
  for_each_labelled<loads>(
      labels, values, n,
      [&](const u32(&label)[4], const T(&value)[4]) { combine_row<Op, update>(buckets, label, value); },
      [&](u32 label, T value) { buckets.combine(label, value); });
  join_tables<Op>(tables, [&](Index label) { return buckets.reduced(label); }, memory, result);
}

struct privatized {
  static constexpr Card card{
      .title = "a table in each block's shared memory, read by loads of 16 bytes, joined in the same launch",
      .source = "Eilers 2014, 4.3.6, with a column of buckets for each bank or thread as far as they fit",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .parameters = {
          {{"table", 0, 0, 2, Step::one,
            "1: a column for each thread, no atomics; 2: atomics; 0: 1 up to 32 labels where the hardware has no "
            "atomic, as equal labels of a warp take turns then, else 2; tuned on an H200"},
           {"columns", 0, 0, 32, Step::one,
            "of a table with atomics, down to a power of two; 0: as many as fit, up to one for each bank; tuned on an H200"},
           {"loads", 4, 1, 8, Step::power_of_two,
            "loads of 16 bytes of labels in flight, and as many of values; tuned on an H200"},
           {"block", 1024, 32, 1024, Step::multiple_of_warp,
            "most threads, 512 with a column for each or 8 loads; few tables to join; tuned on an H200"}}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return no_atomic_combine<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    with_power_of_two<1, 8>(queue.parameter("loads"), [&](auto loads) {
      if constexpr (Op::commutative) {
        const Index owners = owning_threads<Op>(queue, x.m), asked = queue.parameter("table");
        constexpr Index few = 32;
        if (asked == 1 || (asked == 0 && !native_in_shared<Op> && x.m <= few))
          reduce<Update::owned, loads>(queue, x, owners, owners);
        else
          reduce<shared_atomic<Op>, loads>(queue, x, columns_for<Op>(queue, x.m), queue.parameter("block"));
      }
    });
  }

 private:
  /// Threads with a column of their own.
  template <class Op>
  static Index owning_threads(const Queue& queue, Index m) {
    const Index fit = Index(queue.device().shared_bytes_per_block) / (m * Index(sizeof(typename Op::Value)));
    return std::min({fit / warp_size * warp_size, queue.parameter("block"), Index(512)});
  }

  template <class Op>
  static Index columns_for(const Queue& queue, Index m) {
    const Index asked = queue.parameter("columns");
    const Index fit =
        asked > 0 ? asked
                  : Index(queue.device().shared_bytes_per_block) / (m * Index(sizeof(typename Op::Value)));
    return std::clamp<Index>(Index(std::bit_floor(std::uint64_t(fit))), 1, 32);
  }

  template <int update, int loads, class Op>
  static void reduce(Queue& queue, const Multireduce<Op>& x, Index columns, Index threads) {
    using T = typename Op::Value;
    const std::size_t most = queue.device().shared_bytes_per_block, table = x.m * columns * sizeof(T);
    if (table > most || threads == 0)
      queue.refuse("its buckets take " + std::to_string(threads == 0 ? x.m * warp_size * sizeof(T) : table) +
                   " bytes, a block has " + std::to_string(most) + " of shared memory");
    const auto kernel = reduce_privately<Op, update, loads>;
    threads = std::min<Index>(threads, most_threads<update, loads>);
    const std::size_t shared_bytes = std::max(table, BlockTables<T>::join_bytes(int(threads)));
    // No block without a tile, and none with fewer inputs than labels, which it clears and joins.
    const Index resident = persistent_blocks(queue, kernel, int(threads), shared_bytes);
    const Index blocks = std::clamp<Index>(x.n / std::max<Index>(inputs_per_tile<loads>, x.m), 1,
                                           std::max<Index>(resident, 1));
    const auto tables = BlockTables<T>::scratch(queue, x.m, blocks);
    launch(queue,
           {.blocks = blocks,
            .threads = int(threads),
            .shared_bytes = shared_bytes,
            .cooperative = blocks > 1,
            .bytes_read = x.input_bytes() + tables.bytes(blocks),
            .bytes_written = x.result_bytes() + tables.bytes(blocks)},
           kernel, x.labels, x.values, x.n, int(columns), tables, x.result);
    queue.chain(inputs_of_block<loads>(x.n, blocks, threads) / columns + 7 + columns + blocks + 32);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, privatized)
}  // namespace redbench
