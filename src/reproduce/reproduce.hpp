// redbench reproduce: all configs of a paper on the device at hand, and what is made of their records.
#pragma once

#include <string>

#include "src/tables/tables.hpp"

namespace redbench {

struct ReproduceOptions {
  std::string paper;
  std::string device = "auto";
  std::string precision = "default";
  std::string out;    // the folder of the papers' folders; empty: results/<device>
  std::string shard;  // of all cells that part; nothing is made of its records
  bool replace = false;
  bool dry_run = false;
  bool quiet = false;      // no progress
  bool no_report = false;  // runs and their tables alone
  TableWidth width;
};

/// Runs the configs, widest cells first, goes on after one that fails, then draws, answers the claims and
/// writes the report. Gives the worst exit code. Throws UsageError before anything is run.
int reproduce(const ReproduceOptions& options);

}  // namespace redbench
