// Runs that lose nothing and mislead nobody: what becomes of an earlier run, of a config or an input that
// changes under way, of what failed or is stale.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <numeric>
#include <set>

#include "src/records/stored_run.hpp"
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
      if (entry.is_regular_file()) texts[entry.path()] = text_in(entry.path());
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

// The bug was that each new worker read the path again: it is killed here, so that there is a new one.
TEST_F(Resume, AConfigThatIsReplacedUnderWayDoesNotChangeTheRun) {
  write_config(many_sizes);
  RunningProgram running(folder_);
  running.wait_for(records_, 3);
  write_config("[7, 8, 9]");
  running.send_worker(SIGKILL);
  EXPECT_TRUE(WIFEXITED(running.end()));
  std::set<std::string> keys;
  for (const Record& record : all_records()) {
    EXPECT_GE(record["n"], 200000);
    keys.insert(record["key"]);
  }
  EXPECT_EQ(keys.size(), many_records);
  EXPECT_GE(count("passed"), many_records - 1) << "the case under way alone";
}

TEST_F(Resume, AConfigMayComeThroughAPipe) {
  const std::string text = config_text("[1000]"), to = " -d simt:gtx480 -q -o " + folder_.path() + "/";
  const std::string fifo = folder_.path() + "/fifo";
  EXPECT_EQ(redbench("run /dev/stdin" + to + "stdin < " + folder_.write("config.json", text)).exit_code,
            exit_fine);
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  std::thread writer([&] { std::ofstream(fifo) << text; });
  EXPECT_EQ(redbench("run " + fifo + to + "from_fifo").exit_code, exit_fine);
  writer.join();
  for (const char* out : {"/stdin", "/from_fifo"})
    EXPECT_EQ(read_records(folder_.path() + out + "/records.jsonl").size(), 2u) << out;
}

TEST_F(Resume, AnInputFileThatChangesUnderWayIsRefused) {
  std::vector<std::int32_t> numbers(200023);
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

TEST_F(Resume, MoreOfTheRunAddsToItAndAPartLeavesTheRest) {
  const std::string plots = R"({"plots": [{"name": "p", "x": "n", "y": "time_ns"}],)";
  const auto write = [&](const std::string& sizes) {
    folder_.write("config.json", plots + config_text(sizes).substr(1));
  };
  write("[1000, 1002]");
  expect_run("-b harris3");
  folder_.write("out/plots/p.svg", "drawn");
  write("[1000, 1001, 1002]");
  expect_run("-q --resume");
  std::vector<std::string> order;
  for (const Record& record : stored().records)
    order.push_back(record["key"].get<std::string>().substr(7, 14));
  EXPECT_EQ(order, (std::vector<std::string>{"harris1 n=1000", "harris3 n=1000", "harris1 n=1001",
                                             "harris3 n=1001", "harris1 n=1002", "harris3 n=1002"}));
  EXPECT_EQ(facts()["config"]["experiments"][0]["axes"]["n"], Json({1000, 1001, 1002}));
  const auto before = contents();
  expect_run("-q --resume -b harris3");
  expect_run("-q --resume -a n=1001");
  EXPECT_EQ(contents()[records_], before.at(records_));
  EXPECT_EQ(facts()["config"]["experiments"][0]["variants"], Json({"harris1", "harris3"}));
  EXPECT_EQ(lines_of(folder_.path() + "/out/tables/config.csv").size(), 7u);
  EXPECT_TRUE(fs::exists(folder_.path() + "/out/plots/p.svg")) << "what was drawn stays";
}

TEST_F(Resume, ARunIsReplacedOnlyWhereThatIsAskedForAndTheConfigIsGood) {
  folder_.write("config.json",
                R"({"plots": [{"name": "p", "x": "n", "y": "time_ns"}],)" + config_text("[1000]").substr(1));
  expect_run();
  std::set<std::string> mine;
  for (const char* name : {"notes.txt", "tables/mine.csv", "plots/mine.svg", "other/mine"})
    mine.insert(folder_.write(std::string("out/") + name, "mine"));
  folder_.write("out/plots/p.svg", "drawn");
  expect_refused("", "out: holds a run of " + folder_.path() + "/config.json (test); --resume");
  write_config("[]");
  expect_refused("--replace", "the list is empty");

  write_config("[7, 8]");
  expect_run("--replace");
  EXPECT_EQ(all_records().size(), 4u);
  for (const std::string& file : mine) EXPECT_EQ(lines_of(file), std::vector<std::string>{"mine"}) << file;
  EXPECT_FALSE(fs::exists(folder_.path() + "/out/plots/p.svg"));
  EXPECT_EQ(facts()["sessions"].size(), 1u);
}

TEST_F(Resume, AProfileReplacesNothingUnasked) {
  const std::string profile =
      "profile reduce/harris1 -d simt:gtx480 -a n=1000 -o " + folder_.path() + "/out ";
  ASSERT_EQ(redbench(profile).exit_code, exit_fine);
  const auto before = contents();
  const Answer answer = redbench(profile);
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_THAT(answer.text, HasSubstr("holds a run of reduce/harris1"));
  EXPECT_EQ(contents(), before);
  EXPECT_EQ(redbench(profile + "--replace").exit_code, exit_fine);
}

// Nor do two of its own processes take times at once.
TEST_F(Resume, OneProcessWritesToAFolderAtATime) {
  write_config(many_sizes);
  RunningProgram running(folder_);
  running.wait_for(records_, 2);
  EXPECT_EQ(running.workers().size(), 1u);
  kill(running.id(), SIGSTOP);  // else it may be done before the third has asked
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

// The bug: GPUs of another host made the rest, and its CPU the CPU's times.
TEST_F(Resume, ARunOfSeveralGpusStaysOnTheirHost) {
  write_config("[1000]");
  ASSERT_EQ(redbench("run config.json -q -d simt:gtx480:2 -o out", folder_.path()).exit_code, exit_fine);
  Json changed = facts();
  if (changed["sessions"][0]["host"]["machine_hash"].is_null()) GTEST_SKIP() << "a machine without an id";
  const auto write_facts = [&] { folder_.write("out/run.json", changed.dump()); };
  for (Json& session : changed["sessions"]) session["board"] = {{"uuid_hash", "aa"}};
  write_facts();
  expect_run("-q --resume");
  for (Json& session : changed["sessions"]) session["host"]["machine_hash"] = "another";
  write_facts();
  expect_refused("--resume", "are of another host");
  for (Json& session : changed["sessions"]) session.erase("gpu");
  write_facts();  // begun on one GPU
  const Answer answer = redbench("run config.json -q -d simt:gtx480:2 -o out --resume", folder_.path());
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_THAT(answer.text, HasSubstr("are of another host"));
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

// The time that a plan is expected to take is compared with that of a session that made all of it.
TEST_F(Resume, EachSessionHasItsOwnOptions) {
  write_config("[1000]");
  expect_run("--max-samples 50");
  write_config("[1000, 1001]");
  for (int times = 0; times < 2; ++times) expect_run("-q --resume --max-samples 60");
  const Json sessions = facts()["sessions"];
  ASSERT_EQ(sessions.size(), 2u) << "the last had nothing to make";
  EXPECT_EQ(sessions[0]["measure"]["max_samples"], 50);
  EXPECT_EQ(sessions[1]["measure"]["max_samples"], 60);
  EXPECT_TRUE(sessions[0].contains("planned_s"));
  EXPECT_FALSE(sessions[1].contains("planned_s"));
  for (const Json& session : sessions) EXPECT_TRUE(session["ended"].is_string());
  EXPECT_FALSE(facts()["config"].contains("measure"));
  for (const Record& record : all_records()) EXPECT_EQ(record["session"], record["n"] == 1000 ? 0 : 1);
  EXPECT_THAT(contents()[folder_.path() + "/out/tables/config.md"], HasSubstr("max_samples 50, 60"));
}

// The bugs: the records were removed, then a table could not be written; `run.json` went unread.
TEST_F(Resume, WhatIsInTheWayIsSaidBeforeAnythingIsRemoved) {
  write_config("[1000]");
  expect_run();
  const std::string tables = folder_.path() + "/out/tables";
  fs::remove(tables + "/config.csv");
  fs::create_directory(tables + "/config.csv");
  for (const char* way : {"--replace", "--resume"})
    expect_refused(way, "out/tables/config.csv: is in the way: it is a folder");
  fs::remove_all(tables);
  Json damaged = facts();
  damaged["name"] = 5;
  folder_.write("out/run.json", damaged.dump());
  expect_refused("--resume", "run.json: name: a text is expected, not 5");
  expect_run("--replace -q");
}

}  // namespace
}  // namespace redbench
