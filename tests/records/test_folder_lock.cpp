// The lock of a run's folder where the kernel does what it seldom does: a call that is interrupted, a lock
// file that its owner removes between another's opening and locking it, or that somebody puts another in
// place of.
#include "src/records/folder_lock.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "tests/run_support.hpp"

namespace {

int calls_left = -1;            // of flock, before it refuses, so that nobody calls it for ever; -1: any
int interruptions = 0;          // of the next calls of flock
int refusals = 0;               // of the next calls of flock, by a file system that has no locks
std::string removed_meanwhile;  // a path; empty: none
std::pair<std::string, std::string> moved_meanwhile;  // from one path to another; empty: nothing
int other_devices = 0;  // for the next calls of stat: the lock lies on another device than what is open

}  // namespace

/// The C library's, which this program's own comes before.
extern "C" int flock(int file, int operation) noexcept {
  if (calls_left > 0) --calls_left;
  if (interruptions > 0) {
    --interruptions;
    errno = EINTR;
    return -1;
  }
  if (refusals > 0 || calls_left == 0) {
    if (refusals > 0) --refusals;
    errno = ENOLCK;
    return -1;
  }
  if (!removed_meanwhile.empty()) ::unlink(std::exchange(removed_meanwhile, {}).c_str());
  if (const auto [from, to] = std::exchange(moved_meanwhile, {}); !from.empty())
    std::rename(from.c_str(), to.c_str());
  return int(::syscall(SYS_flock, file, operation));
}

extern "C" int stat(const char* path, struct stat* found) noexcept {
  const int result = ::fstatat(AT_FDCWD, path, found, 0);
  if (other_devices > 0 && std::string_view(path).ends_with("/run.lock")) {
    --other_devices;
    ++found->st_dev;
  }
  return result;
}

namespace redbench {
namespace {

class FolderLocks : public testing::Test {
 protected:
  FolderLocks() { calls_left = 100; }
  ~FolderLocks() override { calls_left = -1; }
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

// Another's file in its place, or the same number on a device that was mounted there: not what is locked.
TEST_F(FolderLocks, AreNotOfAFileThatWasPutInItsPlace) {
  const std::ptrdiff_t before = open_files();
  moved_meanwhile = {folder_.write("other", "4711\n"), file()};
  {
    const FolderLock lock(folder_.path());
    EXPECT_EQ(moved_meanwhile.first, "");
    EXPECT_EQ(open_files(), before + 1);
    expect_ours();
  }
  other_devices = 2;
  const FolderLock lock(folder_.path());
  EXPECT_EQ(std::exchange(other_devices, 0), 0);
  EXPECT_EQ(open_files(), before + 1);
  expect_ours();
}

TEST_F(FolderLocks, MayHaveTheNumberOfStandardInput) {
  const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  ::close(STDIN_FILENO);
  {
    const FolderLock lock(folder_.path());
    EXPECT_GE(::fcntl(STDIN_FILENO, F_GETFD), 0) << "it has that number";
    expect_ours();
  }
  EXPECT_LT(::fcntl(STDIN_FILENO, F_GETFD), 0) << "it is closed again";
  if (input >= 0) {
    ::dup2(input, STDIN_FILENO);
    ::close(input);
  }
}

TEST_F(FolderLocks, MayBeOpenedByWhomTheMaskLets) {
  for (const auto& [mask, mode] : {std::pair<mode_t, int>(0022, 0644), {0, 0666}, {0077, 0600}}) {
    const mode_t before = ::umask(mask);
    const FolderLock lock(folder_.path());
    ::umask(before);
    EXPECT_EQ(int(std::filesystem::status(file()).permissions()), mode) << mask;
  }
}

// Whatever is refused leaves no file open.
TEST_F(FolderLocks, ThatCannotBeTakenSayWhy) {
  const std::ptrdiff_t before = open_files();
  const std::string elsewhere = "; choose another folder with --out";
  const auto refusal = [&] { return usage_error([&] { FolderLock lock(folder_.path()); }); };
  EXPECT_EQ(usage_error([&] { FolderLock(folder_.path() + "/none"); }),
            folder_.path() + "/none: cannot be written: No such file or directory" + elsewhere);
  std::filesystem::create_symlink("elsewhere", file());
  EXPECT_EQ(refusal(), folder_.path() + ": cannot be written: " + std::strerror(ELOOP) + elsewhere);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/elsewhere")) << "no link is followed";
  std::filesystem::remove(file());

  refusals = 1;
  EXPECT_EQ(refusal(), file() + ": cannot be locked: No locks available" + elsewhere);
  EXPECT_EQ(refusals, 0);

  rlimit limit;
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit nothing{0, limit.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &nothing);
  const std::string full = refusal();
  setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(full, file() + ": cannot be written: File too large" + elsewhere);
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace redbench
