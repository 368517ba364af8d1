// An instrument sees a cell measured and adds to the records of its cases. One file each in this folder: it
// registers the rows of its fields (src/records/field.hpp), fills them, and has its maker in the list at the
// end of this one.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "src/measure/meter.hpp"
#include "src/measure/sampling.hpp"
#include "src/plan/plan.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// The cases of a cell that are sampled in turn, in one mode on one device.
struct Session {
  Meter& meter;  // its stopwatch is there
  Mode mode;
  const MeasureOptions& options;
  std::vector<Span> inputs;            // of the cell, on the device
  std::size_t result_bytes;            // that a case writes
  std::size_t cases = 0;               // the contenders that come first, by the cases' keys
  Index labels = 0;                    // of the inputs, one for each; 0: they have none
  Index different = 0;                 // m: labels are below it
  std::function<void()> idle = [] {};  // for a watcher: after each sample that is none of a case's
  const void* result = nullptr;        // where each case writes its result, on the device

  /// Nanoseconds of work that no case has enqueued.
  double sample(const std::function<void()>& work) const {
    const double ns = meter.stopwatch()->sample(mode, false, work);
    idle();
    return ns;
  }
};

/// A case whose samples are all taken and whose result was right to the end.
struct Sampled {
  const Case& one;
  std::function<void()> enqueue;        // one run of it
  std::function<void()> running, idle;  // for a watcher: before and after runs of it
};

class Instrument {
 public:
  virtual ~Instrument() = default;
  /// Before the first sample. Contenders of its own come after those of the cases.
  virtual void start(std::vector<Contender>& /*contenders*/) {}
  /// After each sample of a case: whether it was disturbed and is to be taken again instead.
  virtual bool repeats(const Case& /*one*/) { return false; }
  /// After each sample of a case that is kept.
  virtual void read() {}
  /// Sets its fields in the record of a case, which has the times. Throws DeviceError.
  virtual void stop(const Sampled& sampled, Record& record) = 0;
  /// Whether `stop` would disturb other cases' samples: then it is called once all have been taken.
  virtual bool disturbs() const { return false; }
};

/// Those that the options ask for, in the order in which they start and stop. The session must live as long.
struct Instruments {
  explicit Instruments(const Session& session);
  void start(std::vector<Contender>& contenders) const;
  bool repeat(const Case& one) const;
  void read() const;

  std::vector<std::unique_ptr<Instrument>> undisturbing, disturbing;
};

// One maker per instrument; null where the options do not ask for it.
std::unique_ptr<Instrument> make_again(const Session& session);
std::unique_ptr<Instrument> make_ceilings(const Session& session);
std::unique_ptr<Instrument> make_clocks(const Session& session);
std::unique_ptr<Instrument> make_empty_sample(const Session& session);
std::unique_ptr<Instrument> make_energy(const Session& session);
std::unique_ptr<Instrument> make_launch_gap(const Session& session);
std::unique_ptr<Instrument> make_launch_times(const Session& session);
std::unique_ptr<Instrument> make_queue_slot(const Session& session);
std::unique_ptr<Instrument> make_result_digests(const Session& session);
std::unique_ptr<Instrument> make_scattered(const Session& session);
std::unique_ptr<Instrument> make_sm_clock(const Session& session);

}  // namespace redbench
