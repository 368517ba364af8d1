#include "src/simt/launch.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <latch>
#include <limits>
#include <system_error>
#include <thread>
#include <vector>

#include "src/error.hpp"
#include "src/simt/block.hpp"
#include "src/simt/occupancy.hpp"
#include "src/simt/shadow_pages.hpp"

namespace redbench::simt {
namespace {

constexpr const char* others_failed = "a GPU that it waits for failed";

void check_limits(const Launch& launch) {
  const Grid& grid = launch.grid();
  const DeviceFacts& facts = launch.facts;
  const auto fail = [&](const std::string& what) {
    throw DeviceError(fmt::format("kernel {}: {}", launch.source.name, what));
  };
  constexpr Index most_blocks = std::numeric_limits<std::int32_t>::max();
  if (grid.threads < 1 || grid.threads > facts.max_threads_per_block)
    fail(fmt::format("{} threads per block; {} takes 1 to {}", grid.threads, facts.name,
                     facts.max_threads_per_block));
  if (grid.blocks < 1 || grid.blocks > most_blocks)
    fail(fmt::format("{} blocks; a grid has 1 to {}", grid.blocks, most_blocks));
  if (grid.shared_bytes + launch.source.shared_bytes > facts.shared_bytes_per_block)
    fail(fmt::format("{} bytes of dynamic and {} of static shared memory; {} has {} for a block",
                     grid.shared_bytes, launch.source.shared_bytes, facts.name,
                     facts.shared_bytes_per_block));
  if (!grid.cooperative) return;
  LaunchFacts shape;
  shape.grid = grid;
  shape.static_shared_bytes = launch.source.shared_bytes;
  model_occupancy(facts, 0, shape);
  const Index resident = Index(facts.multiprocessors) * shape.resident_blocks;
  if (grid.blocks > resident)
    fail(fmt::format("a cooperative grid of {} blocks; {} holds {} of this shape at once", grid.blocks,
                     facts.name, resident));
}

/// Threads that wait for work.
class Crew {
 public:
  void run(Index count, const std::function<void()>& work) {
    const std::lock_guard one_at_a_time(callers_);
    {
      const std::lock_guard lock(mutex_);
      while (Index(threads_) < count - 1) {
        std::thread([this] { wait_for_work(); }).detach();
        ++threads_;
      }
      work_ = &work;
      places_ = unfinished_ = count - 1;
    }
    if (count > 1) called_.notify_all();
    work();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return unfinished_ == 0; });
  }

 private:
  void wait_for_work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      called_.wait(lock, [&] { return places_ > 0; });
      --places_;
      lock.unlock();
      (*work_)();
      lock.lock();
      if (--unfinished_ == 0) done_.notify_one();
    }
  }

  std::mutex callers_, mutex_;
  std::condition_variable called_, done_;
  const std::function<void()>* work_ = nullptr;
  Index threads_ = 0, places_ = 0, unfinished_ = 0;
};

}  // namespace

void run_on_crew(Index count, const std::function<void()>& work) {
  static Crew& crew = *new Crew;  // never destroyed: its threads end with the process
  if (count <= 1) return work();
  crew.run(count, work);
}

void run_apart(Index count, const std::function<void()>& work) {
  std::latch all_there(1);
  bool enough = true;
  std::vector<std::thread> threads;
  std::string reason;
  try {
    for (Index i = 0; i < count; ++i)
      threads.emplace_back([&] {
        all_there.wait();
        if (enough) work();
      });
  } catch (const std::system_error& error) {
    enough = false;
    reason = error.what();
  }
  all_there.count_down();
  for (std::thread& thread : threads) thread.join();
  if (!enough)
    throw DeviceError(
        fmt::format("a cooperative launch of {} blocks needs as many OS threads; the system gave {}: {}",
                    count, threads.size(), reason));
}

Launch::Launch(const KernelCall& call, const DeviceFacts& facts, const Schedule& schedule,
               const MakeWatch& make_watch)
    : call(call),
      facts(facts),
      source(kernel_source(call.function)),
      schedule(schedule),
      make_watch(make_watch) {
  CodeSite::base = source.base;
}

Index Launch::next_block() {
  if (stopped()) return -1;
  const Index block = next_.fetch_add(1, std::memory_order_relaxed);
  return block < grid().blocks ? block : -1;
}

void Launch::fail(Index block, std::string what) {
  const std::lock_guard lock(mutex_);
  if (error_.empty() || block < error_block_) {
    error_ = std::move(what);
    error_block_ = block;
  }
  stopped_ = true;
  changed_.notify_all();
}

void Launch::fail_with_others() {
  if (schedule.others_failed && *schedule.others_failed) fail(grid().blocks, others_failed);
}

bool Launch::grid_barrier(Index block) {
  std::unique_lock lock(mutex_);
  const Index generation = generation_;
  if (++at_barrier_ == grid().blocks) {
    at_barrier_ = 0;
    ++generation_;
    changed_.notify_all();
    return true;
  }
  changed_.wait(lock, [&] { return generation_ != generation || ended_ > 0 || stopped_; });
  if (generation_ != generation) return true;
  const bool is_first = !stopped_;
  lock.unlock();
  if (is_first)
    fail(block, fmt::format("kernel {}, block {}: waits in grid_sync for blocks that have ended", source.name,
                            block));
  return false;
}

void Launch::block_ended() {
  if (!grid().cooperative) return;
  const std::lock_guard lock(mutex_);
  ++ended_;
  changed_.notify_all();
}

void execute(const KernelCall& call, const DeviceFacts& facts, const Schedule& schedule,
             const MakeWatch& make_watch) {
  Launch launch(call, facts, schedule, make_watch);
  check_limits(launch);
  const auto work = [&launch] {
    try {
      this_runner().run(launch);
    } catch (const DeviceError& error) {
      launch.fail(0, error.what());
    }
  };
  // Blocks of a cooperative launch wait for each other, so each has an OS thread of its own.
  const Index threads = std::min<Index>(schedule.os_threads, call.grid.blocks);
  if (call.grid.cooperative) run_apart(call.grid.blocks, work);
  else if (schedule.others_failed) run_apart(threads, work);
  else run_on_crew(threads, work);
  if (!launch.error().empty()) throw DeviceError(launch.error());
  if (launch.stopped()) throw DeviceError(others_failed);
}

int default_os_threads() {
  const char* const text = std::getenv("REDBENCH_SIMT_THREADS");
  if (!text || !*text) return std::max(1, int(std::thread::hardware_concurrency()));
  char* end = nullptr;
  const long count = std::strtol(text, &end, 10);
  if (*end || count < 1 || count > 1024)
    throw UsageError(
        fmt::format("REDBENCH_SIMT_THREADS={}: a number of OS threads from 1 to 1024 is allowed", text));
  return int(count);
}

}  // namespace redbench::simt
