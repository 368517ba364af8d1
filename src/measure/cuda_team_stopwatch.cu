#include <algorithm>
#include <chrono>
#include <vector>

#include "src/device/cuda_check.hpp"
#include "src/error.hpp"
#include "src/measure/cache_flush.hpp"
#include "src/measure/team_stopwatch.hpp"

namespace redbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned long long longest_ns = 2'000'000'000;
// What was enqueued last has reached the GPU by then.
constexpr std::chrono::microseconds settling{10};

/// In host memory that all GPUs see.
struct Gate {
  int released, gave_up;
  int answered[most_gpus];  // the last release that the GPU saw
};

__global__ void wait_for_release(volatile Gate* gate, int turn, int rank) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  while (gate->released != turn) {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    if (now - start < longest_ns) continue;
    gate->gave_up = 1;
    break;
  }
  gate->answered[rank] = turn;
  __threadfence_system();
}

/// What belongs to one GPU; made and ended on the thread that is its rank.
class OnGpu {
 public:
  explicit OnGpu(Device& device) : flush_(device.facts().l2_bytes) {
    for (cudaEvent_t* event : {&start_, &stop_}) check(cudaEventCreate(event), "creating an event");
  }
  ~OnGpu() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }
  OnGpu(const OnGpu&) = delete;

  void flush() {
    flush_.enqueue();
    check(cudaDeviceSynchronize(), "waiting before a sample");
  }
  void start() { check(cudaEventRecord(start_), "recording an event"); }
  double stop(const std::function<void()>& enqueued) {
    check(cudaEventRecord(stop_), "recording an event");
    enqueued();
    check(cudaDeviceSynchronize(), "running a sample");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "reading the events");
    return double(milliseconds) * 1e6;
  }

 private:
  CacheFlush flush_;
  cudaEvent_t start_ = nullptr, stop_ = nullptr;
};

constexpr const char* making_gate = "allocating the flag that the GPUs wait for";

std::shared_ptr<void> gate_of_threads() {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(Gate), cudaHostAllocPortable | cudaHostAllocMapped), making_gate);
  return {memory, [](void* gate) { cudaFreeHost(gate); }};
}

std::shared_ptr<void> gate_of_processes(Team& team) {
  const std::shared_ptr<void> memory = team.processes()->share_memory(sizeof(Gate));
  std::string mistake;
  try {
    check(cudaHostRegister(memory.get(), sizeof(Gate), cudaHostRegisterPortable | cudaHostRegisterMapped),
          making_gate);
  } catch (const DeviceError& error) {
    mistake = error.what();
  }
  team.agree(mistake);
  return {memory.get(), [memory](void* gate) { cudaHostUnregister(gate); }};
}

class CudaTeamStopwatch : public TeamStopwatch {
 public:
  explicit CudaTeamStopwatch(Team& team) : team_(team), on_gpu_(std::size_t(team.size())) {
    memory_ = team.processes() ? gate_of_processes(team) : gate_of_threads();
    gate_ = static_cast<volatile Gate*>(memory_.get());
    const_cast<Gate&>(*gate_) = Gate{};
    team_.run([&](int rank) { on_gpu_[std::size_t(rank)] = std::make_unique<OnGpu>(team_.device(rank)); });
    sample(false, [](int) {});  // the first launch of a kernel loads it
  }

  Sample sample(bool synchronizes, const std::function<void(int rank)>& work) override {
    ++turn_;
    gate_->gave_up = 0;
    std::vector<double> ns(on_gpu_.size());
    team_.run([&](int rank) {
      OnGpu& own = *on_gpu_[std::size_t(rank)];
      own.flush();
      wait_for_release<<<1, 1>>>(gate_, turn_, rank);
      check(cudaGetLastError(), "launching the kernel that waits for the host");
      if (synchronizes) {
        team_.meet([this] { release(); });
        check(cudaDeviceSynchronize(), "waiting before a sample");
        team_.meet();
      }
      own.start();
      work(rank);
      ns[std::size_t(rank)] = own.stop([&] {
        if (!synchronizes) team_.meet([this] { release(); });
      });
    });
    team_.agree(gate_->gave_up
                    ? "it waits for the GPUs inside `run`, which its card does not say (synchronizes)"
                    : "");
    return {team_.largest(std::ranges::max(ns)), skew_ns_};
  }

 private:
  /// Releases all GPUs, and waits until all have answered.
  void release() {
    for (const Clock::time_point begun = Clock::now(); Clock::now() - begun < settling;) {
    }
    gate_->released = turn_;
    std::vector<bool> seen(on_gpu_.size());
    Clock::time_point first, last = Clock::now();
    const Clock::time_point latest = last + std::chrono::nanoseconds(longest_ns);
    for (std::size_t answers = 0; answers < seen.size() && Clock::now() < latest;)
      for (std::size_t rank = 0; rank < seen.size(); ++rank) {
        if (seen[rank] || gate_->answered[rank] != turn_) continue;
        last = Clock::now();
        if (answers++ == 0) first = last;
        seen[rank] = true;
      }
    skew_ns_ = std::chrono::duration<double, std::nano>(last - first).count();
  }

  Team& team_;
  std::vector<std::unique_ptr<OnGpu>> on_gpu_;  // by rank
  std::shared_ptr<void> memory_;                // of the gate
  volatile Gate* gate_ = nullptr;
  int turn_ = 0;
  double skew_ns_ = 0;
};

}  // namespace

std::unique_ptr<TeamStopwatch> make_cuda_team_stopwatch(Team& team) {
  return std::make_unique<CudaTeamStopwatch>(team);
}

}  // namespace redbench
