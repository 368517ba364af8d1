#include "src/records/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "src/error.hpp"
#include "src/text/first_line.hpp"

namespace redbench {
namespace {

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
  const auto refuse = [&](const std::string& sentence) {
    if (file_ >= 0) ::close(file_);
    throw UsageError(sentence + " choose another folder with --out");
  };
  do {
    if (file_ >= 0) ::close(file_);
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file_ < 0) refuse(folder + ": cannot be written: " + std::strerror(errno) + ";");
    while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) refuse(path_ + ": cannot be locked: " + std::strerror(errno) + ";");
      const std::string owner = first_line(path_);  // empty for a moment, after it was locked
      refuse(folder + ": " + (owner.empty() ? "another process" : "process " + owner) +
             " is writing to it (" + file_name + "); wait for its end, or");
    }
  } while (!is_at(file_, path_));
  const std::string number = std::to_string(::getpid()) + '\n';
  if (::ftruncate(file_, 0) != 0 || ::write(file_, number.data(), number.size()) != ssize_t(number.size()))
    refuse(path_ + ": cannot be written: " + std::strerror(errno) + ";");
}

FolderLock::~FolderLock() {
  ::unlink(path_.c_str());
  ::close(file_);
}

}  // namespace redbench
