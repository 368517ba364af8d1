// redbench run as its user sees it: killed, resumed, refused, and what it leaves behind.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "src/records/record.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// Two variants on as many sizes as `sizes` says, on the modelled GTX 480.
std::string config_text(const std::string& sizes) {
  return R"({"title": "test", "experiments": [{"problem": "reduce", "variants": ["harris1", "harris3"],
             "axes": {"n": )" +
         sizes + R"(, "type": "i32", "operator": "sum"}}]})";
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string run_arguments(const TemporaryFolder& folder, const std::string& more = "") {
  return "run " + folder.path() + "/config.json -d simt:gtx480 -o " + folder.path() + "/out " + more;
}

/// `redbench run` as a child, so that it can be killed.
class RunningProgram {
 public:
  explicit RunningProgram(const TemporaryFolder& folder) {
    const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    child_ = start(REDBENCH_BINARY, run_arguments(folder), nothing);
    close(nothing);
  }
  /// Sends the signal once `path` has `lines` lines; gives the exit status.
  int end_with(int signal, const std::string& path, std::size_t lines) const {
    while (lines_of(path).size() < lines && kill(child_, 0) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    kill(child_, signal);
    int status = 0;
    waitpid(child_, &status, 0);
    return status;
  }

 private:
  pid_t child_;
};

/// Enough work that there is time to kill it: 2 x 24 cases of some 50 ms.
constexpr const char* many_sizes =
    "[500000, 500001, 500002, 500003, 500004, 500005, 500006, 500007, 500008, 500009, "
    "500010, 500011, 500012, 500013, 500014, 500015, 500016, 500017, 500018, 500019, "
    "500020, 500021, 500022, 500023]";
constexpr std::size_t many_records = 48;

TEST(Run, EveryPlannedCaseIsOneRow) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[0, 1, 1000]"));
  const Answer answer = redbench(run_arguments(folder));
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
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

TEST(Run, ResumesAfterAKill) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text(many_sizes));
  const std::string path = folder.path() + "/out/records.jsonl";
  const int status = RunningProgram(folder).end_with(SIGKILL, path, 5);
  ASSERT_TRUE(WIFSIGNALED(status));

  const std::vector<std::string> before = lines_of(path);
  ASSERT_GE(before.size(), 5u);
  ASSERT_LT(before.size(), many_records) << "the run ended before it was killed";
  // A case in flight at the moment of the kill may have written half a line.
  std::ofstream(path, std::ios::app) << before[0].substr(0, 100);

  const Answer answer = redbench(run_arguments(folder, "--resume"));
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  const std::vector<std::string> after = lines_of(path);
  ASSERT_EQ(after.size(), many_records);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(after[i], before[i]) << "kept, not measured again";
  std::set<std::string> keys;
  for (const Record& record : read_records(path)) keys.insert(record["key"]);
  EXPECT_EQ(keys.size(), many_records);
}

TEST(Run, AnInterruptEndsItResumable) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text(many_sizes));
  const std::string path = folder.path() + "/out/records.jsonl";
  const int status = RunningProgram(folder).end_with(SIGINT, path, 3);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), exit_interrupted);
  EXPECT_EQ(redbench(run_arguments(folder, "--resume")).exit_code, exit_fine);
  EXPECT_EQ(lines_of(path).size(), many_records);
}

TEST(Run, ResumeMeasuresAgainWhatItsSourceNoLongerMakes) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[1000]"));
  ASSERT_EQ(redbench(run_arguments(folder)).exit_code, exit_fine);
  const std::string path = folder.path() + "/out/records.jsonl";
  std::vector<Record> records = read_records(path);
  const std::string hash = records[1]["source_hash"];
  records[1]["source_hash"] = "older";
  records[0]["scratch_bytes"] = 777;  // by which it is known again
  { const RecordFile file(path, records); }

  const Answer stale = redbench("results " + folder.path() + "/out");
  EXPECT_NE(stale.text.find("2 records, 1 stale\n"), std::string::npos) << stale.text;
  ASSERT_EQ(redbench(run_arguments(folder, "--resume")).exit_code, exit_fine);
  records = read_records(path);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0]["scratch_bytes"], 777);
  EXPECT_EQ(records[1]["source_hash"], hash);
}

TEST(Run, AnEarlierRunIsReplacedOnlyOnceTheConfigIsGood) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[1000]"));
  ASSERT_EQ(redbench(run_arguments(folder)).exit_code, exit_fine);
  const std::string path = folder.path() + "/out/records.jsonl";
  const std::vector<std::string> before = lines_of(path);
  const std::string notes = folder.write("out/notes.txt", "mine");

  folder.write("config.json", config_text("[]"));
  EXPECT_EQ(redbench(run_arguments(folder)).exit_code, exit_usage);
  EXPECT_EQ(lines_of(path), before);

  folder.write("config.json", config_text("[7, 8]"));
  EXPECT_EQ(redbench(run_arguments(folder)).exit_code, exit_fine);
  EXPECT_EQ(lines_of(path).size(), 4u);
  EXPECT_TRUE(fs::exists(notes)) << "not redbench's to remove";
}

TEST(Run, ADryRunPrintsThePlanAndTouchesNothing) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[1000]"));
  const Answer answer = redbench(run_arguments(folder, "--dry-run"));
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_NE(answer.text.find("harris3"), std::string::npos) << answer.text;
  EXPECT_FALSE(fs::exists(folder.path() + "/out"));
}

TEST(Run, OutputThatCannotBeWrittenIsKnownBeforeAnythingRuns) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[1000]"));
  folder.write("file", "text");
  folder.write("mine/letter.txt", "Dear");
  const std::string run = "run " + folder.path() + "/config.json -d simt:gtx480 ";
  for (const std::string out : {"/file", "/file/below", "/mine"}) {
    const Answer answer = redbench(run + "-o " + folder.path() + out);
    EXPECT_EQ(answer.exit_code, exit_usage) << answer.text;
    EXPECT_NE(answer.text.find(folder.path() + out), std::string::npos) << answer.text;
  }
  EXPECT_EQ(redbench(run + "-o /proc/redbench").exit_code, exit_usage);
  EXPECT_EQ(lines_of(folder.path() + "/mine/letter.txt"), std::vector<std::string>{"Dear"});
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path() + "/mine"), {}), 1);

  const Answer csv = redbench(run_arguments(folder, "--csv " + folder.path() + "/none/table.csv"));
  EXPECT_EQ(csv.exit_code, exit_usage) << csv.text;
  EXPECT_FALSE(fs::exists(folder.path() + "/out/records.jsonl"));
}

TEST(Run, TablesGoWhereTheyAreAskedFor) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[1000]"));
  const std::string to = folder.path() + "/table.";
  const Answer answer =
      redbench(run_arguments(folder, "-q --csv " + to + "csv --md " + to + "md --json " + to + "json"));
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_EQ(answer.text, "");
  EXPECT_EQ(redbench("tables " + folder.path() + " --json").exit_code, exit_fine);
  for (const char* kind : {"csv", "md", "json"})
    EXPECT_EQ(lines_of(to + kind), lines_of(folder.path() + "/out/tables/config." + kind)) << kind;
}

TEST(Run, ResultsWithoutARunAreAMistake) {
  const TemporaryFolder folder;
  EXPECT_EQ(redbench("results " + folder.path()).exit_code, exit_usage);
  EXPECT_EQ(redbench("results " + folder.path() + "/none").exit_code, exit_usage);
  EXPECT_EQ(redbench("tables " + folder.path()).exit_code, exit_usage);
  EXPECT_EQ(redbench("tables").exit_code, exit_usage);
}

}  // namespace
}  // namespace redbench
