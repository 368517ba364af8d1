#include <bit>

#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/block_tables.hpp"
#include "kernels/parts/turns.hpp"

namespace redbench {
namespace {

template <class Op, class Walk>
__global__ void __launch_bounds__(most_turn_threads, Walk::blocks)
    reduce_by_turns(const u32* labels, const typename Op::Value* values, Index n, Index length, int bits,
                    FindEqual find, BlockTables<typename Op::Value> tables, typename Op::Value* result) {
  const TurnTable<Op> table(int(tables.m), bits, find);
  const Index start = Index(blockIdx.x) * length;
  reduce_in_turns<Walk>(labels + start, values + start, part_inputs(n, length), table);
  join_tables<Op>(tables, [&](Index label) { return table.values[label]; }, table.values, result);
}

struct by_turns {
  static constexpr Card card{
      .title =
          "a table in each block's shared memory that its warps update in input order, one after the other",
      .source = "not in the thesis; the sets of Eilers 2014, 4.2, one for each block instead of each thread",
      .order = Order::any,
      .parameters = {{turn_chains, turn_warps, turn_find, turn_at_once}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const auto bytes = [&](Index warps) {
      return std::max(turn_bytes<T>(x.m, warps), BlockTables<T>::join_bytes(int(warps) * warp_size));
    };
    const TurnShape shape = turn_shape(queue, x.n, x.m, bytes);
    const Index blocks = std::max<Index>(1, shape.parts.blocks);
    const auto tables = BlockTables<T>::scratch(queue, x.m, blocks);
    with_turn_walk(shape, [&](auto walk) {
      launch(queue,
             {.blocks = blocks,
              .threads = int(shape.warps) * warp_size,
              .shared_bytes = bytes(shape.warps),
              .cooperative = blocks > 1,
              .bytes_read = x.input_bytes() + tables.bytes(blocks),
              .bytes_written = x.result_bytes() + tables.bytes(blocks)},
             reduce_by_turns<Op, decltype(walk)>, x.labels, x.values, x.n, shape.parts.length,
             int(std::bit_width(std::uint64_t(x.m))), shape.find, tables, x.result);
    });
    queue.chain(turn_chain(shape.parts.length) + blocks + most_turn_warps);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, by_turns)
}  // namespace redbench
