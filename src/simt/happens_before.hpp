// Which accesses of a block's threads are ordered, by vector clocks. Barriers and __syncwarp order memory;
// shuffles, votes, matches and reductions of a warp do not (CUDA C++ Programming Guide, warp shuffle
// functions).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/simt/block.hpp"

namespace redbench::simt {

/// The lanes' clocks. A lane's own runs on where it tells others what it has done; an access carries its
/// lane's clock, and is ordered before all that later lanes do which have been told of that clock.
///
/// A barrier of the whole block starts a phase: what was before is ordered before all that comes, and the
/// clocks begin anew.
class LaneClocks {
 public:
  void start_block(int threads);
  void new_phase() { ++phase_; }
  /// Never 0, and never the same again.
  std::uint32_t phase() const { return phase_; }

  /// From 1.
  std::uint32_t clock_of(unsigned lane) { return row(lane)[lane]; }
  /// Whether `lane` has been told what `other` had done at its `clock`, in this phase.
  bool knows(unsigned lane, unsigned other, std::uint32_t clock) {
    if (lane == other) return true;
    const std::uint32_t* const known = row(lane);
    return (same_warp(lane, other) || knows_others_[lane]) && known[other] >= clock;
  }

  /// These lanes of a warp have met: each is told what all of them know.
  void join_warp(unsigned warp, unsigned lanes);
  /// The lane tells a named barrier what it knows.
  void arrive(unsigned lane, int id);
  /// The named barrier tells those that waited what it was told, and forgets it.
  void release(int id, std::span<Lane* const> waited);

 private:
  struct NamedClock {
    std::vector<std::uint32_t> known;
    std::uint32_t phase = 0;  // in which it holds anything
  };

  static bool same_warp(unsigned a, unsigned b) { return a / warp_lanes == b / warp_lanes; }
  std::uint32_t* row(unsigned lane) {
    if (row_phase_[lane] != phase_) [[unlikely]]
      begin_row(lane);
    return &rows_[std::size_t(lane) * stride_];
  }
  void begin_row(unsigned lane);
  void widen_row(unsigned lane);

  unsigned stride_ = 0;  // lanes, in whole warps
  std::uint32_t phase_ = 0;
  std::unique_ptr<std::uint32_t[]>
      rows_;  // what each lane knows of each; of other warps only where knows_others_
  std::array<std::uint32_t, max_block_threads> row_phase_{};
  std::array<bool, max_block_threads> knows_others_{};
  std::array<NamedClock, named_barriers> named_;
};

}  // namespace redbench::simt
