// Brings a GPU's launch queue into the same state before each sample.
//
// On an H200 every fourth kernel launch of a process costs about 0.95 us more where it follows another kernel
// in the same sample, whatever is launched: the queue has a costly slot. Copies from and to the host, events
// and graphs take no slot; memsets and copies within the device do or do not, by their size
// (docs/reference/timing.md). So the costly slot is found by a probe, and each sample begins
// just behind it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

namespace redbench {

/// Kernel launches of this process so far, those of libraries included: the linker wraps the runtime's calls
/// with a counter (src/CMakeLists.txt). Always 0 where redbench was linked without it.
std::uint64_t launch_count();
/// Calls so far that may have launched one of the driver's own kernels: memsets and copies within the device.
std::uint64_t uncounted_launches();

class QueueSlot {
 public:
  static constexpr int period = 4;

  QueueSlot();
  ~QueueSlot();
  QueueSlot(const QueueSlot&) = delete;
  QueueSlot& operator=(const QueueSlot&) = delete;

  /// Finds the costly slot, unless it is known and cannot have moved. `timed` measures `work` in nanoseconds,
  /// after a flush and `pad`.
  void find(const std::function<double(const std::function<void()>& pad, const std::function<void()>& work)>&
                timed);
  /// Enqueues eight empty kernels, which hide what went before, and as many more as bring the next launch,
  /// the kernel that waits, to the costly slot: the three launches after it are cheap. Where no costly slot
  /// is known, each call ends at the next slot, so that if there is one after all, no case always meets it.
  void pad();

  /// What the costly slot adds to a launch, in nanoseconds; none where the probe found none.
  std::optional<double> cost_ns() const { return cost_ns_; }

 private:
  void pad_to(std::uint64_t slot) const;
  void probe() const;

  bool known_ = false;
  std::uint64_t uncounted_ = 0;  // when `known_` was set
  std::uint64_t slot_ = 0;       // of the launch after `pad`, modulo the period
  std::optional<double> cost_ns_;
  int* words_ = nullptr;
};

/// The slot whose median exceeds the others by at least 100 ns and by at least three times the range of the
/// others.
std::optional<int> costly_slot(const std::array<double, QueueSlot::period>& medians);

struct CostlySlot {
  int slot;
  double cost_ns;  // that it adds
};

/// Measures `timed` at each slot in turn: five rounds, ten more where no slot is costly by their medians,
/// then fifteen more, as a few disturbed samples may hide it. None where it is not found then.
std::optional<CostlySlot> find_costly_slot(const std::function<double(int slot)>& timed);

}  // namespace redbench
