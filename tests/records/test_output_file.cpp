// What --csv, --md and --json write to, and what they must not.
#include "src/records/output_file.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "tests/run_support.hpp"

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

// The bug: two processes wrote one file under the same name, and one of them renamed what the other had begun.
TEST(NewFile, OfTwoWritersOfAFileEachReplacesItWhole) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/table.csv";
  NewFile first(path), second(path);
  first.add("first\n");
  second.add("second\n");
  first.finish();
  EXPECT_THAT(lines_of(path), ElementsAre("first"));
  second.finish();
  EXPECT_THAT(lines_of(path), ElementsAre("second"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
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
  for (const char* name : {"/README.md", "/src/main.cpp", "/configs/quick.json"})
    EXPECT_THAT(refusal(REDBENCH_SOURCE_DIR + std::string(name)), HasSubstr("one of redbench's own files"));
  EXPECT_EQ(refusal(REDBENCH_SOURCE_DIR "/results/h200/claims.md"), "") << "a report is made again";
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

}  // namespace
}  // namespace redbench
