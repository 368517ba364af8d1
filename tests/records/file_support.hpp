// What the system does seldom to files: a full disk, descriptors that stay open.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>

namespace redbench {

inline std::size_t open_files() {
  return std::size_t(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

/// While it lives no file may grow, as on a disk that is full.
class FullDisk {
 public:
  FullDisk() : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit nothing{0, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &nothing);
  }
  FullDisk(const FullDisk&) = delete;
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit limit_;
  sighandler_t handler_;
};

}  // namespace redbench
