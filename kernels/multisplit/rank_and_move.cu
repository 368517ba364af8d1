#include "kernels/multisplit/turn_places.hpp"

namespace redbench {
namespace {

__global__ void __launch_bounds__(most_turn_threads, 2)
    rank_keys(KeySplit x, FindEqual find, int bits, u32* places) {
  for_each_place<false>(x, find, bits, [&](Index i, u32, u32, u32 place) { places[i] = place; });
}

constexpr int moving_threads = 256, keys_of_thread = 4;

template <bool pairs>
__global__ void __launch_bounds__(moving_threads) move_to_places(KeySplit x, const u32* places) {
  const Index first = Index(blockIdx.x) * moving_threads * keys_of_thread + threadIdx.x;
  u32 place[keys_of_thread], key[keys_of_thread], value[keys_of_thread];
#pragma unroll
  for (int k = 0; k < keys_of_thread; ++k) {
    const Index i = first + k * moving_threads;
    if (i >= x.n) break;
    place[k] = places[i];
    key[k] = x.keys[i];
    if (pairs) value[k] = x.values[i];
  }
#pragma unroll
  for (int k = 0; k < keys_of_thread; ++k) {
    if (first + k * moving_threads >= x.n) break;
    x.out.keys[place[k]] = key[k];
    if (pairs) x.out.values[place[k]] = value[k];
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
           {.blocks = ceil_div(x.n, moving_threads * keys_of_thread),
            .threads = moving_threads,
            .bytes_read = x.key_bytes() + x.input_bytes(),
            .bytes_written = x.input_bytes()},
           x.pairs ? move_to_places<true> : move_to_places<false>, turns.split, places);
  }
};

}  // namespace
REDBENCH_VARIANT(Multisplit, rank_and_move)
}  // namespace redbench
