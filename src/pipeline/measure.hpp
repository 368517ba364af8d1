// A cell in, its records out: inputs, validation, samples in turn, validation again. No state is shared between
// cells, so a cell can run in a process that may die.
#pragma once

#include <functional>

#include "src/pipeline/plan.hpp"

namespace redbench {

/// One row of the results, as JSON (docs/measuring.md names the fields).
using Record = Json;

struct CellOptions {
  MeasureOptions measure;
  bool timing = true;          // false: validate only
  std::uint64_t seed = 1;
  bool check_inputs = false;   // compare the inputs with a copy after each case: a kernel must not write them
};

/// Called before a case starts (so that a watcher knows whom to blame) and with each finished record.
struct CellEvents {
  std::function<void(const Case&)> started;
  std::function<void(Record)> finished;
};

/// Every runnable case of the cell gives one record per mode; refused ones give `unsupported`.
void run_cell(const Cell& cell, const Devices& devices, const CellOptions& options, const CellEvents& events);

}  // namespace redbench
