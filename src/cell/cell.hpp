// A cell in, its records out: inputs, validation, samples in turn, validation again. No state is shared
// between cells, so a cell can run in a process that may die.
#pragma once

#include <functional>

#include "src/measure/meter.hpp"
#include "src/plan/plan.hpp"
#include "src/records/record.hpp"

namespace redbench {

struct CellOptions {
  MeasureOptions measure;
  bool timing = true;  // false: validate, and count where `measure.counters` asks for it
  /// Timed cases are also validated on values that show what the cell's own may hide. One process of a run
  /// is enough to do so, as each such set of values needs an exact answer of its own.
  bool other_values = true;
  /// Which cases and modes are still to be measured; not set: all.
  std::function<bool(const Case&, Mode)> wanted;
};

/// What a watcher needs to know which case to blame for silence.
struct CellEvents {
  std::function<void(const Case&)> running;  // the case is about to execute
  std::function<void()> alive;               // no case executes; resets the clock by which silence is judged
  std::function<void(const Case&, Mode, Record)> measured;
};

/// The modes in which a case on this device has records: all of the options. A device without time of its own
/// (simt), and `timing` off, give one record per case, in the first mode, without times.
std::vector<Mode> modes_recorded(const Device& device, const CellOptions& options);

/// Why a case is not run in a mode, as far as is known before it runs; empty where it is.
std::string why_refused(const Case& case_, Mode mode, const Device& device, const CellOptions& options);

/// Every runnable case of the cell gives one record per mode (modes_recorded); refused ones give
/// `unsupported`. The inputs are compared with what was uploaded: a variant that writes them is wrong. Throws
/// DeviceError where the device is lost: the case that lost it has its record, the rest have none.
void run_cell(const Cell& cell, Meters& meters, const CellOptions& options, const CellEvents& events);

}  // namespace redbench
