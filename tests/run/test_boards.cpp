// A run that several modelled GPUs share: what comes out is what one gives, whatever becomes of its workers and itself.
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "src/records/stored_run.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

class SharedRun : public testing::Test {
 protected:
  SharedRun() { folder_.write("config.json", config_text(many_sizes)); }
  std::string arguments(const std::string& device, const std::string& out,
                        const std::string& more = "") const {
    return "run " + folder_.path() + "/config.json -d " + device + " -o " + path(out) + " " + more;
  }
  std::string path(const std::string& out) const { return folder_.path() + "/" + out; }
  /// Without what says which GPU made it, in the order of the tables.
  std::vector<std::string> records(const std::string& out) const {
    std::vector<std::string> lines;
    for (Record& record : read_stored_run(path(out)).records) {
      record["session"] = record["others_sampling"] = nullptr;
      lines.push_back(line_of(record));
    }
    return lines;
  }
  /// What one gives, and the records of each cell are of one GPU.
  void expect_as_of_one(const std::string& out) const {
    if (!std::filesystem::exists(path("one"))) {
      const Answer one = redbench(arguments("simt:gtx480", "one"));
      ASSERT_EQ(one.exit_code, exit_fine) << one.text;
    }
    EXPECT_EQ(records(out), records("one"));
    EXPECT_EQ(folder_.read(out + "/tables/config.md"), folder_.read("one/tables/config.md"));
    EXPECT_EQ(lines_of(path(out + "/records.jsonl")).size(), many_records);
    std::map<Index, std::set<std::size_t>> sessions;
    for (const Record& record : read_stored_run(path(out)).records)
      sessions[record["n"].get<Index>()].insert(record["session"].get<std::size_t>());
    for (const auto& [n, of_cell] : sessions) EXPECT_EQ(of_cell.size(), 1u) << n;
  }

  TemporaryFolder folder_;
};

TEST_F(SharedRun, IsWhatOneGives) {
  const Answer four = redbench(arguments("simt:gtx480:4", "four"));
  ASSERT_EQ(four.exit_code, exit_fine) << four.text;
  expect_as_of_one("four");
  const Json sessions = read_facts(path("four/run.json"))["sessions"];
  ASSERT_EQ(sessions.size(), 4u);
  std::set<std::size_t> used;
  for (const Record& record : read_stored_run(path("four")).records) {
    EXPECT_EQ(sessions[record["session"].get<std::size_t>()]["gpu"], record["session"]);
    EXPECT_EQ(record["others_sampling"], 3);
    used.insert(record["session"].get<std::size_t>());
  }
  EXPECT_EQ(used.size(), 4u);
  EXPECT_EQ(redbench("results " + path("four")).exit_code, exit_fine);
}

// A worker that dies costs its case at most, as on one device, and --resume makes it.
TEST_F(SharedRun, SurvivesAWorker) {
  RunningProgram running(arguments("simt:gtx480:2", "two", "-q"));
  running.wait_for(path("two/records.jsonl"), 4);
  running.send_worker(SIGKILL);
  ASSERT_TRUE(WIFEXITED(running.end()));
  EXPECT_EQ(read_stored_run(path("two")).records.size(), many_records);
  const Answer resumed = redbench(arguments("simt:gtx480:2", "two", "--resume"));
  EXPECT_EQ(resumed.exit_code, exit_fine) << resumed.text;
  EXPECT_EQ(records("two").size(), many_records);
}

TEST_F(SharedRun, IsResumedByAnyNumber) {
  for (const std::string number : {":3", ""}) {
    const std::string out = "killed" + number, lines = path(out) + "/records.jsonl";
    RunningProgram running(arguments("simt:gtx480:2", out, "-q"));
    running.wait_for(lines, 4);
    running.end_with(SIGKILL);
    ASSERT_LT(lines_of(lines).size(), many_records) << "the run ended before it was killed";
    const Answer resumed = redbench(arguments("simt:gtx480" + number, out, "--resume"));
    EXPECT_EQ(resumed.exit_code, exit_fine) << resumed.text;
    expect_as_of_one(out);
  }
}

TEST_F(SharedRun, IsRefusedByASentenceWhereItHasNoGpus) {
  for (const std::string device : {"simt:h200:0", "simt:h200:99999999", "cuda:0,0"}) {
    const Answer answer = redbench(arguments(device, "none"));
    EXPECT_EQ(answer.exit_code, exit_usage) << device;
    EXPECT_THAT(answer.text, testing::StartsWith("redbench: device `" + device + "`: "));
  }
}

TEST(SharedBattery, HasTheSameCases) {
  const auto verified = [](const std::string& device) {
    const Answer answer = redbench("verify -d " + device + " -b '^reduce/harris1$' --json");
    EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
    return answer.text;
  };
  EXPECT_EQ(verified("simt:gtx480:2"), verified("simt:gtx480"));
}

}  // namespace
}  // namespace redbench
