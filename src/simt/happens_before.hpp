// The happens-before order of a block's threads, by vector clocks. Barriers and __syncwarp order memory;
// shuffles, votes, matches and reductions of a warp do not (CUDA C++ Programming Guide, warp shuffle
// functions).
//
// Each thread has a clock, which goes up whenever others learn what the thread has done, and a row: for each
// thread of the block, the clock up to which it knows that thread's accesses. An access is stamped with its
// thread's clock. It happens before an access of another thread whose row has come that far; otherwise
// nothing orders the two.
//
// Example: threads 0 and 1 of a warp, whose rows begin as [1 0] and [0 1].
//
//   thread 0 writes x               stamp: thread 0, clock 1
//   thread 1 reads x                its row [0 1] has 0 for thread 0, less than 1: not ordered
//   both call __syncwarp (a join)   both learn [1 1], then each clock goes up: rows [2 1] and [1 2]
//   thread 1 reads x                its row has 1 for thread 0: ordered after the write. Stamp: thread 1,
//                                   clock 2
//   thread 0 writes x               its row has 1 for thread 1, less than 2: not ordered after that read
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/simt/block.hpp"

namespace redbench::simt {

/// Clocks and rows of the threads of one block, by their numbers in it.
///
/// A barrier of the whole block orders everything before it before everything after it. So it starts a new
/// phase, in which the clocks begin at 1 again; stamps of earlier phases need not be compared. Once a thread
/// has ended, a barrier is a named one of the others, 0: they learn what any of them knows, in the same
/// phase.
class ThreadClocks {
 public:
  void start_block(int threads);
  void end(unsigned thread) { ended_[thread] = true; }
  bool missed_barrier(unsigned thread) const { return missed_[thread]; }
  /// A barrier of all threads that have not ended.
  void meet();
  /// Never 0, and never the same again.
  std::uint32_t phase() const { return phase_; }

  /// From 1: the stamp of what the thread does next.
  std::uint32_t clock_of(unsigned thread) { return row(thread)[thread]; }
  /// Whether what `other` did at its `clock`, in this phase, is ordered before what `thread` does next.
  bool knows(unsigned thread, unsigned other, std::uint32_t clock) {
    if (thread == other) return true;
    const std::uint32_t* const known = row(thread);
    return (same_warp(thread, other) || is_whole_[thread]) && known[other] >= clock;
  }

  /// Gives the thread's next accesses a later stamp than those so far.
  void advance(unsigned thread) { ++row(thread)[thread]; }
  /// The thread's row, if it has heard of other warps; else nothing.
  std::span<const std::uint32_t> whole_row(unsigned thread) {
    return {row(thread), is_whole_[thread] ? stride_ : 0};
  }
  /// The part of the thread's row that is of its own warp.
  std::span<const std::uint32_t, warp_lanes> warp_row(unsigned thread) {
    return std::span<const std::uint32_t, warp_lanes>(row(thread) + thread / warp_lanes * warp_lanes,
                                                      warp_lanes);
  }

  /// A __syncwarp of these lanes of a warp: each learns what any of them knows.
  void join(unsigned warp, unsigned lanes);
  /// The thread arrives at a named barrier, which learns what the thread knows.
  void release(unsigned thread, int id);
  /// The named barrier opens for these threads: each learns what the barrier has learnt, which then forgets
  /// it.
  void acquire(int id, std::span<Thread* const> threads);

 private:
  struct NamedClock {
    std::vector<std::uint32_t> known;
    std::uint32_t phase = 0;  // of `known`; in any other phase nothing was released yet
  };

  static bool same_warp(unsigned a, unsigned b) { return a / warp_lanes == b / warp_lanes; }
  std::uint32_t* row(unsigned thread) {
    if (row_phase_[thread] != phase_) [[unlikely]]
      begin_row(thread);
    return &rows_[std::size_t(thread) * stride_];
  }
  void begin_row(unsigned thread);
  void make_whole(unsigned thread);

  unsigned stride_ = 0;  // threads, in whole warps
  std::uint32_t phase_ = 0;
  // A row for each thread. Most threads hear of their own warp alone: a row that is not whole has only that
  // part.
  std::unique_ptr<std::uint32_t[]> rows_;
  std::array<std::uint32_t, max_block_threads> row_phase_{};  // in which the row holds
  std::array<bool, max_block_threads> is_whole_{};
  std::array<NamedClock, named_barriers> named_;
  std::bitset<max_block_threads> ended_, missed_;
};

}  // namespace redbench::simt
