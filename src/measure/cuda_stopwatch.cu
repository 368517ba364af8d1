#include "src/device/cuda_check.hpp"
#include "src/measure/cache_flush.hpp"
#include "src/measure/launch_gap.hpp"
#include "src/measure/queue_slot.hpp"
#include "src/measure/stopwatch.hpp"

namespace redbench {
namespace {

cudaEvent_t make_event() {
  cudaEvent_t event;
  check(cudaEventCreate(&event), "creating an event");
  return event;
}

double nanoseconds(cudaEvent_t start, cudaEvent_t stop) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start, stop), "reading the events");
  return double(milliseconds) * 1e6;
}

/// Events around each launch of a piece of work.
class LaunchMarks {
 public:
  explicit LaunchMarks(Device& device) : device_(device) {}
  ~LaunchMarks() {
    for (cudaEvent_t event : events_) cudaEventDestroy(event);
  }
  LaunchMarks(const LaunchMarks&) = delete;
  LaunchMarks& operator=(const LaunchMarks&) = delete;

  /// Enqueues `work`, an event before it and one after each of its launches.
  void enqueue(const std::function<void()>& work) {
    used_ = 0;
    mark();
    device_.listen([this] { mark(); });
    try {
      work();
    } catch (...) {
      device_.listen({});
      throw;
    }
    device_.listen({});
  }

  /// Nanoseconds of each launch, once the device is idle.
  std::vector<double> times() const {
    std::vector<double> times;
    for (std::size_t i = 1; i < used_; ++i) times.push_back(nanoseconds(events_[i - 1], events_[i]));
    return times;
  }

 private:
  void mark() {
    if (used_ == events_.size()) events_.push_back(make_event());
    check(cudaEventRecord(events_[used_++]), "recording an event");
  }

  Device& device_;
  std::size_t used_ = 0;
  std::vector<cudaEvent_t> events_;
};

class CudaStopwatch : public Stopwatch {
 public:
  explicit CudaStopwatch(Device& device) : flush_(device.facts().l2_bytes), marks_(device) {
    // The first launch of a kernel loads it: that belongs to no sample.
    sample(Mode::cold, false, [] {});
  }
  ~CudaStopwatch() override {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  double sample(Mode mode, bool synchronizes, const std::function<void()>& work) override {
    find_slot();
    return timed(mode, synchronizes, [this] { slot_.pad(); }, work);
  }

  std::vector<double> sample_launches(Mode mode, const std::function<void()>& work) override {
    find_slot();
    prepare(mode, [this] { slot_.pad(); }, work);
    enclose(false, [&] { marks_.enqueue(work); });
    return marks_.times();
  }

  std::optional<double> clock_mhz() const override { return gap_.clock_mhz(); }
  std::optional<double> tick_ns() const override {
    return tick_.ns() > 0 ? std::optional(tick_.ns()) : std::nullopt;
  }
  std::optional<double> queue_slot_ns() const override { return slot_.cost_ns(); }

 private:
  using Work = std::function<void()>;

  void find_slot() {
    slot_.find([this](const Work& pad, const Work& work) { return timed(Mode::cold, false, pad, work); });
  }

  double timed(Mode mode, bool synchronizes, const Work& pad, const Work& work) {
    prepare(mode, pad, work);
    enclose(synchronizes, [&] {
      check(cudaEventRecord(start_), "recording an event");
      work();
      check(cudaEventRecord(stop_), "recording an event");
    });
    const double ns = nanoseconds(start_, stop_);
    tick_.see(ns);
    return ns;
  }

  void prepare(Mode mode, const Work& pad, const Work& work) {
    if (mode == Mode::cold) flush_.enqueue();
    else if (mode == Mode::warm) work();
    pad();
    check(cudaDeviceSynchronize(), "waiting before a sample");
  }

  void enclose(bool synchronizes, const Work& work) {
    gap_.hold();
    if (synchronizes) {  // the kernel that waits then tells the clock alone
      gap_.release();
      check(cudaDeviceSynchronize(), "waiting before a sample");
      work();
    } else {
      try {
        work();
      } catch (...) {
        gap_.release();
        throw;
      }
      gap_.release();
    }
    check(cudaDeviceSynchronize(), "running a sample");
    if (!synchronizes && gap_.gave_up())
      throw DeviceError("it waits for the device inside `run`, which its card does not say (synchronizes)");
  }

  CacheFlush flush_;
  LaunchGap gap_;
  QueueSlot slot_;
  Tick tick_;
  LaunchMarks marks_;
  cudaEvent_t start_ = make_event(), stop_ = make_event();
};

}  // namespace

std::unique_ptr<Stopwatch> make_cuda_stopwatch(Device& device) {
  return std::make_unique<CudaStopwatch>(device);
}

}  // namespace redbench
