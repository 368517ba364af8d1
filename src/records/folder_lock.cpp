#include "src/records/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "src/error.hpp"

namespace redbench {
namespace {

constexpr const char* elsewhere = "; choose another folder with --out";

std::string first_line_of_file(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Whether the open file still has this name. The owner of the lock removes its file: a process that opened
/// the file before that and locks it afterwards holds a lock that nobody else finds.
bool is_at(int file, const std::string& path) {
  struct stat open {
  }, named{};
  return ::fstat(file, &open) == 0 && ::stat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder) : path_(folder + "/" + file_name) {
  for (;;) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file_ < 0) throw UsageError(folder + ": cannot be written: " + std::strerror(errno) + elsewhere);
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      ::close(file_);
      if (error == EINTR) continue;
      if (error == EWOULDBLOCK) {
        const std::string owner = first_line_of_file(path_);  // empty for a moment, after it was locked
        throw UsageError(folder + ": " + (owner.empty() ? "another process" : "process " + owner) +
                         " is writing to it (" + file_name +
                         "); wait for its end, or choose another folder with --out");
      }
      throw UsageError(path_ + ": cannot be locked: " + std::strerror(error) + elsewhere);
    }
    if (is_at(file_, path_)) break;
    ::close(file_);
  }
  const std::string number = std::to_string(::getpid()) + '\n';
  if (::ftruncate(file_, 0) != 0 || ::write(file_, number.data(), number.size()) != ssize_t(number.size())) {
    const int error = errno;
    ::close(file_);
    throw UsageError(path_ + ": cannot be written: " + std::strerror(error) + elsewhere);
  }
}

FolderLock::~FolderLock() {
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace redbench
