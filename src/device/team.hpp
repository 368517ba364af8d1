// The GPUs of a case of several, and their ranks (kernels/gpus/gpus.hpp): host threads, or processes that mpirun has started
// (src/device/processes.hpp), which then make the same calls in the same order.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/gpus/gpus.hpp"
#include "src/device/device.hpp"
#include "src/device/processes.hpp"

namespace redbench {

class Team;

/// Makes the calling thread a rank while it lives.
class RankScope {
 public:
  /// Of one GPU.
  explicit RankScope(Device& device) : RankScope({}, &device, nullptr) {}
  /// Of a plan: there is no memory.
  explicit RankScope(const Rank& rank) : RankScope(rank, nullptr, nullptr) {}
  RankScope(const Rank& rank, Device* device, Team* team);
  ~RankScope();
  RankScope(const RankScope&) = delete;

  /// Whether the thread asked for its rank.
  bool was_asked() const { return asked; }

  const Rank rank;
  Device* const device;
  Team* const team;  // null: the GPU is alone
  bool asked = false;
  bool reached = false;  // for memory of other GPUs, while it was planned

 private:
  RankScope* const outer_;
};

/// That of the calling thread; null where its GPU is alone.
Team* this_team();

class Team {
 public:
  /// `own`, and as many others as make `count`; where processes are joined, theirs. Throws DeviceError where they are not
  /// there or cannot reach each other's memory.
  Team(Device& own, int count);

  int size() const { return int(devices_.size()); }
  /// Whether the rank is of this process.
  bool is_here(int rank) const { return devices_[std::size_t(rank)]; }
  Device& device(int rank) const { return *devices_[std::size_t(rank)]; }
  /// The first that is here.
  Device& own_device() const { return own_; }

  /// What the processes say, by number. Of a single one what it says.
  std::vector<std::string> exchange(const std::string& said) const;
  /// Throws DeviceError, in all processes, where one has made a mistake.
  void agree(const std::string& mistake);
  double largest(double own) const;
  /// Null where one process has all ranks.
  const ProcessGroup* processes() const { return processes_ ? &*processes_ : nullptr; }

  /// Calls `work` for each rank, on a thread or in a process of its own, and waits for all. Throws what the first that failed
  /// threw.
  /// The others' threads and modelled kernels do not wait for it. A kernel on CUDA that does never ends: the parent's
  /// limit of silence then ends the process.
  void run(const std::function<void(int rank)>& work);
  /// Waits until all ranks have come, and calls `step` on one of the threads, or in the first process, before any goes on.
  /// Throws DeviceError where one has failed.
  void meet(const std::function<void()>& step = {});

  /// By rank: what Queue::scratch gives, and at the end the result.
  std::vector<std::vector<void*>> memory;
  std::vector<u32*> flags;
  std::vector<std::byte> joined;                  // of join_on_host
  std::vector<std::span<const std::byte>> parts;  // by rank, of leave_part

 private:
  void run_threads(const std::function<void(int rank)>& work);
  void fail();

  Device& own_;
  std::optional<ProcessGroup> processes_;
  bool has_agreed_on_mistake_ = false;  // in this run
  std::vector<std::unique_ptr<Device>> others_;
  std::vector<Device*> devices_;  // null: of another process
  std::mutex mutex_;
  std::condition_variable changed_;
  int waiting_ = 0;
  std::size_t meetings_ = 0;
  bool failed_ = false;
};

}  // namespace redbench
