// Threads run until they have to wait. A fiber whose thread ends takes the next thread that has not started,
// so kernels without barriers never switch; a thread that waits switches straight to the next one.

#include <sched.h>

#include <memory>
#include <utility>

#include "src/error.hpp"
#include "src/simt/switching.hpp"
#include "src/simt/watch.hpp"

namespace redbench::simt {

constinit thread_local Running running;

namespace {

unsigned bit(int lane) { return 1u << lane; }

/// A well-mixed, non-zero state for one block of a seed's schedule (splitmix64).
std::uint32_t random_state(std::uint64_t seed, Index block) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15 + std::uint64_t(block + 1) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  return std::uint32_t(x ^ x >> 31) | 1;
}

}  // namespace

BlockRunner::BlockRunner() {
  for (int i = 0; i < max_block_threads; ++i) threads_[i].number = i;
  running.runner = this;
}

BlockRunner::~BlockRunner() {
  abandon();
  running.runner = nullptr;
}

BlockRunner& this_runner() {
  thread_local const std::unique_ptr<BlockRunner> runner = std::make_unique<BlockRunner>();
  return *runner;
}

void BlockRunner::run(Launch& launch) {
  launch_ = &launch;
  thread_storage_ = thread_storage(launch.source);
  const std::unique_ptr<Watch> watch = launch.make_watch ? launch.make_watch(launch) : nullptr;
  running.watch = watch.get();
  if (sigsetjmp(escape_, 0) == 0) {
    for (Index block; (block = launch.next_block()) >= 0;) run_block(block);
  } else {
    report_fault();
    abandon();
  }
  running.watch = nullptr;
  launch_ = nullptr;
}

void BlockRunner::escape(const Fault& fault) {
  fault_ = fault;
  siglongjmp(escape_, 1);
}

void BlockRunner::start_block(Index block) {
  const Grid& grid = launch_->grid();
  live_ = grid.threads;
  ready_.clear();
  for (int first = 0; first < live_; first += warp_lanes) {
    Warp& warp = warps_[first / warp_lanes];
    const int lanes = std::min(live_ - first, warp_lanes);
    warp.live = lanes == warp_lanes ? full_mask : bit(lanes) - 1;
    warp.groups_open = 0;
    for (int lane = 0; lane < lanes; ++lane) ready_.push_back(&threads_[first + lane]);
  }
  barrier_.arrived = 0;
  groups_freed_ = 0;
  at_grid_barrier_ = 0;
  if (std::exchange(named_used_, false)) named_.fill({});
  failed_ = false;
  random_ = launch_->schedule.seed ? random_state(launch_->schedule.seed, block) : 0;
  running.block = unsigned(block);
  running.threads = unsigned(grid.threads);
  running.blocks = unsigned(grid.blocks);
  running.dynamic_shared =
      shared_.start_block(grid.shared_bytes, launch_->source, thread_storage_, launch_->schedule.seed);
  if (running.watch)
    running.watch->start_block({block, grid.threads, shared_.base(), shared_.bytes(), thread_storage_});
}

/// Runs threads, and the errands for which they need this stack, until no thread of the block can run.
void BlockRunner::run_until_stuck() {
  for (Thread* next = pick();;) {
    transfer(main_, next);
    if (!errand_) return;
    next = errand_thread_;
    (*std::exchange(errand_, nullptr))();
    if (failed_) return;
  }
}

void BlockRunner::on_own_stack(const std::function<void()>& errand) {
  errand_ = &errand;
  errand_thread_ = running.thread;
  transfer(errand_thread_->context, nullptr);
}

void BlockRunner::run_block(Index block) {
  start_block(block);
  for (;;) {
    run_until_stuck();
    if (failed_ || launch_->stopped()) {
      launch_->fail_with_others();
      return abandon();
    }
    if (live_ == 0) break;
    if (at_grid_barrier_ != live_) {
      report(deadlock_report());
      return abandon();
    }
    if (!launch_->grid_barrier(block)) return abandon();
    at_grid_barrier_ = 0;
    if (running.watch) {
      running.watch->block_met();
      running.watch->grid_met();
    }
    for (Thread& thread : threads_)
      if (thread.context) ready_.push_back(&thread);
  }
  if (running.watch) running.watch->end_block();
  if (const std::string damage = shared_.damage(); !damage.empty()) report(damage);
  launch_->block_ended();
}

std::uint32_t BlockRunner::random() {  // Marsaglia's xorshift
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  return random_ ^= random_ << 5;
}

void BlockRunner::start_thread(Context& from, Thread* to) {
  Context fiber = nullptr;
  if (!idle_.empty()) {
    fiber = idle_.back();
    idle_.pop_back();
  } else {
    try {
      fiber = boost::context::detail::make_fcontext(stacks_.allocate(), stack_bytes,
                                                    [](boost::context::detail::transfer_t caller) {
                                                      BlockRunner& runner = *running.runner;
                                                      *runner.save_to_ = caller.fctx;
                                                      runner.run_threads();
                                                    });
    } catch (const DeviceError& error) {  // no memory for a stack
      report(error.what());
      failed_ = true;
      if (main_) switch_to(from, main_, nullptr);
      return;
    }
  }
  switch_to(from, fiber, to);
}

void BlockRunner::run_threads() {
  const std::uint64_t* const canary = stacks_.canary_of(__builtin_frame_address(0));
  for (;;) {
    Thread& thread = *running.thread;
    thread.wait = Wait::nothing;
    launch_->call.invoke(launch_->call.function, launch_->call.arguments);
    if (canary && !StackPool::is_whole(canary)) fail(nullptr, [] { return stack_overflow; });
    thread_ended(thread);

    Thread* const next = pick();
    if (next && !next->context) {
      running.thread = next;
    } else {
      idle_.emplace_back();
      switch_to(idle_.back(), next ? next->context : main_, next);
    }
  }
}

void BlockRunner::thread_ended(Thread& thread) {
  Warp& warp = warp_of(thread);
  thread.wait = Wait::ended;
  if (running.watch) running.watch->ends(thread);
  warp.live &= ~bit(lane_of(thread));
  --live_;
  if (barrier_.arrived && barrier_.arrived == live_) open_block_barrier(live_);
  if (warp.groups_open) recheck_collectives(warp);
  for (int id = 1; named_used_ && id < named_barriers; ++id)
    open_named_barrier(id, thread.number / warp_lanes);
}

void BlockRunner::yield() {
  Thread& self = current();
  if (launch_->stopped()) {  // the thread may spin for something that never comes
    failed_ = true;
    transfer(self.context, nullptr);
  }
  if (ready_.empty()) {
    sched_yield();
    return;
  }
  self.wait = Wait::nothing;
  Thread* const next = pick();
  ready_.push_back(&self);
  transfer(self.context, next);
}

void BlockRunner::fail(const void* where, const std::function<std::string()>& what) {
  const Thread& self = current();
  on_own_stack([&] {
    report(what(), &self, where);
    failed_ = true;
  });
  __builtin_unreachable();
}

void BlockRunner::abandon() {
  for (Thread& thread : threads_) thread.context = nullptr;
  idle_.clear();
  main_ = nullptr;
  stacks_.reclaim_all();
  running.thread = nullptr;
}

}  // namespace redbench::simt
