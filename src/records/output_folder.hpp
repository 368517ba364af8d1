// The folder of a run: run.json, records.jsonl, tables/, plots/.
#pragma once

#include <string>

#include "src/json.hpp"

namespace redbench {

class OutputFolder {
 public:
  /// Throws UsageError where `path` holds something that is no run of redbench's, or cannot be made or
  /// written. Changes nothing but to make it.
  explicit OutputFolder(const std::string& path);

  const std::string& path() const { return path_; }
  std::string run_json() const { return path_ + "/run.json"; }
  std::string records() const { return path_ + "/records.jsonl"; }
  std::string tables() const { return path_ + "/tables"; }

  /// Whether a run is there that may be gone on with.
  bool has_run() const;
  /// The facts of that run.
  Json read_run() const;
  /// Removes an earlier run's files; those that redbench did not write stay.
  void clear() const;

 private:
  std::string path_;
};

}  // namespace redbench
