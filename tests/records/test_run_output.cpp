// What a run says when it has ended, and when it is ended early.
#include <fcntl.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "src/records/output_folder.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

/// harris3 refuses affine.
constexpr const char* config = R"({"title": "A title", "experiments": [{"problem": "reduce",
    "variants": ["harris1", "harris3"], "axes": {"n": [10, 2000], "type": "u32",
                                                 "operator": ["sum", "affine"]}}]})";

TEST(RunOutput, EndsWithTheTableAndTheOutcomes) {
  const TemporaryFolder folder;
  folder.write("config.json", config);
  const std::string out = folder.path() + "/out", run = "run config.json -d simt:gtx480 -o out ";
  Answer answer = redbench(run, folder.path());
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_THAT(answer.text, HasSubstr("\n[1] `affine` of u32: needs a commutative operator\n"));
  EXPECT_THAT(answer.text, EndsWith("\n\n6 passed, 2 unsupported; records and tables are in out\n"));
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out))
    files.push_back(std::filesystem::relative(entry.path(), out).string());
  std::ranges::sort(files);
  EXPECT_EQ(files, (std::vector<std::string>{"records.jsonl", "run.json", "tables", "tables/config.csv",
                                             "tables/config.md"}));
  const Json session = read_facts(out + "/run.json")["sessions"][0];
  EXPECT_LE(session["started"], session["ended"]);

  std::vector<Record> records = read_records(out + "/records.jsonl");
  records[0]["outcome"] = "wrong";
  { const RecordFile file(out + "/records.jsonl", records); }
  answer = redbench(run + "--resume", folder.path());
  EXPECT_EQ(answer.exit_code, exit_wrong);
  EXPECT_THAT(answer.text, EndsWith("\n5 passed, 1 wrong, 2 unsupported; records and tables are in out\n"));
}

TEST(RunOutput, AnInterruptedRunSaysHowFarItCame) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text(many_sizes));
  const std::string records = folder.path() + "/out/records.jsonl";
  const int file = ::open((folder.path() + "/said").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const pid_t child = start(REDBENCH_BINARY, run_arguments(folder), file);
  ::close(file);
  for (int i = 0; i < 5000 && lines_of(records).size() < 2; ++i) RunningProgram::pause();
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), exit_interrupted);
  EXPECT_THAT(lines_of(folder.path() + "/said").back(),
              EndsWith("interrupted: " + std::to_string(lines_of(records).size()) + " of 48 records are in " +
                       folder.path() + "/out; the same command with --resume goes on"));
}

}  // namespace
}  // namespace redbench
