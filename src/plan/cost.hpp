// How long the cells of a plan take. The rates behind it are known to the order of magnitude: enough to plan
// a run by; while it goes on, their true pace is learnt (src/run/time_left.hpp).
#pragma once

#include <string>
#include <vector>

#include "src/plan/plan.hpp"

namespace redbench {

/// Work that is done without a break.
struct CostPart {
  std::string kind;  // what has one pace: "making", "simt", "host", "cuda"
  std::string of;    // what has, within it, a pace of its own: a variant on simt, else the problem
  double seconds;
};

struct CellCost {
  std::vector<CostPart> parts;            // in the order that they are done; the first makes the inputs
  std::vector<std::size_t> part_of_case;  // 0: refused
};

/// What the cost of a case follows from besides the case.
struct CostFacts {
  int cores = 1, multiprocessors = 1;  // of the host, of the GPU
  double flush_s = 0;                  // of the host's caches, before each of its samples
  MeasureOptions measure;
  bool timing = true;        // false: each case is checked, no more
  bool other_values = true;  // as of CellOptions: the first of a run's processes alone
};

/// Overwrites some memory where the plan takes times of the host, to learn how long a flush takes: up to a
/// second.
CostFacts cost_facts(const Plan& plan, const MeasureOptions& measure, bool timing, const Devices& devices);

/// Whether a case takes time: cells are then measured in each of `measure.forks` processes.
bool times_in_forks(const Plan& plan);

/// Of each cell, in one process.
std::vector<CellCost> costs_of(const Plan& plan, const CostFacts& facts);
double seconds_of(const std::vector<CellCost>& cells);
/// Of a whole run, in all its processes. `timing`: as of CostFacts.
double seconds_of(const Plan& plan, const MeasureOptions& measure, const Devices& devices,
                  bool timing = true);

/// "less than a second", "40 s", "12 min", "1.5 h"
std::string rough_duration(double seconds);

}  // namespace redbench
