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

/// Resources that a case needs of its device, as a planning queue found them.
struct Footprint {
  std::vector<std::size_t> scratch;  // bytes of each request, in order
  std::vector<LaunchFacts> launches;
  Index chain = 0;  // 0: not stated
  /// Calls of a library, whose launches are not known: how many of `launches` are before each.
  std::vector<std::size_t> library_calls;

  std::size_t scratch_bytes() const;  // with each request rounded up to the alignment
};

/// Captured work of a device, which is launched as a whole.
class Graph {
 public:
  virtual ~Graph() = default;
  /// Enqueues all of it.
  virtual void launch() = 0;
  /// The number of kernels and fills in it.
  virtual std::size_t nodes() const = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual Target target() const = 0;
  virtual std::string name() const = 0;  // as a user writes it: "cuda:0", "simt:gtx480", "host"
  virtual std::string slug() const = 0;  // as a folder's name: "h200", "simt-gtx480", "host"
  virtual const DeviceFacts& facts() const = 0;
  /// A GPU's address on the PCI bus ("0000:3b:00.0"), by which NVML finds it; empty for other devices.
  virtual std::string bus_id() const { return {}; }
  /// Free memory in bytes; the plan refuses cases that need more.
  virtual std::size_t free_bytes() const = 0;

  /// 256-byte aligned. Throws DeviceError where there is no room.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) = 0;
  /// Allocates in pages of that kind, of which only the host has several.
  virtual void* allocate_in(Pages /*pages*/, std::size_t bytes) { return allocate(bytes); }
  /// Why memory of `allocate_in` is not in pages of the kind that was asked for; empty where it is. All of it
  /// must have been filled before.
  virtual std::string wrong_pages(void* /*memory*/) { return {}; }
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Keeps host memory in its place as long as the answer lives, so that copies from and to it take less time. Null
  /// where it cannot be kept, or where copies would be as slow.
  virtual std::shared_ptr<void> pin(void* /*memory*/, std::size_t /*bytes*/) { return nullptr; }
  /// Fills with poison: where accesses are checked, the bytes count as uninitialised.
  virtual void fill(void* memory, unsigned char byte, std::size_t bytes) = 0;
  /// Makes a red zone: no kernel may touch these bytes until they are filled or uploaded to. Ignored where
  /// accesses are not checked.
  virtual void forbid(void* /*memory*/, std::size_t /*bytes*/) {}

  virtual void execute(const KernelCall& call) = 0;
  virtual void execute_library(const Queue::LibraryCall& call, void* temporary, std::size_t bytes) = 0;
  /// The temporary bytes that a library call needs. Needs the device's runtime.
  virtual std::size_t library_bytes(const Queue::LibraryCall& call) = 0;
  virtual LaunchFacts describe(const KernelCall& call) const = 0;
  /// Waits for all work. Throws DeviceError with what went wrong, launch errors included.
  virtual void finish() = 0;

  /// Captures what `work` executes as a graph instead of running it. Every kernel must have run before. Null
  /// where the device has no graphs (all but cuda). Throws Refusal where something cannot be captured.
  virtual std::unique_ptr<Graph> capture(const std::function<void()>& /*work*/) { return nullptr; }

  /// The others of `count` GPUs of which this is the first: each reaches the memory of all. Throws DeviceError where
  /// there are not as many.
  virtual std::vector<std::unique_ptr<Device>> others_of_team(int /*count*/) { return {}; }
  /// Calls of this thread are for this GPU from here on.
  virtual void use_here() {}
  /// All GPUs of a team are idle, and have met. Asked of the first.
  virtual void start_together() {}
  /// One of a team has failed: none waits for it. Asked of the first.
  virtual void fail_together() {}

  /// Null where the device has no counters (all but simt).
  virtual Profiler* profiler() { return nullptr; }

  /// Sets the function that is called after each launch and library call; empty: none is.
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
  std::uint64_t seed = 0;  // of the shuffled schedules; 0: in order
  bool races = false;      // check every access of a kernel (src/simt/races.hpp)
};

/// Opens "cuda", "cuda:1", "simt", "simt:gtx480", "host" or "auto" (a GPU where there is one, else simt).
/// Throws UsageError: for an unknown name with the nearest match, for a missing GPU with the reason.
std::unique_ptr<Device> open_device(std::string_view name, const SimtOptions& options = {});

// The devices of one kind each, from which open_device chooses. make_cuda exists only in a build with CUDA.
// A GPU is named by `number`, which is another one than its own where it is one of several boards.
std::unique_ptr<Device> make_cuda(int ordinal, int number);
std::unique_ptr<Device> make_simt(std::string_view model, const SimtOptions& options);
std::unique_ptr<Device> make_host();
int cuda_device_count();

}  // namespace redbench
