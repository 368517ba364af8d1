// One kernel launch on the modelled device, shared by the OS threads that run its blocks.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "kernels/variant.hpp"
#include "src/simt/source.hpp"

namespace redbench::simt {

/// The order in which warps and their lanes run. With one OS thread a seed always gives the same order.
struct Schedule {
  std::uint64_t seed = 0;  // 0: warps and their lanes in order
  int os_threads = 1;
  /// Of a launch that waits for launches of other GPUs: set where they have failed. It has OS threads of its own.
  const std::atomic<bool>* others_failed = nullptr;
};

class Launch;
class Watch;
/// Makes the watch of one OS thread (src/simt/watch.hpp). Called on that thread.
using MakeWatch = std::function<std::unique_ptr<Watch>(const Launch&)>;

class Launch {
 public:
  Launch(const KernelCall& call, const DeviceFacts& facts, const Schedule& schedule,
         const MakeWatch& make_watch);

  const KernelCall& call;
  const DeviceFacts& facts;
  const KernelSource& source;
  const Schedule schedule;
  const MakeWatch& make_watch;  // may be empty
  const Grid& grid() const { return call.grid; }

  /// The next block to start, in order; -1 if all have started or the launch has failed.
  Index next_block();
  bool stopped() const {
    return stopped_.load(std::memory_order_relaxed) || (schedule.others_failed && *schedule.others_failed);
  }

  /// Keeps the error of the lowest block and stops the launch.
  void fail(Index block, std::string what);
  /// Stops the launch for good where other GPUs have failed.
  void fail_with_others();
  const std::string& error() const { return error_; }

  /// Waits until all blocks have arrived. False if they never will: a block has ended, which is an error
  /// here, or the launch has failed.
  bool grid_barrier(Index block);
  void block_ended();

 private:
  std::atomic<Index> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string error_;
  Index error_block_ = 0;
  Index at_barrier_ = 0, ended_ = 0, generation_ = 0;
};

/// Runs a launch to its end. Throws DeviceError for a limit of the device that it breaks, and for the error
/// of the lowest block that failed. `make_watch` may be empty.
void execute(const KernelCall& call, const DeviceFacts& facts, const Schedule& schedule,
             const MakeWatch& make_watch = {});

/// Runs `work` on `count` OS threads at once, one of them the caller, and waits for all. The others are kept
/// for the next call. `work` must not throw.
void run_on_crew(Index count, const std::function<void()>& work);

/// Runs `work` on `count` new OS threads, which end with it. If the system does not give that many, throws
/// DeviceError before any of them starts `work`.
void run_apart(Index count, const std::function<void()>& work);

/// OS threads that run blocks: REDBENCH_SIMT_THREADS, or as many as the machine has. Throws UsageError.
int default_os_threads();

}  // namespace redbench::simt
