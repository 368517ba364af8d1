// What --csv, --md and --json write to, and what they must not.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <thread>

#include "src/records/output_file.hpp"
#include "tests/run_support.hpp"

namespace {

std::set<std::string> read_only;  // paths that nobody may write to, the superuser included

}  // namespace

/// The C library's, which this program's own comes before.
extern "C" int access(const char* path, int mode) noexcept {
  if (!(mode & W_OK) || !read_only.contains(path)) return ::faccessat(AT_FDCWD, path, mode, 0);
  errno = EROFS;
  return -1;
}

namespace redbench {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::string& path) {
  return usage_error([&] { OutputFile("--csv", path); });
}

TEST(OutputFile, LinksAreFollowedAndStay) {
  const TemporaryFolder folder;
  const std::string target = folder.write("far/table.csv", "old"), link = folder.path() + "/link.csv";
  fs::permissions(target, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("far/table.csv", link);
  fs::create_hard_link(target, folder.path() + "/twin.csv");
  OutputFile("--csv", link).write("new\n");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_THAT(lines_of(target), ElementsAre("new"));
  EXPECT_EQ(fs::status(target).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_THAT(lines_of(folder.path() + "/twin.csv"), ElementsAre("old"));  // replaced, not written into
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() + "/far"), {}), 1);

  fs::create_symlink("far/later.csv", folder.path() + "/dangling.csv");
  OutputFile("--csv", folder.path() + "/dangling.csv").write("new\n");
  EXPECT_THAT(lines_of(folder.path() + "/far/later.csv"), ElementsAre("new"));
}

TEST(OutputFile, WhatIsNoRegularFileIsWrittenInto) {
  const TemporaryFolder folder;
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::vector<std::string> read;
  std::thread reader([&] { read = lines_of(fifo); });
  OutputFile("--csv", fifo).write("a\nb\n");
  reader.join();
  EXPECT_THAT(read, ElementsAre("a", "b"));
  EXPECT_TRUE(fs::is_fifo(fifo));

  // By a link of the test's own, which a rename would replace, and not /dev/full itself.
  fs::create_symlink("/dev/full", folder.path() + "/full");
  const OutputFile full("--csv", folder.path() + "/full");
  EXPECT_THAT(usage_error([&] { full.write("text"); }),
              HasSubstr("--csv " + folder.path() + "/full: cannot"));
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

// The bug: where standard input is closed, the file that is opened has its number, 0.
TEST(OutputFile, AFileMayHaveTheNumberOfStandardInput) {
  const TemporaryFolder folder;
  fs::create_symlink("/dev/null", folder.path() + "/link");
  const OutputFile output("--csv", folder.path() + "/link");
  const int input = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 10);
  ::close(STDIN_FILENO);
  EXPECT_NO_THROW(output.write("text"));
  EXPECT_LT(::fcntl(STDIN_FILENO, F_GETFD), 0) << "it is closed again";
  if (input >= 0) {
    ::dup2(input, STDIN_FILENO);
    ::close(input);
  }
}

TEST(OutputFile, AnOpenDescriptorIsWrittenIntoWhereItStands) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[1000]"));
  // The shell's file has the first line already, and gets one after.
  const Answer answer =
      answer_of("sh",
                "-c '(echo before; " REDBENCH_BINARY " " + run_arguments(folder, "-q --csv /dev/stdout") +
                    "; echo after) > " + folder.path() + "/all'",
                folder.path());
  EXPECT_EQ(answer.text, "");
  const std::vector<std::string> lines = lines_of(folder.path() + "/all");
  ASSERT_EQ(lines.size(), 5u);  // two cases under the names of the columns
  EXPECT_EQ(lines.front(), "before");
  EXPECT_THAT(lines[1], testing::StartsWith("schema,"));
  EXPECT_EQ(lines.back(), "after");
  EXPECT_THAT(refusal("/proc/self/fd/99999"), HasSubstr("nothing is open for writing under that number"));
  // The program has files of its own, one of which may have the number.
  for (const char* redirection : {"3>&-", "3</dev/null"})
    EXPECT_THAT(answer_of("sh",
                          "-c '" REDBENCH_BINARY " " +
                              run_arguments(folder, "-q --replace --csv /dev/fd/3 ") + redirection + "'",
                          folder.path())
                    .text,
                HasSubstr("--csv /dev/fd/3: cannot be written: nothing is open for writing"));
}

TEST(OutputFile, FilesOfARunAndOfTheConfigAreRefused) {
  const TemporaryFolder folder;
  for (const char* name : {"records.jsonl", "run.json", "run.lock"}) {
    const std::string path = folder.write(name, "kept\n");
    fs::create_symlink(name, folder.path() + "/link");
    EXPECT_THAT(refusal(path), HasSubstr("the name of a run's own file"));
    EXPECT_THAT(refusal(folder.path() + "/link"), HasSubstr("the name of a run's own file"));
    fs::remove(folder.path() + "/link");
    EXPECT_THAT(lines_of(path), ElementsAre("kept"));
  }
  EXPECT_THAT(refusal(folder.path()), HasSubstr("it is a folder"));
  EXPECT_THAT(refusal(folder.path() + "/none/x.csv"), HasSubstr("there is no folder"));

  const std::string config = folder.write("config.json", config_text("[1000]"));
  const Answer same = redbench(run_arguments(folder, "--csv " + config));
  EXPECT_EQ(same.exit_code, exit_usage);
  EXPECT_THAT(same.text, HasSubstr("it is the config"));
  const std::string table = folder.path() + "/table";
  const Answer twice =
      redbench(run_arguments(folder, "--csv " + table + " --md " + folder.path() + "/./table"));
  EXPECT_EQ(twice.exit_code, exit_usage);
  EXPECT_THAT(twice.text, HasSubstr("it is the file of --csv"));
  EXPECT_FALSE(fs::exists(folder.path() + "/out/records.jsonl"));
}

// A file is replaced by a new one in its folder; what is no file is written into, wherever it stands.
TEST(OutputFile, WhatMayNotBeWrittenIsRefusedBeforehand) {
  const TemporaryFolder folder;
  const std::string there = folder.write("out/there.csv", "old"), absent = folder.path() + "/out/absent.csv",
                    fifo = folder.path() + "/out/fifo", out = folder.path() + "/out",
                    promised = folder.path() + "/promised";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  struct {
    std::string path;
    std::set<std::string> read_only;
    bool fits;
  } const cases[] = {{there, {}, true},
                     {there, {there}, false},
                     {there, {out}, false},
                     {there, {absent}, true},
                     {absent, {}, true},
                     {absent, {absent}, true},
                     {absent, {out}, false},
                     {fifo, {}, true},
                     {fifo, {fifo}, false},
                     {fifo, {out}, true},
                     {promised + "/x.csv", {promised}, true}};
  for (const auto& one : cases) {
    read_only = one.read_only;
    const auto open = [&] { OutputFile("--md", one.path, promised); };
    if (one.fits) EXPECT_NO_THROW(open()) << one.path;
    else EXPECT_EQ(usage_error(open), "--md " + one.path + ": cannot be written: Read-only file system");
    read_only.clear();
  }
}

// Each has a file of its own open, for as long as it is there.
TEST(OutputFile, ADescriptorIsKeptOpenOnce) {
  const TemporaryFolder folder;
  const auto open_files = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), {}); };
  const std::string path = folder.write("all", "");
  const int given = ::open(path.c_str(), O_WRONLY);  // as from a shell: it would come through an exec
  const std::string name = "/proc/self/fd/" + std::to_string(given);
  fs::create_symlink(name, folder.path() + "/link");
  const auto before = open_files();
  {
    OutputFile first("--csv", name);
    EXPECT_EQ(open_files(), before + 1);
    const OutputFile linked("--md", folder.path() + "/link");
    EXPECT_EQ(open_files(), before + 2);
    first.write("one\n");
    const OutputFile moved = std::move(first);
    EXPECT_EQ(open_files(), before + 2);
    linked.write("two\n");
    moved.write("three\n");
    EXPECT_EQ(open_files(), before + 2);
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_GE(::fcntl(given, F_GETFD), 0) << "the caller's own stays";
  EXPECT_THAT(lines_of(path), ElementsAre("one", "two", "three"));
  ::fcntl(given, F_SETFD, FD_CLOEXEC);
  const std::string none =
      "--csv " + name + ": cannot be written: nothing is open for writing under that number";
  EXPECT_EQ(refusal(name), none) << "redbench's own";
  ::close(given);
  EXPECT_EQ(refusal(name), none);
  const int read = ::open(path.c_str(), O_RDONLY);
  EXPECT_EQ(refusal("/proc/self/fd/" + std::to_string(read)),
            "--csv /proc/self/fd/" + std::to_string(read) +
                ": cannot be written: nothing is open for writing under that number");
  ::close(read);
}

// Of up to six digits; any other name there is one like those of any folder.
TEST(OutputFile, ADescriptorIsANumberAndNothingElse) {
  const std::string folder = "/proc/self/fd/";
  EXPECT_EQ(refusal(folder), "--csv /proc/self/fd/: cannot be written: it is a folder");
  read_only = {"/proc/self/fd"};
  for (const char* name : {"1234567", "99999999999999999999", "1x", "x1", "-1", "+1", " 1"})
    EXPECT_EQ(refusal(folder + name),
              "--csv /proc/self/fd/" + std::string(name) + ": cannot be written: Read-only file system");
  read_only.clear();
}

}  // namespace
}  // namespace redbench
