// An instrument adds fields to the records of a cell's cases while the cell is measured. Each has one file in
// this folder, which registers the rows of its fields (src/records/fields.hpp) and fills them. Its maker
// stands at the end of this file and in the list of instruments.cpp.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "src/measure/meter.hpp"
#include "src/measure/sampling.hpp"
#include "src/plan/plan.hpp"
#include "src/records/fields.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// The sampling of a cell in one mode on one device: what its cases, which take turns, have in common.
struct Sampling {
  Meter& meter;  // its stopwatch is there
  Mode mode;
  const MeasureOptions& options;
  std::vector<Span> inputs;            // of the cell, on the device
  std::size_t result_bytes;            // that each case writes
  std::size_t cases = 0;               // their series come first, in the order of their places
  Index labelled_inputs = 0;           // n, each of which has a label; 0: inputs have none
  Index label_count = 0;               // m: labels are below it
  std::function<void()> idle = [] {};  // CellEvents::alive: called after each sample that is no case's
  const void* result = nullptr;        // where each case writes its result, on the device
  Pages pages = Pages::any;            // of the cell's memory

  /// Nanoseconds of work that no case has enqueued.
  double sample(const std::function<void()>& work) const {
    const double ns = meter.stopwatch()->sample(mode, false, work);
    idle();
    return ns;
  }
};

/// A case whose samples are all taken and whose last result was right.
struct SampledCase {
  const Case& case_;
  std::function<void()> enqueue;        // one run of it
  std::function<void()> running, idle;  // CellEvents::running and alive, to call before and after a run
  std::size_t place = 0;                // Series::of_case of its series
};

class Instrument {
 public:
  explicit Instrument(const Sampling& sampling) : sampling_(sampling) {}
  virtual ~Instrument() = default;
  /// Called before the first sample. Adds its own series after those of the cases.
  virtual void start(std::vector<Series>& /*series*/) {}
  /// Called after each sample of a case: whether the sample was disturbed, and is taken again instead.
  virtual bool repeats(const Case& /*case_*/) { return false; }
  /// Called after each sample of a case that is kept.
  virtual void read() {}
  /// Sets its fields in the record of a case, which has its times already. Throws DeviceError.
  virtual void stop(const SampledCase& sampled, Record& record) = 0;
  /// Whether `stop` disturbs other cases' samples: it is then called after all of them.
  virtual bool disturbs() const { return false; }

 protected:
  const Sampling& sampling_;
};

/// Device memory of an instrument's own, where there is room for it and an eighth more.
class SpareMemory {
 public:
  explicit SpareMemory(Device& device) : device_(device) {}
  ~SpareMemory();
  SpareMemory(const SpareMemory&) = delete;
  SpareMemory& operator=(const SpareMemory&) = delete;

  /// Allocates zeros; false where there is no room.
  bool allocate(std::size_t bytes);
  void* start() const { return start_; }  // null where nothing was allocated

 private:
  Device& device_;
  void* start_ = nullptr;
};

/// The instruments that the options ask for, in the order in which they start and stop. The sampling must
/// outlive them.
struct Instruments {
  explicit Instruments(const Sampling& sampling);
  void start(std::vector<Series>& series) const;
  bool repeat(const Case& case_) const;
  void read() const;

  std::vector<std::unique_ptr<Instrument>> undisturbing, disturbing;
};

// One maker per instrument, which gives null where the options do not ask for it.
std::unique_ptr<Instrument> make_again(const Sampling& sampling);
std::unique_ptr<Instrument> make_ceilings(const Sampling& sampling);
std::unique_ptr<Instrument> make_clocks(const Sampling& sampling);
std::unique_ptr<Instrument> make_energy(const Sampling& sampling);
std::unique_ptr<Instrument> make_launch_gap(const Sampling& sampling);
std::unique_ptr<Instrument> make_launch_times(const Sampling& sampling);
std::unique_ptr<Instrument> make_queue_slot(const Sampling& sampling);
std::unique_ptr<Instrument> make_result_digests(const Sampling& sampling);
std::unique_ptr<Instrument> make_scattered(const Sampling& sampling);
std::unique_ptr<Instrument> make_sm_clock(const Sampling& sampling);

}  // namespace redbench
