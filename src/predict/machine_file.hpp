// Machines of the cache simulator as JSON: configs/devices/caches/*.json, files of the user's own, and what a
// probe of this host found.
#pragma once

#include <string>

#include "src/caches/machine.hpp"
#include "src/json.hpp"

namespace redbench {

/// A machine and how its paper's measurements are known among published numbers, empty where they are none.
struct MachineFile {
  caches::Machine machine;
  std::string published_as;
};

/// The names of configs/devices/caches, in order.
std::vector<std::string> own_machines();

/// `name`: of a file of configs/devices/caches, or a path. Throws UsageError with the nearest match, or by
/// file and JSON path.
MachineFile load_machine(const std::string& name);

/// The same of a text; `place` begins messages.
MachineFile parse_machine(const std::string& name, const std::string& text, const std::string& place);

/// What parse_machine reads.
Json written_machine(const caches::Machine& machine);

/// Whether there is translation and what keeps accesses from overlapping: a model needs them.
bool has_core(const caches::Machine& machine);

}  // namespace redbench
