// Machines of the cache simulator as JSON: configs/devices/caches/*.json, the user's own files, and the
// result of a probe of this host.
#pragma once

#include <string>

#include "src/cachesim/machine.hpp"
#include "src/json/json.hpp"

namespace redbench {

/// A machine, and the name of its device among published numbers (results/papers/); empty where there are
/// none.
struct MachineFile {
  cachesim::Machine machine;
  std::string published_as;
};

/// The names of the files in configs/devices/caches, sorted.
std::vector<std::string> own_machines();

/// `name`: a file of configs/devices/caches, or a path. Throws UsageError: an unknown name with the nearest
/// match, a mistake in a file by file and JSON path.
MachineFile load_machine(const std::string& name);

/// Parses the text of such a file; `place` begins messages.
MachineFile parse_machine(const std::string& name, const std::string& text, const std::string& place);

/// The inverse of parse_machine.
Json serialize_machine(const cachesim::Machine& machine);

/// Whether the machine has the core that the overlapped model needs.
bool has_core(const cachesim::Machine& machine);

}  // namespace redbench
