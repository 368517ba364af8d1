#include "kernels/multisplit/turn_places.hpp"

namespace redbench {
namespace {

__global__ void __launch_bounds__(most_turn_threads, 2)
    rank_keys(KeySplit x, FindEqual find, int bits, u32* places) {
  for_each_place<false>(x, find, bits, [&](Index i, u32, u32, u32 place) { places[i] = place; });
}

constexpr int moving_threads = 256;

template <bool pairs>
__global__ void __launch_bounds__(moving_threads) move_to_places(KeySplit x, const u32* places) {
  const Index first = (Index(blockIdx.x) * moving_threads + threadIdx.x) * inputs_per_lane;
#pragma unroll
  for (int k = 0; k < inputs_per_lane; ++k) {
    const Index i = first + k;
    if (i >= x.n) return;
    x.out.keys[places[i]] = x.keys[i];
    if (pairs) x.out.values[places[i]] = x.values[i];
  }
}

struct rank_and_move {
  static constexpr Card card{
      .title = "a multiscan of ones by turns, then a launch that moves keys to their places",
      .source = "what a user of the multiscan writes; multiscan/by_turns",
      .order = Order::any,
      .maximum_n = most_of_32_bits,
      .parameters = {{place_chains}}};

  template <class Op>
  static void run(Queue& queue, const Multisplit<Op>& x) {
    if (x.n == 0) return;
    u32* const places = queue.scratch<u32>(x.n);
    TurnSplit turns(queue, x);
    turns.grid.bytes_read = turns.grid.bytes_written = x.key_bytes();
    launch(queue, turns.grid, rank_keys, turns.split, turns.find, turns.bits, places);
    launch(queue,
           {.blocks = ceil_div(x.n, moving_threads * inputs_per_lane),
            .threads = moving_threads,
            .bytes_read = x.key_bytes() + x.input_bytes(),
            .bytes_written = x.input_bytes()},
           x.pairs ? move_to_places<true> : move_to_places<false>, turns.split, places);
  }
};

}  // namespace
REDBENCH_VARIANT(Multisplit, rank_and_move)
}  // namespace redbench
