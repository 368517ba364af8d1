// Lanes run until they block. A fiber whose lane ends takes the next lane that has not started, so kernels
// without barriers never switch; a lane that blocks switches straight to the next one.

#include <sched.h>

#include <memory>
#include <new>
#include <utility>

#include "src/error.hpp"
#include "src/simt/switching.hpp"

namespace redbench::simt {

constinit thread_local Running running;

namespace {

unsigned bit(int lane) { return 1u << lane; }

/// Forgets a fiber without unwinding its stack, which the pool takes back.
void drop(boost::context::fiber& fiber) { new (&fiber) boost::context::fiber(); }

/// A well-mixed, non-zero state for one block of a seed's schedule (splitmix64).
std::uint32_t random_state(std::uint64_t seed, Index block) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15 + std::uint64_t(block + 1) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return std::uint32_t(x ^ x >> 31) | 1;
}

}  // namespace

Worker::Worker() : thread_storage_(simt::thread_storage()) {
  for (int i = 0; i < max_block_threads; ++i) lanes_[i].number = i;
  running.worker = this;
}

Worker::~Worker() {
  abandon();
  running.worker = nullptr;
}

Worker& this_worker() {
  thread_local const std::unique_ptr<Worker> worker = std::make_unique<Worker>();
  return *worker;
}

void Worker::run(Launch& launch) {
  launch_ = &launch;
  if (sigsetjmp(escape_, 0) == 0) {
    for (Index block; (block = launch.next_block()) >= 0;) run_block(block);
  } else {
    report_fault();
    abandon();
  }
  launch_ = nullptr;
}

void Worker::escape(const Fault& fault) {
  fault_ = fault;
  siglongjmp(escape_, 1);
}

void Worker::start_block(Index block) {
  const Grid& grid = launch_->grid();
  live_ = grid.threads;
  warp_ = warp_lanes - 1;
  runnable_warps_ = 0;
  for (int first = 0; first < live_; first += warp_lanes) {
    Warp& warp = warps_[first / warp_lanes];
    const int lanes = std::min(live_ - first, warp_lanes);
    warp.live = lanes == warp_lanes ? full_mask : bit(lanes) - 1;
    warp.runnable = warp.at_block_barrier = 0;
    warp.last = warp_lanes - 1;
    warp.groups_open = 0;
    make_runnable(warp, warp.live);
  }
  barrier_ = {};
  at_grid_barrier_ = 0;
  if (std::exchange(named_used_, false)) named_ = {};
  failed_ = false;
  random_ = launch_->schedule.seed ? random_state(launch_->schedule.seed, block) : 0;
  running.block = unsigned(block);
  running.threads = unsigned(grid.threads);
  running.blocks = unsigned(grid.blocks);
  running.dynamic_shared =
      shared_.start_block(grid.shared_bytes, launch_->source, thread_storage_, launch_->schedule.seed);
}

void Worker::run_block(Index block) {
  start_block(block);
  for (;;) {
    transfer(main_, pick());
    if (failed_ || launch_->stopped()) return abandon();
    if (live_ == 0) break;
    if (at_grid_barrier_ != live_) {
      report(deadlock_report(), nullptr);
      return abandon();
    }
    if (!launch_->grid_barrier(block)) return abandon();
    at_grid_barrier_ = 0;
    for (int first = 0; first < launch_->grid().threads; first += warp_lanes)
      make_runnable(warps_[first / warp_lanes], warps_[first / warp_lanes].live);
  }
  if (const std::string damage = shared_.damage(); !damage.empty()) report(damage, nullptr);
  launch_->block_ended();
}

std::uint32_t Worker::random() {  // Marsaglia's xorshift
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  return random_ ^= random_ << 5;
}

Lane* Worker::pick_at_random() {
  const int w = next_bit(runnable_warps_, int(random() & 31));
  return pick_of(w, next_bit(warps_[w].runnable, int(random() & 31)));
}

void Worker::start_lane(Fiber& from, Lane* to) {
  Fiber fiber;
  if (!idle_.empty()) {
    fiber = std::move(idle_.back());
    idle_.pop_back();
  } else {
    try {
      fiber = Fiber(std::allocator_arg, StackAllocator{&stacks_},
                    [this](Fiber&& caller) { return run_lanes(std::move(caller)); });
    } catch (const DeviceError& error) {  // no memory for a stack
      report(error.what(), nullptr);
      failed_ = true;
      if (main_) switch_to(from, main_, nullptr);
      return;
    }
  }
  switch_to(from, fiber, to);
}

Worker::Fiber Worker::run_lanes(Fiber&& from) {
  *slot_ = std::move(from);
  const std::uint64_t* const canary = stacks_.canary_of(__builtin_frame_address(0));
  for (;;) {
    Lane& lane = *running.lane;
    lane.wait = Wait::nothing;
    launch_->call.invoke(launch_->call.function, launch_->call.arguments);
    if (canary && !StackPool::is_whole(canary)) fail(stack_overflow, nullptr);
    lane_ended(lane);

    Lane* const next = pick();
    if (next && !next->context) {
      running.lane = next;
    } else {
      idle_.emplace_back();
      switch_to(idle_.back(), next ? next->context : main_, next);
    }
  }
}

void Worker::lane_ended(Lane& lane) {
  Warp& warp = warp_of(lane);
  lane.wait = Wait::ended;
  warp.live &= ~bit(lane_in_warp(lane));
  --live_;
  if (barrier_.arrived && barrier_.arrived == live_) release_block_barrier();
  if (warp.groups_open) recheck_collectives(warp);
}

void Worker::yield() {
  Lane& self = lane();
  if (launch_->stopped()) {  // what it spins for may never come
    failed_ = true;
    transfer(self.context, nullptr);
  }
  if (!runnable_warps_) {
    sched_yield();
    return;
  }
  // Another warp first: a spin of one warp must not keep the others from what it waits for.
  if (!random_) warp_ = next_bit(runnable_warps_, warp_);
  Lane* const next = pick();
  make_runnable(warp_of(self), bit(lane_in_warp(self)));
  transfer(self.context, next);
}

void Worker::fail(const std::string& what, const void* where) {
  report(what, where);
  failed_ = true;
  transfer(lane().context, nullptr);
  __builtin_unreachable();
}

void Worker::abandon() {
  for (Lane& lane : lanes_) drop(lane.context);
  for (Fiber& fiber : idle_) drop(fiber);
  drop(main_);
  idle_.clear();
  stacks_.reclaim_all();
  running.lane = nullptr;
}

}  // namespace redbench::simt
