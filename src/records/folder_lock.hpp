// Lock of a run's folder: one process at a time writes to it.
#pragma once

#include <string>

namespace redbench {

class FolderLock {
 public:
  static constexpr const char* file_name = "run.lock";

  /// Locks the folder while this lives, by flock: the kernel releases the lock however the process ends. The
  /// file holds the number of this process. Throws UsageError with the number of the process that holds the
  /// lock.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace redbench
