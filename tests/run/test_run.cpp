// redbench run as its user sees it: killed, resumed, refused, and what it leaves behind.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <set>

#include "tests/run_support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

TEST(Run, EveryPlannedCaseIsOneRow) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[0, 1, 1000]"));
  EXPECT_EQ(redbench(run_arguments(folder, "--dry-run")).exit_code, exit_fine);
  EXPECT_FALSE(fs::exists(folder.path() + "/out"));
  const Answer answer = redbench(run_arguments(folder));
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_NE(answer.text.find("6 passed; records and tables are in " + folder.path() + "/out\n"),
            std::string::npos)
      << answer.text;
  std::set<std::string> keys;
  for (const Record& record : read_records(folder.path() + "/out/records.jsonl")) {
    EXPECT_EQ(record["outcome"], "passed");
    EXPECT_TRUE(record["time_ns"].is_null()) << "the modelled device has no time";
    keys.insert(record["key"]);
  }
  EXPECT_EQ(keys.size(), 6u);
  for (const char* file : {"run.json", "tables/config.csv", "tables/config.md"})
    EXPECT_TRUE(fs::exists(folder.path() + "/out/" + file)) << file;
  EXPECT_EQ(lines_of(folder.path() + "/out/tables/config.csv").size(), 7u);

  const Answer again = redbench("results " + folder.path() + "/out");
  EXPECT_EQ(again.exit_code, exit_fine);
  EXPECT_NE(again.text.find("6 records, 0 stale\n"), std::string::npos) << again.text;
}

// The bug: of 10 it said that an argument was invalid, of 5 that another folder would do.
TEST(Run, WithFewOpenFilesAllowedThatIsTheReason) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[9]"));
  for (const char* most : {"5", "8", "10"}) {
    const Answer answer = answer_of("sh",
                                    fmt::format("-c 'ulimit -n {}; exec {} {}'", most, REDBENCH_BINARY,
                                                run_arguments(folder, "--replace")),
                                    ".");
    if (answer.exit_code == exit_fine) continue;
    EXPECT_THAT(answer.text, testing::EndsWith(": Too many open files\n")) << most;
  }
}

TEST(Run, ResumesAfterAKillOrAnInterrupt) {
  for (const int signal : {SIGKILL, SIGINT}) {
    const TemporaryFolder folder;
    folder.write("config.json", config_text(many_sizes));
    const std::string path = folder.path() + "/out/records.jsonl";
    const std::string printed = folder.path() + "/printed";
    RunningProgram running(folder, "> " + printed + " 2>&1");
    running.wait_for(path, 5);
    const int status = running.end_with(signal);
    if (signal == SIGINT) EXPECT_EQ(WEXITSTATUS(status), exit_interrupted);
    else EXPECT_TRUE(WIFSIGNALED(status));

    const std::vector<std::string> before = lines_of(path);
    ASSERT_GE(before.size(), 5u);
    ASSERT_LT(before.size(), many_records) << "the run ended before it was killed";
    if (signal == SIGINT) {
      EXPECT_THAT(lines_of(printed).back(),
                  testing::StartsWith(fmt::format("interrupted: {} of 48 records are in ", before.size())));
    }
    // A case in flight at the moment of the kill may have written half a line.
    std::ofstream(path, std::ios::app) << before[0].substr(0, 100);

    const Answer answer = redbench(run_arguments(folder, "--resume"));
    EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
    const std::vector<std::string> after = lines_of(path);
    ASSERT_EQ(after.size(), many_records);
    EXPECT_EQ(std::vector(after.begin(), after.begin() + std::ptrdiff_t(before.size())), before)
        << "kept, not measured again";
    std::set<std::string> keys;
    for (const Record& record : read_records(path)) keys.insert(record["key"]);
    EXPECT_EQ(keys.size(), many_records);
  }
}

TEST(Run, OutputThatCannotBeWrittenIsKnownBeforeAnythingRuns) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[1000]"));
  folder.write("file", "text");
  folder.write("mine/letter.txt", "Dear");
  const std::string run = "run " + folder.path() + "/config.json -d simt:gtx480 -o ";
  for (const std::string& out :
       {folder.path() + "/file/below", folder.path() + "/mine", std::string("/proc/redbench")}) {
    const Answer answer = redbench(run + out);
    EXPECT_EQ(answer.exit_code, exit_usage) << answer.text;
    EXPECT_NE(answer.text.find(out), std::string::npos) << answer.text;
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() + "/mine"), {}), 1);
  const Answer csv = redbench(run_arguments(folder, "--csv " + folder.path() + "/none/table.csv"));
  EXPECT_EQ(csv.exit_code, exit_usage) << csv.text;
  EXPECT_FALSE(fs::exists(folder.path() + "/out"));
}

// Also into the folder that the run makes, and one that is made with it.
TEST(Run, TablesGoWhereTheyAreAskedFor) {
  const TemporaryFolder folder;
  const std::string config = folder.write("config.json", config_text("[1000]")),
                    deep = folder.path() + "/deep";
  const Answer answer = redbench("run " + config + " -d simt:gtx480 -q -o " + deep + "/out --csv " + deep +
                                 "/out/t.csv --md " + deep + "/t.md --json " + folder.path() + "/t.json");
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_EQ(answer.text, "");
  EXPECT_EQ(redbench("tables " + deep + "/out --json").exit_code, exit_fine);
  for (const std::string kind : {"csv", "md", "json"})
    EXPECT_EQ(lines_of(kind == "json" ? folder.path() + "/t.json"
                                      : deep + (kind == "csv" ? "/out/t.csv" : "/t.md")),
              lines_of(deep + "/out/tables/config." + kind))
        << kind;
}

// The config's line of progress, and the table, found the number of records.jsonl.
TEST(Run, WhatIsPrintedToAClosedStreamLandsNowhere) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[1000, 1001]"));
  EXPECT_EQ(redbench(run_arguments(folder, "0<&- 1>&- 2>&-")).exit_code, exit_fine);
  EXPECT_EQ(read_records(folder.path() + "/out/records.jsonl").size(), 4u);
  for (const std::string& line : lines_of(folder.path() + "/out/records.jsonl"))
    EXPECT_TRUE(line.starts_with("{\"schema\":")) << line;
}

}  // namespace
}  // namespace redbench
