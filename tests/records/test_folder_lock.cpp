// The lock of a run's folder where the kernel does what it seldom does: a call that is interrupted, a lock
// file that its owner removes between another's opening and locking it.
#include "src/records/folder_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "tests/run_support.hpp"

namespace {

int interruptions = 0;          // of the next calls of flock
std::string removed_meanwhile;  // a path; empty: none

}  // namespace

/// The C library's, which this program's own comes before.
extern "C" int flock(int file, int operation) noexcept {
  if (interruptions > 0) {
    --interruptions;
    errno = EINTR;
    return -1;
  }
  if (!removed_meanwhile.empty()) ::unlink(std::exchange(removed_meanwhile, {}).c_str());
  return int(::syscall(SYS_flock, file, operation));
}

namespace redbench {
namespace {

class FolderLocks : public testing::Test {
 protected:
  static std::ptrdiff_t open_files() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  }
  std::string file() const { return folder_.path() + "/run.lock"; }
  /// Who writes to the folder, as its file and the refusal of another say.
  void expect_ours() const {
    const std::string id = std::to_string(::getpid());
    EXPECT_EQ(lines_of(file()), std::vector<std::string>{id});
    const std::string refusal = usage_error([&] { FolderLock(folder_.path()); });
    EXPECT_EQ(refusal, folder_.path() + ": process " + id +
                           " is writing to it (run.lock); wait for its end, or choose another folder with "
                           "--out");
  }

  TemporaryFolder folder_;
};

// The bug: each lock left its file open for as long as the process lived.
TEST_F(FolderLocks, LeaveNoFileOpenAndNoneInTheFolder) {
  const std::ptrdiff_t before = open_files();
  {
    const FolderLock lock(folder_.path());
    expect_ours();
    EXPECT_EQ(open_files(), before + 1);
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(FolderLocks, AreTakenThoughSignalsInterrupt) {
  const std::ptrdiff_t before = open_files();
  interruptions = 2;
  EXPECT_NO_THROW({
    const FolderLock lock(folder_.path());
    EXPECT_EQ(interruptions, 0);
    EXPECT_EQ(open_files(), before + 1);
    expect_ours();
  });
  interruptions = 0;
}

// The bug: "process  is writing to it", of one that has not yet written its number.
TEST_F(FolderLocks, OfOneWithoutANumberAreAnothers) {
  const FolderLock lock(folder_.path());
  std::filesystem::resize_file(file(), 0);
  EXPECT_THAT(usage_error([&] { FolderLock(folder_.path()); }),
              testing::StartsWith(folder_.path() + ": another process is writing to it (run.lock); "));
}

// Who holds a file that nobody else finds would not keep the others out.
TEST_F(FolderLocks, AreOfTheFileThatOthersFind) {
  const std::ptrdiff_t before = open_files();
  removed_meanwhile = file();
  const FolderLock lock(folder_.path());
  EXPECT_EQ(removed_meanwhile, "");
  EXPECT_EQ(open_files(), before + 1) << "the file that was removed is closed";
  expect_ours();
}

}  // namespace
}  // namespace redbench
