// Runs a block of threads on one OS thread: threads as fibers, warps as masks of lanes, and their barriers.
// A lane is the place of a thread in its warp, 0 to 31. A set of lanes is a mask, bit i for lane i.
#pragma once

#include <setjmp.h>

#include <array>
#include <bit>
#include <boost/context/detail/fcontext.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/contract/simt_language.hpp"
#include "kernels/variant.hpp"
#include "src/simt/launch.hpp"
#include "src/simt/memory.hpp"
#include "src/simt/stacks.hpp"

namespace redbench::simt {

inline constexpr int warp_lanes = 32;
inline constexpr int max_block_threads = 1024;
inline constexpr int named_barriers = 16;  // 0 is __syncthreads

/// Calls `visit` with the number of each lane of the set, from the lowest.
template <class Visit>
void for_lanes(unsigned lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1) visit(unsigned(std::countr_zero(lanes)));
}
/// Calls visit(lanes, key) for each part of the set whose lanes have the same key(lane).
template <class Key, class Visit>
void for_groups(unsigned lanes, Key key, Visit visit) {
  while (lanes) {
    const auto first = key(unsigned(std::countr_zero(lanes)));
    unsigned same = 0;
    for_lanes(lanes, [&](unsigned lane) { same |= unsigned(key(lane) == first) << lane; });
    visit(same, first);
    lanes &= ~same;
  }
}

inline constexpr const char* stack_overflow = "its stack of 64 KiB overflowed: a large local array?";

/// A suspended fiber: Boost.Context's pointer into its stack. To drop one, forget the pointer: its stack is
/// never unwound.
using Context = boost::context::detail::fcontext_t;

enum class Wait : std::uint8_t { nothing, collective, block_barrier, named_barrier, grid_barrier, ended };

/// One CUDA thread.
struct Thread {
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

/// The runnable threads of a block, in the order in which they will run: a ring, which has each at most once.
class ReadyThreads {
 public:
  bool empty() const { return head_ == tail_; }
  void clear() { head_ = tail_ = 0; }
  void push_back(Thread* thread) { at(tail_++) = thread; }
  void push_front(Thread* thread) { at(--head_) = thread; }
  Thread* pop() { return at(head_++); }
  /// The thread that pop would return; an arbitrary one, or null, if the ring is empty.
  Thread* next() { return at(head_); }
  /// Swaps the first thread with the one at `random` modulo the number of threads.
  void bring_forward(std::uint32_t random) { std::swap(at(head_), at(head_ + random % (tail_ - head_))); }

 private:
  Thread*& at(unsigned position) { return ring_[position % max_block_threads]; }
  std::array<Thread*, max_block_threads> ring_{};
  unsigned head_ = 0, tail_ = 0;  // wrap around
};

/// A collective under way in a warp: the lanes that take part, and those of them that have arrived.
struct Group {
  unsigned mask, arrived;
  WarpOp op;
};

struct Warp {
  unsigned live = 0;  // not ended
  int groups_open = 0;
  std::array<Group, warp_lanes> groups;  // with different masks
};

struct BlockBarrier {
  int arrived = 0;
  int sum = 0;     // predicates so far
  int result = 0;  // of the last complete barrier
  BlockVote vote{};
  const void* where = nullptr;  // of the first to arrive
  std::array<Thread*, max_block_threads> waiting;
};

/// Counts whole warps: one has arrived when all of its lanes have that have not ended.
struct NamedBarrier {
  int arrived = 0, expected = 0;  // threads
  const void* where = nullptr;
  std::array<unsigned, max_block_threads / warp_lanes> lanes{};  // that came, of warps that have not arrived
  std::vector<Thread*> waiting;
};

class Watch;

/// State of an OS thread that kernels need all the time. `thread` is null outside a kernel.
struct Running {
  Thread* thread = nullptr;
  Watch* watch = nullptr;  // null: the launch is not observed
  class BlockRunner* runner = nullptr;
  unsigned block = 0, threads = 0, blocks = 0;
  void* dynamic_shared = nullptr;
};
extern constinit thread_local Running running;

/// Runs blocks on one OS thread, one at a time, each from start to end.
class BlockRunner {
 public:
  BlockRunner();
  ~BlockRunner();
  BlockRunner(const BlockRunner&) = delete;

  /// Runs the blocks that `launch` hands out, until all have started or an error stops the launch.
  void run(Launch& launch);

  // For the kernel language, on the stack of the calling thread.

  Thread& current() { return *running.thread; }
  Warp& warp_of(const Thread& thread) { return warps_[thread.number / warp_lanes]; }
  Thread& thread_of(const Warp& warp, int lane) {
    return threads_[(&warp - warps_.data()) * warp_lanes + lane];
  }

  /// Runs other threads until one of them makes this thread runnable.
  void suspend(Thread& self, Wait wait);
  /// Runs all other threads that can run.
  void yield();

  int block_barrier(BlockVote vote, int predicate, const void* where);
  std::uint64_t collective(WarpOp op, unsigned mask, std::uint64_t value, std::uint64_t argument,
                           const void* where);
  void named_barrier(int id, int threads, bool waits, const void* where);
  void grid_barrier(const void* where);

  /// Ends the launch with an error of the current thread, at the line of the call that returns to `where`.
  /// `what` is called on the OS thread's own stack.
  [[noreturn]] void fail(const void* where, const std::function<std::string()>& what);

  /// From the signal handler of this OS thread, while a thread of the block runs.
  [[noreturn]] void escape(const Fault& fault);

 private:
  // scheduler.cpp
  void run_block(Index block);
  void start_block(Index block);
  Thread* pick();
  void transfer(Context& from, Thread* to);
  void switch_to(Context& from, Context& target, Thread* to);
  void start_thread(Context& from, Thread* to);
  void run_threads();
  void thread_ended(Thread& thread);
  void abandon();
  void run_until_stuck();
  void on_own_stack(const std::function<void()>& errand);
  std::uint32_t random();
  int lane_of(const Thread& thread) const { return int(thread.number % warp_lanes); }

  // collectives.cpp
  [[noreturn, gnu::cold]] void fail_collective(WarpOp op, unsigned mask, std::uint64_t argument);
  [[noreturn, gnu::cold]] void fail_mismatch(WarpOp op, unsigned mask, const Thread& other);
  bool complete(Warp& warp, Group& group);
  void make_ready(Warp& warp, unsigned lanes);
  void recheck_collectives(Warp& warp);
  // barriers.cpp
  [[gnu::noinline]] void check_same_barrier(BlockVote vote, const void* where);
  void open_block_barrier(int count);
  bool open_named_barrier(int id, unsigned warp);
  // reports.cpp
  void report(const std::string& what, const Thread* thread = nullptr, const void* where = nullptr);
  std::string deadlock_report() const;
  void report_fault();

  Launch* launch_ = nullptr;
  StackPool stacks_;
  std::vector<Context> idle_;                      // fibers that wait for a thread to run
  Context main_ = nullptr;                         // the OS thread's own, while a thread of the block runs
  Context* save_to_ = nullptr;                     // where a switch stores the suspended context
  const std::function<void()>* errand_ = nullptr;  // runs on the OS thread's own stack, for errand_thread_
  Thread* errand_thread_ = nullptr;
  sigjmp_buf escape_;  // out of a fault, back to the OS thread's own stack

  std::array<Thread, max_block_threads> threads_;
  std::array<Warp, max_block_threads / warp_lanes> warps_;
  ReadyThreads ready_;
  unsigned groups_freed_ = 0;
  int live_ = 0;
  int at_grid_barrier_ = 0;
  bool failed_ = false;
  std::uint32_t random_ = 0;
  BlockBarrier barrier_;
  std::pair<const void*, const void*> same_barrier_;  // two calls of one source line
  std::array<NamedBarrier, named_barriers> named_;
  bool named_used_ = false;

  std::byte* thread_storage_ = nullptr;  // that the running launch's kernel has on this OS thread
  SharedArena shared_;
  FaultStack fault_stack_;
  Fault fault_;
};

/// The runner of the calling OS thread, made at the first call.
BlockRunner& this_runner();

/// CUDA's name: "__shfl_down_sync".
std::string_view name_of(WarpOp op);
/// "__ballot_sync with mask 0xffffffff (kernels/x.cu:12)", for a thread that waits.
std::string describe_wait(const Thread& thread);

}  // namespace redbench::simt
