// Where a case can run: an NVIDIA GPU (cuda), the modelled GPU (simt) or the CPU (host), behind one
// interface.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/variant.hpp"
#include "src/simt/counters.hpp"
#include "src/simt/occupancy.hpp"

namespace redbench {

/// What a case asks of its device, learnt from a planning queue.
struct Footprint {
  std::vector<std::size_t> scratch;  // bytes of each request, in order
  std::vector<LaunchFacts> launches;
  Index chain = 0;       // 0: not stated
  bool library = false;  // calls a library: its launches are not known

  std::size_t scratch_bytes() const;  // with each request rounded up to the alignment
};

/// Work of a device that was captured, to be launched as a whole.
class Graph {
 public:
  virtual ~Graph() = default;
  /// Enqueues all of it.
  virtual void launch() = 0;
  /// Kernels and fills in it.
  virtual std::size_t nodes() const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual Target target() const = 0;
  virtual std::string name() const = 0;  // as a user writes it: "cuda:0", "simt:gtx480", "host"
  virtual std::string slug() const = 0;  // as a folder's name: "h200", "simt-gtx480", "host"
  virtual const DeviceFacts& facts() const = 0;
  /// Where on the PCI bus a GPU sits ("0000:3b:00.0"), empty for the others: NVML knows it by that.
  virtual std::string bus_id() const { return {}; }
  /// Free memory in bytes, for the plan to refuse what does not fit.
  virtual std::size_t free_bytes() const = 0;

  /// 256-byte aligned. Throws DeviceError where there is no room.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  /// The same, in pages of that kind: only the host has several.
  virtual void* allocate_in(Pages /*pages*/, std::size_t bytes) { return allocate(bytes); }
  /// Why memory of `allocate_in` is not in the pages that it asked for, as the system tells once all of it
  /// was filled; empty where it is.
  virtual std::string wrong_pages(void* /*memory*/) { return {}; }
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// What is filled counts as never written: a kernel must not build on it.
  virtual void fill(void* memory, unsigned char byte, std::size_t bytes) = 0;
  /// No kernel may touch these bytes until they are filled or uploaded to again. Heeded where accesses are
  /// checked.
  virtual void forbid(void* /*memory*/, std::size_t /*bytes*/) {}

  virtual void execute(const KernelCall& call) = 0;
  virtual void execute_library(const Queue::LibraryCall& call, void* temporary, std::size_t bytes) = 0;
  /// Temporary bytes that a library call asks for. Needs the device's runtime.
  virtual std::size_t library_bytes(const Queue::LibraryCall& call) = 0;
  virtual LaunchFacts describe(const KernelCall& call) const = 0;
  /// Waits for all work. Throws DeviceError with what went wrong, launch errors included.
  virtual void finish() = 0;

  /// What `work` executes, as a graph instead: nothing of it runs meanwhile. Every kernel must have run
  /// before. Null where the device has no graphs (all but cuda). Throws Refusal where something cannot be
  /// captured.
  virtual std::unique_ptr<Graph> capture(const std::function<void()>& /*work*/) { return nullptr; }

  /// Null where the device cannot count (all but simt).
  virtual Profiler* profiler() { return nullptr; }

  /// `launched` is called after each launch and library call that the device is given, until another takes
  /// its place; empty: nobody listens.
  void listen(std::function<void()> launched) { launched_ = std::move(launched); }

 protected:
  void tell_launch() const {
    if (launched_) launched_();
  }

 private:
  std::function<void()> launched_;
};

/// How the modelled device runs kernels.
struct SimtOptions {
  std::uint64_t seed = 0;  // shuffles the schedules; 0 keeps them in order
  bool races = false;      // checks every access of a kernel (src/simt/races.hpp)
};

/// Opens "cuda", "cuda:1", "simt", "simt:gtx480", "host" or "auto" (a GPU where there is one, else simt).
/// Throws UsageError: an unknown name with the nearest match, a cuda device where there is none, with the
/// reason.
std::unique_ptr<Device> open_device(std::string_view name, const SimtOptions& options = {});

// One maker per device; open_device chooses. make_cuda is only there when redbench is built with CUDA.
std::unique_ptr<Device> make_cuda(int ordinal);
std::unique_ptr<Device> make_simt(std::string_view model, const SimtOptions& options);
std::unique_ptr<Device> make_host();
int cuda_device_count();

}  // namespace redbench
