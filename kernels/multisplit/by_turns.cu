#include "kernels/multisplit/turn_places.hpp"

namespace redbench {
namespace {

template <bool pairs>
__global__ void __launch_bounds__(most_turn_threads, 2) place_and_move(KeySplit x, FindEqual find, int bits) {
  for_each_place<pairs>(x, find, bits, [&](Index, u32 key, u32 value, u32 place) {
    x.out.keys[place] = key;
    if (pairs) x.out.values[place] = value;
  });
}

struct by_turns {
  static constexpr Card card{.title = "places by turns, and each key stored from where it was read",
                             .source = "multiscan/by_turns on ones, and the move in its last launch",
                             .order = Order::any,
                             .maximum_n = most_of_32_bits,
                             .parameters = {{place_chains}}};

  template <class Op>
  static void run(Queue& queue, const Multisplit<Op>& x) {
    if (x.n == 0) return;
    TurnSplit turns(queue, x);
    turns.grid.bytes_read = turns.grid.bytes_written = x.input_bytes();
    launch(queue, turns.grid, x.pairs ? place_and_move<true> : place_and_move<false>, turns.split, turns.find,
           turns.bits);
  }
};

}  // namespace
REDBENCH_VARIANT(Multisplit, by_turns)
}  // namespace redbench
