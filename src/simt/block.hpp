// A block of threads on one OS thread: lanes as fibers, warps as masks of lanes, and what they wait for.
#pragma once

#include <setjmp.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/variant.hpp"
#include "src/simt/context.hpp"
#include "src/simt/faults.hpp"
#include "src/simt/language.hpp"
#include "src/simt/launch.hpp"
#include "src/simt/ready.hpp"
#include "src/simt/shared_memory.hpp"
#include "src/simt/stacks.hpp"

namespace redbench::simt {

inline constexpr int warp_lanes = 32;
inline constexpr int max_block_threads = 1024;
inline constexpr int named_barriers = 16;  // 0 is __syncthreads

inline constexpr const char* stack_overflow = "its stack of 64 KiB overflowed: a large local array?";

enum class Wait : std::uint8_t { nothing, collective, block_barrier, named_barrier, grid_barrier, ended };

/// One CUDA thread.
struct Lane {
  Context context = nullptr;    // while it is suspended
  const void* where = nullptr;  // where the call that it is in returns to
  std::uint64_t value = 0;      // what it brings to a collective,
  std::uint64_t argument = 0;
  std::uint64_t result = 0;  // and what it gets
  unsigned mask = 0;
  unsigned number = 0;  // in the block
  WarpOp op{};
  Wait wait = Wait::nothing;
  std::uint8_t barrier = 0;  // id of the named barrier that it waits at
};

/// Lanes of one warp that have come together under one mask.
struct Group {
  unsigned mask, arrived;
  WarpOp op;
};

/// Sets of lanes are masks, bit i for lane i.
struct Warp {
  unsigned live = 0;  // not ended
  int groups_open = 0;
  std::array<Group, warp_lanes> groups;  // collectives under way: their masks differ
};

struct BlockBarrier {
  int arrived = 0;
  int sum = 0;     // of the predicates so far
  int result = 0;  // of the last barrier that was passed
  BlockVote vote{};
  const void* where = nullptr;  // of the first to arrive
  std::array<Lane*, max_block_threads> waiting;
};

struct NamedBarrier {
  int arrived = 0, expected = 0;
  const void* where = nullptr;
  std::vector<Lane*> waiting;
};

class Watch;

/// What the current lane's code asks for all the time, by OS thread. `lane` is null outside a kernel.
struct Running {
  Lane* lane = nullptr;
  Watch* watch = nullptr;  // null: nothing looks on
  class Worker* worker = nullptr;
  unsigned block = 0, threads = 0, blocks = 0;
  void* dynamic_shared = nullptr;
};
extern constinit thread_local Running running;

/// One OS thread's part of the modelled device: it runs one block at a time, from start to end.
class Worker {
 public:
  Worker();
  ~Worker();
  Worker(const Worker&) = delete;

  /// Runs the blocks that `launch` hands out until there is none left, or until an error stops the launch.
  void run(Launch& launch);

  // For the kernel language, on the stack of the calling lane.

  Lane& lane() { return *running.lane; }
  Warp& warp_of(const Lane& lane) { return warps_[lane.number / warp_lanes]; }
  Lane& lane_of(const Warp& warp, int lane) { return lanes_[(&warp - warps_.data()) * warp_lanes + lane]; }

  /// Lets others run until somebody makes this lane runnable.
  void suspend(Lane& self, Wait wait);
  /// Lets all others run that can.
  void yield();

  int block_barrier(BlockVote vote, int predicate, const void* where);
  std::uint64_t collective(WarpOp op, unsigned mask, std::uint64_t value, std::uint64_t argument,
                           const void* where);
  void named_barrier(int id, int threads, bool waits, const void* where);
  void grid_barrier(const void* where);

  /// Ends the launch with an error of the current lane, at the line of the call that returns to `where`.
  /// `what` is asked for on the OS thread's own stack.
  [[noreturn]] void fail(const void* where, const std::function<std::string()>& what);

  /// From the signal handler of this OS thread, while a lane runs.
  [[noreturn]] void escape(const Fault& fault);

 private:
  // scheduler.cpp
  void run_block(Index block);
  void start_block(Index block);
  Lane* pick();
  void transfer(Context& from, Lane* to);
  void switch_to(Context& from, Context& target, Lane* to);
  void start_lane(Context& from, Lane* to);
  void run_lanes();
  void lane_ended(Lane& lane);
  void abandon();
  void run_until_stuck();
  void on_own_stack(const std::function<void()>& errand);
  std::uint32_t random();
  int lane_in_warp(const Lane& lane) const { return int(lane.number % warp_lanes); }

  // collectives.cpp
  [[noreturn, gnu::cold]] void refuse_collective(WarpOp op, unsigned mask, std::uint64_t argument);
  [[noreturn, gnu::cold]] void refuse_mismatch(WarpOp op, unsigned mask, const Lane& other);
  bool complete(Warp& warp, Group& group);
  void make_ready(Warp& warp, unsigned lanes);
  void recheck_collectives(Warp& warp);
  // barriers.cpp
  [[gnu::noinline]] void check_same_barrier(BlockVote vote, const void* where);
  void release_block_barrier(int count);
  // reports.cpp
  void report(const std::string& what, const Lane* lane = nullptr, const void* where = nullptr);
  std::string deadlock_report() const;
  void report_fault();

  Launch* launch_ = nullptr;
  StackPool stacks_;
  std::vector<Context> idle_;                      // fibers that wait for a lane to run
  Context main_ = nullptr;                         // this OS thread's own, while a lane runs
  Context* slot_ = nullptr;                        // where the context that a switch leaves is to be kept
  const std::function<void()>* errand_ = nullptr;  // that errand_lane_ waits for
  Lane* errand_lane_ = nullptr;
  sigjmp_buf escape_;  // out of a fault, back to the OS thread's own stack

  std::array<Lane, max_block_threads> lanes_;
  std::array<Warp, max_block_threads / warp_lanes> warps_;
  ReadyLanes<max_block_threads> ready_;
  unsigned groups_freed_ = 0;
  int live_ = 0;
  int at_grid_barrier_ = 0;
  bool failed_ = false;
  std::uint32_t random_ = 0;
  BlockBarrier barrier_;
  std::pair<const void*, const void*> same_barrier_;  // two calls that were found to be of one line
  std::array<NamedBarrier, named_barriers> named_;
  bool named_used_ = false;

  std::byte* const thread_storage_;
  SharedArena shared_;
  FaultStack fault_stack_;
  Fault fault_;
};

/// The calling OS thread's worker, made when first asked for.
Worker& this_worker();

}  // namespace redbench::simt
