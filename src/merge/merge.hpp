// redbench merge: runs of one config, made by several machines or in parts, as one folder.
#pragma once

#include <string>
#include <vector>

#include "src/tables/tables.hpp"

namespace redbench {

struct MergeOptions {
  std::vector<std::string> folders;  // each a run, or each with the runs of a reproduction below
  std::string out;
  bool replace = false;
  TableWidth width;
};

/// Reads and checks all before it writes anything, and writes beside before it replaces. Throws UsageError.
int merge(const MergeOptions& options);

}  // namespace redbench
