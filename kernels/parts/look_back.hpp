// Decoupled look-back (Merrill and Garland 2016): how tiles of the input, each read once, learn what comes
// before them. A tile tells its own reduction as soon as it has it, and what it makes with all before it once
// that is known; a tile behind it takes either. Value and status share a word, so that no fence comes between.
// Tiles are taken by ticket, so that a tile waits only for tiles that a running block has.
#pragma once

#include "kernels/parts/block_scan.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// What a tile has told: nothing; the reduction of its own values, to which that of the tiles before it is to be
/// added; or all that comes before the next tile.
struct TileStatus {
  static constexpr u32 none = 0, partial = 1, complete = 2;
};

/// States of tiles, and the tickets by which blocks take them.
template <class T>
struct TileStates {
  using Word = unsigned long long;  // four bytes of a value, above them the status
  static constexpr int words = (int(sizeof(T)) + 3) / 4;

  struct State {
    T value;
    u32 status;
  };

  Word* memory;  // [0] is the number of tickets taken; `words` for each tile follow

  /// Cleared by a launch.
  static TileStates scratch(Queue& queue, Index tiles) {
    const Index count = 1 + tiles * words;
    const TileStates states{queue.scratch<Word>(count)};
    fill(queue, states.memory, count, Word(0));
    return states;
  }

  /// The next tile, in the order in which threads call.
  __device__ __forceinline__ Index take() const { return Index(atomicAdd(memory, Word(1))); }

  __device__ __forceinline__ void tell(Index tile, u32 status, T value) const {
    u32 word[words]{};
    memcpy(word, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < words; ++i) relaxed_store(at(tile) + i, Word(status) << 32 | word[i]);
  }

  /// A value whose words disagree about the status is being replaced: nothing is known.
  __device__ __forceinline__ State look(Index tile) const {
    Word word[words];
    u32 bytes[words];
#pragma unroll
    for (int i = 0; i < words; ++i) word[i] = *static_cast<volatile Word*>(at(tile) + i);
    State state{{}, u32(word[0] >> 32)};
#pragma unroll
    for (int i = 0; i < words; ++i) {
      if (word[i] >> 32 != word[0] >> 32) state.status = TileStatus::none;
      bytes[i] = u32(word[i]);
    }
    memcpy(&state.value, bytes, sizeof(T));
    return state;
  }

 private:
  __device__ Word* at(Index tile) const { return memory + 1 + tile * words; }
};

/// The reduction, in order, of what comes before `tile` > 0. All lanes of a warp call, and look at 32 tiles at a
/// time, from the nearest ones back to one that is complete; `pause`: nanoseconds between two looks.
template <class Op>
__device__ __forceinline__ typename Op::Value reduce_earlier(TileStates<typename Op::Value> states,
                                                             Index tile, unsigned pause) {
  using T = typename Op::Value;
  const int lane = threadIdx.x % warp_size;
  T before = Op::identity();
  unsigned complete = 0;
  for (Index own = tile - warp_size + lane; complete == 0; own -= warp_size) {
    T value = Op::identity();
    while (true) {
      const auto state = own >= 0 ? states.look(own) : typename TileStates<T>::State{value, TileStatus::none};
      complete = __ballot_sync(full_mask, state.status == TileStatus::complete);
      const bool counts = complete >> lane < 2;  // no complete tile lies behind the lane's
      if (!__any_sync(full_mask, counts && state.status == TileStatus::none)) {
        if (counts) value = state.value;
        break;
      }
      __nanosleep(pause);
    }
    before = Op()(shuffle(full_mask, warp_inclusive_scan<Op>(value), warp_size - 1), before);
  }
  return before;
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
