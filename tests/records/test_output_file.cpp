// What --csv, --md and --json write to, and what they must not.
#include "src/records/output_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <thread>

#include "tests/records/file_support.hpp"
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

/// What is refused, without the option and the path; empty where nothing is.
std::string refusal(const std::string& path, const fs::path& promised = {}) {
  try {
    OutputFile("--csv", path, promised);
  } catch (const UsageError& error) {
    const std::string text = error.what(), start = "--csv " + path + ": cannot be written: ";
    EXPECT_TRUE(text.starts_with(start)) << text;
    return text.substr(start.size());
  }
  return {};
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

// The shell's file has the first line already, and gets one after.
TEST(OutputFile, StandardOutputIsWrittenIntoWhereItStands) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[1000]"));
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
  EXPECT_EQ(refusal("-"), "/dev/stdout is standard output, ./- a file of that name");
}

TEST(OutputFile, FilesOfARunAndOfTheConfigAreRefused) {
  const TemporaryFolder folder;
  fs::create_symlink("records.jsonl", folder.path() + "/link");
  for (const char* name : {"records.jsonl", "run.json", "run.lock", "link"})
    EXPECT_THAT(refusal(folder.path() + "/" + name), HasSubstr("the name of a run's own file"));
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
  for (const auto& [path, closed, fits] : {std::tuple(there, there, false),
                                           {there, out, false},
                                           {absent, std::string(), true},
                                           {absent, out, false},
                                           {fifo, fifo, false},
                                           {fifo, out, true},
                                           {promised + "/x.csv", promised, true}}) {
    read_only = {closed};
    EXPECT_EQ(refusal(path, promised), fits ? "" : "Read-only file system") << path << ' ' << closed;
    read_only.clear();
  }
}

TEST(OutputFile, AFolderThatTheRunWillMakeNeedNotBeThere) {
  const TemporaryFolder folder;
  const std::string in = folder.path(), promised = in + "/out/run";
  for (const auto& [path, of, missing] : {std::tuple("/out/run/x.csv", promised, ""),
                                          {"/out/run/x.csv", promised + "/", ""},
                                          {"/out/run/tables/x.csv", promised, "/out/run/tables"},
                                          {"/out/x.csv", std::string(), "/out"}})
    EXPECT_EQ(refusal(in + path, of), *missing ? "there is no folder " + in + missing : "") << path;
  EXPECT_FALSE(fs::exists(in + "/out")) << "nothing is made";
}

// A file is the same by whatever name, there or not; a device may be written into twice.
TEST(OutputFile, AFileIsKnownByAllItsNames) {
  const TemporaryFolder folder;
  const std::string in = folder.path() + "/";
  folder.write("a.csv", "old");
  fs::create_hard_link(in + "a.csv", in + "twin.csv");
  fs::create_symlink("a.csv", in + "link.csv");
  fs::create_symlink("later.csv", in + "dangling.csv");
  for (const auto& [output, other, same] : {std::tuple(in + "a.csv", in + "a.csv", true),
                                            {in + "twin.csv", in + "a.csv", true},
                                            {in + "link.csv", in + "a.csv", true},
                                            {in + "./a.csv", in + "a.csv", true},
                                            {in + "dangling.csv", in + "./later.csv", true},
                                            {in + "b.csv", in + "a.csv", false},
                                            {"/dev/null", "/dev/null", false}}) {
    const OutputFile file("--csv", output);
    if (same)
      EXPECT_EQ(usage_error([&, &other = other] { file.check_is_not(other, "the config"); }),
                "--csv " + output + ": cannot be written: it is the config");
    else EXPECT_NO_THROW(file.check_is_not(other, "the config")) << output;
  }
}

TEST(OutputFile, AFullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  const std::string table = folder.write("table", "old\n");
  std::string said;
  {
    const FullDisk full;
    said = usage_error([&] { OutputFile("--csv", table).write("new\n"); });
  }
  EXPECT_EQ(said, "--csv " + table + ": cannot be written: File too large");
  EXPECT_THAT(lines_of(table), ElementsAre("old"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "no part is left";
}

}  // namespace
}  // namespace redbench
