// The input files that a config's axes name, by their contents when the run began: a record tells what was in
// them, and no case runs on one that has changed.
#pragma once

#include <ctime>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "src/config/config.hpp"

namespace redbench {

class InputFiles {
 public:
  InputFiles() = default;
  /// Reads each file once. Throws UsageError.
  explicit InputFiles(const std::vector<Experiment>& experiments);
  /// From `digests()` of another process. Reads nothing.
  explicit InputFiles(const Json& digests);

  /// By path, the SHA-256.
  Json digests() const;

  /// The digests by axis, of the axes that name one of these files: `input_files` of a record. Null where
  /// none does.
  Json digests_of(const Json& axes) const;

  /// Throws UsageError where a file that these axes name has changed. A file that was not touched since the
  /// last check is not read again.
  void check(const Json& axes);

 private:
  /// Device, number, bytes and time of the last change: equal for as long as nobody touches the file.
  using Stamp = std::tuple<unsigned long, unsigned long, long, std::time_t, long>;
  struct File {
    std::string digest;
    Stamp seen;  // at which it had that digest
  };
  static Stamp stamp_of(const std::string& path);

  std::map<std::string, File> files_;
};

}  // namespace redbench
