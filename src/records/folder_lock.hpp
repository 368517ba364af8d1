// One process at a time writes to a run's folder.
#pragma once

#include <string>

namespace redbench {

class FolderLock {
 public:
  /// In the folder.
  static constexpr const char* file_name = "run.lock";

  /// Locks the folder for as long as it lives. The file holds the number of this process; the lock itself is
  /// the kernel's (flock), so that it ends with its process, however that dies. Throws UsageError, with the
  /// number of the process that has the lock.
  explicit FolderLock(const std::string& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  std::string path_;
  int file_ = -1;
};

}  // namespace redbench
