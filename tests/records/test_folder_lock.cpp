// The lock of a run's folder where the kernel does what it seldom does: a call is interrupted, or the lock
// file is removed or replaced by another process between opening and locking it.
#include "src/records/folder_lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "tests/records/file_support.hpp"
#include "tests/run_support.hpp"

namespace {

int interruptions = 0;                                // of the next calls of flock
std::string removed_meanwhile;                        // a path; empty: none
std::pair<std::string, std::string> moved_meanwhile;  // from one path to another; empty: nothing

}  // namespace

/// The C library's, which this program's own comes before.
extern "C" int flock(int file, int operation) noexcept {
  if (interruptions > 0) {
    --interruptions;
    errno = EINTR;
    return -1;
  }
  if (!removed_meanwhile.empty()) ::unlink(std::exchange(removed_meanwhile, {}).c_str());
  if (const auto [from, to] = std::exchange(moved_meanwhile, {}); !from.empty())
    std::rename(from.c_str(), to.c_str());
  return int(::syscall(SYS_flock, file, operation));
}

namespace redbench {
namespace {

class FolderLocks : public testing::Test {
 protected:
  std::string file() const { return folder_.path() + "/run.lock"; }
  std::string refusal() const {
    return usage_error([&] { FolderLock(folder_.path()); });
  }
  /// This process writes to the folder, as the file and the refusal of a second lock say.
  void expect_ours() const {
    const std::string id = std::to_string(::getpid());
    EXPECT_EQ(lines_of(file()), std::vector<std::string>{id});
    EXPECT_EQ(refusal(), folder_.path() + ": process " + id +
                             " is writing to it (run.lock); wait for its end, or choose another folder with "
                             "--out");
  }

  TemporaryFolder folder_;
  const std::size_t before_ = open_files();
};

// An older redbench left the file of each lock open for as long as the process lived.
TEST_F(FolderLocks, LeaveNoFileOpenAndNoneInTheFolder) {
  {
    const FolderLock lock(folder_.path());
    expect_ours();
    EXPECT_EQ(open_files(), before_ + 1);
  }
  EXPECT_EQ(open_files(), before_);
  EXPECT_FALSE(std::filesystem::exists(file()));
  interruptions = 2;
  const FolderLock lock(folder_.path());
  EXPECT_EQ(std::exchange(interruptions, 0), 0) << "by signals";
  EXPECT_EQ(open_files(), before_ + 1);
  expect_ours();
}

// The lock of a file that no other process finds would keep none of them out.
TEST_F(FolderLocks, AreOfTheFileThatOthersFind) {
  removed_meanwhile = file();
  {
    const FolderLock lock(folder_.path());
    EXPECT_EQ(removed_meanwhile, "");
    EXPECT_EQ(open_files(), before_ + 1) << "the file that was removed is closed";
    expect_ours();
  }
  moved_meanwhile = {folder_.write("other", "4711\n"), file()};
  const FolderLock lock(folder_.path());
  EXPECT_EQ(moved_meanwhile.first, "");
  EXPECT_EQ(open_files(), before_ + 1);
  expect_ours();
}

// Whatever is refused leaves no file open.
TEST_F(FolderLocks, ThatCannotBeTakenSayWhy) {
  const std::string elsewhere = "; choose another folder with --out";
  EXPECT_EQ(usage_error([&] { FolderLock(folder_.path() + "/none"); }),
            folder_.path() + "/none: cannot be written: No such file or directory" + elsewhere);
  std::filesystem::create_symlink("elsewhere", file());
  EXPECT_EQ(refusal(), folder_.path() + ": cannot be written: " + std::strerror(ELOOP) + elsewhere);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/elsewhere")) << "no link is followed";
  std::filesystem::remove(file());
  std::string full;
  {
    const FullDisk disk;
    full = refusal();
  }
  EXPECT_EQ(full, file() + ": cannot be written: File too large" + elsewhere);
  EXPECT_EQ(open_files(), before_);
}

}  // namespace
}  // namespace redbench
