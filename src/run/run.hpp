// redbench run: a config's cells, measured one after the other, each record written as it is made.
#pragma once

#include <chrono>
#include <string>

#include "src/run/recording.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

struct RunOptions {
  Request request;
  Destination to;
  std::string csv, markdown, json;  // more files to write the table to; empty: none
  TableWidth width;
  bool dry_run = false;
  bool quiet = false;    // no progress, no table
  bool is_part = false;  // of another command: progress alone
  std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max();  // Work::until
};

/// Returns the exit code. Throws UsageError before anything is run or replaced.
int run(const RunOptions& options);

}  // namespace redbench
