// Runs that lose nothing and mislead nobody: what becomes of an earlier run, of a config or an input that
// changes under way, of what failed or is stale.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <numeric>
#include <set>

#include "src/records/output_folder.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Resume : public testing::Test {
 protected:
  Answer run(const std::string& more = "") const { return redbench(run_arguments(folder_, more)); }
  void expect_run(const std::string& more = "") const {
    const Answer answer = run(more);
    ASSERT_EQ(answer.exit_code, exit_fine) << answer.text;
  }
  /// Nothing of the run that is there changes.
  void expect_refused(const std::string& more, const std::string& message) const {
    const auto before = contents();
    const Answer answer = run(more);
    EXPECT_EQ(answer.exit_code, exit_usage) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(message));
    EXPECT_EQ(contents(), before);
  }
  /// Of each file below out/.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> texts;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() + "/out"))
      if (entry.is_regular_file()) {
        std::ifstream file(entry.path());
        texts[entry.path()] = {std::istreambuf_iterator<char>(file), {}};
      }
    return texts;
  }
  void write_config(const std::string& sizes, const std::string& more_axes = "") const {
    folder_.write("config.json", config_text(sizes, more_axes));
  }
  std::vector<Record> all_records() const { return read_records(records_); }
  StoredRun stored() const { return read_stored_run(folder_.path() + "/out"); }
  std::size_t count(const std::string& outcome) const {
    const std::vector<Record> records = stored().records;
    return std::size_t(
        std::ranges::count_if(records, [&](const Record& record) { return record["outcome"] == outcome; }));
  }
  void change_records(const std::function<void(std::vector<Record>&)>& change) const {
    std::vector<Record> records = all_records();
    change(records);
    const RecordFile file(records_, records);
  }
  Json facts() const { return stored().facts; }

  TemporaryFolder folder_;
  const std::string records_ = folder_.path() + "/out/records.jsonl";
};

TEST_F(Resume, AConfigMayComeThroughAPipe) {
  const std::string pipe = folder_.path() + "/pipe", out = folder_.path() + "/out";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(pipe) << config_text("[1000]"); });
  EXPECT_EQ(redbench("run " + pipe + " -d simt:gtx480 -q -o " + out).exit_code, exit_fine);
  writer.join();
  EXPECT_EQ(all_records().size(), 2u);
}

TEST_F(Resume, AnInputFileThatChangesUnderWayIsRefused) {
  std::vector<std::int32_t> numbers(500023);
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::string before = npy_of("<i4", numbers), path = folder_.write("x.npy", before);
  write_config(many_sizes, R"(, "values": {"file": "x.npy"})");
  RunningProgram running(folder_);
  running.wait_for(records_, 3);
  numbers.front() = 5;
  fs::rename(folder_.write("changed.npy", npy_of("<i4", numbers)),
             path);  // at once: half of it could be read
  const int status = running.end();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), exit_failed);
  EXPECT_GE(count("passed"), 3u);
  EXPECT_GE(count("failed"), 1u);
  EXPECT_EQ(count("passed") + count("failed"), many_records);
  for (const Record& record : all_records())
    EXPECT_TRUE(record["outcome"] == "passed" ||
                record["reason"].get<std::string>().find("x.npy: changed since the run began") !=
                    std::string::npos)
        << record;
  expect_refused("--resume", "x.npy has changed since that run began");
  folder_.write("x.npy", before);
  expect_run("-q --resume");
  EXPECT_EQ(count("passed"), many_records);
}

TEST_F(Resume, ARunIsReplacedOnlyWhereThatIsAskedForAndTheConfigIsGood) {
  write_config("[1000]");
  expect_run();
  std::set<std::string> mine;
  for (const char* name : {"notes.txt", "tables/mine.csv", "plots/mine.svg", "other/mine"})
    mine.insert(folder_.write(std::string("out/") + name, "mine"));
  expect_refused("", "out: holds a run of " + folder_.path() + "/config.json (test); --resume");
  write_config("[]");
  expect_refused("--replace", "the list is empty");
  write_config("[7, 8]");
  expect_run("--replace");
  EXPECT_EQ(all_records().size(), 4u);
  for (const std::string& file : mine) EXPECT_EQ(lines_of(file), std::vector<std::string>{"mine"}) << file;
  EXPECT_EQ(facts()["sessions"].size(), 1u);
}

// Nor do two of its own processes take times at once.
TEST_F(Resume, OneProcessWritesToAFolderAtATime) {
  write_config(many_sizes);
  RunningProgram running(folder_);
  running.wait_for(records_, 2);
  EXPECT_EQ(running.workers().size(), 1u);
  for (const std::string more : {"", "--resume", "--replace"}) {
    const Answer answer = run(more);
    EXPECT_EQ(answer.exit_code, exit_usage) << answer.text;
    EXPECT_THAT(answer.text, HasSubstr("out: process " + std::to_string(running.id()) + " is writing to it"));
  }
  running.end_with(SIGKILL);
  EXPECT_TRUE(fs::exists(folder_.path() + "/out/run.lock")) << "left by the kill";
  expect_run("-q --resume");
  EXPECT_EQ(all_records().size(), many_records);
  EXPECT_FALSE(fs::exists(folder_.path() + "/out/run.lock"));
}

TEST_F(Resume, AKernelThatHangsEndsItsProfile) {
  const Answer answer =
      answer_of(REDBENCH_WRONG_BINARY, "profile reduce/wrong_hangs -a n=1000 --set measure.hang_s=1 -o out",
                folder_.path());
  EXPECT_EQ(answer.exit_code, exit_failed) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("timeout: no sign of life"));
}

TEST_F(Resume, WhatFailedIsTriedAgainAndAWrongResultIsOne) {
  write_config("[1000, 1001]");
  expect_run();
  change_records([](std::vector<Record>& records) {
    const char* outcomes[] = {"failed", "timeout", "unsupported", "wrong"};
    for (std::size_t i = 0; i < records.size(); ++i) {
      records[i]["outcome"] = outcomes[i];
      records[i]["reason"] = "by this test";
    }
  });
  EXPECT_EQ(run("-q --resume").exit_code, exit_wrong);
  EXPECT_EQ(all_records().size(), 7u) << "no record is ever removed";
  EXPECT_EQ(count("passed"), 3u);
  EXPECT_EQ(count("wrong"), 1u);
  EXPECT_EQ(run("-q --resume").exit_code, exit_wrong);
  EXPECT_EQ(all_records().size(), 7u) << "the last record of a case says whether it is done";
}

// The bugs: the records were removed, then a table could not be written; `run.json` went unread.
TEST_F(Resume, WhatIsInTheWayIsSaidBeforeAnythingIsRemoved) {
  write_config("[1000]");
  expect_run();
  const std::string table = folder_.path() + "/out/tables/config.csv";
  fs::remove(table);
  fs::create_directory(table);
  for (const char* way : {"--replace", "--resume"})
    expect_refused(way, "out/tables/config.csv: is in the way: it is a folder");
  fs::remove(table);
  Json damaged = facts();
  damaged["name"] = 5;
  folder_.write("out/run.json", damaged.dump());
  expect_refused("--resume", "run.json: name: a text is expected, not 5");
  expect_run("--replace -q");
}

}  // namespace
}  // namespace redbench
