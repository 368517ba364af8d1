// Brings a GPU's queue into the same state before each sample.
//
// On an H200 one kernel launch in four costs about 0.95 us more where it follows a kernel in the same sample:
// it is the launch's place in the queue that decides, counted from the start of the process, not what is
// launched. Copies from and to the host, events and graphs take no place; memsets and copies within the
// device do, or not, by their size (scripts/measuring/, docs/reference/timing.md). So the costly place is found, and
// each sample begins just behind it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

namespace redbench {

/// Kernel launches of this process so far, a library's included: the linker puts a counter before the
/// runtime's calls (src/CMakeLists.txt). Zero for ever where redbench was linked without it.
std::uint64_t launch_count();
/// Calls so far that may have launched a kernel of the driver's own: memsets and copies within the device.
std::uint64_t uncounted_launches();

class QueueSlot {
 public:
  static constexpr int period = 4;

  QueueSlot();
  ~QueueSlot();
  QueueSlot(const QueueSlot&) = delete;
  QueueSlot& operator=(const QueueSlot&) = delete;

  /// Takes the times of `probe` at each place, where that is not yet known or may have moved. `timed` takes
  /// the time of work, in nanoseconds, after a flush and `pad`.
  void find(const std::function<double(const std::function<void()>& pad, const std::function<void()>& work)>&
                timed);
  /// Enqueues eight empty kernels, which hide whatever went before, and as many more as bring the launch that
  /// follows to the costly place: what launches after it finds three cheap ones. Where no place is known to
  /// be costly, each call takes the next: should there be one all the same, no contender always meets it.
  void pad();

  /// What the costly place adds to the probe, in nanoseconds; none where no place stands out, however often
  /// the probe was repeated.
  std::optional<double> cost_ns() const { return cost_ns_; }

 private:
  void pad_to(std::uint64_t place) const;
  void probe() const;

  bool known_ = false;
  std::uint64_t uncounted_ = 0;  // as `known_` was set
  std::uint64_t place_ = 0;      // of the launch after `pad`, modulo the period
  std::optional<double> cost_ns_;
  int* words_ = nullptr;
};

/// Of the medians by place: which one stands out, by at least 100 ns and three times what the others differ
/// by.
std::optional<int> costly_place(const std::array<double, QueueSlot::period>& medians);

struct CostlyPlace {
  int place;
  double cost_ns;  // that it adds
};

/// Takes `timed` of each place in turn, five rounds of them, and where nothing stands out ten more, and then
/// fifteen: of few samples one that was disturbed may hide the place. None where it is not found then.
std::optional<CostlyPlace> find_costly_place(const std::function<double(int place)>& timed);

}  // namespace redbench
