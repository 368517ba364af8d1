// What a run says when it has ended, when it would begin, and when it is ended early.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>

#include "src/records/output_folder.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OutputOfARun : public testing::Test {
 protected:
  /// harris3 refuses affine.
  void write_config() const {
    folder_.write("config.json", R"({"title": "A title", "experiments": [{"problem": "reduce",
        "variants": ["harris1", "harris3"], "axes": {"n": [10, 2000], "type": "u32",
                                                     "operator": ["sum", "affine"]}}]})");
  }

  TemporaryFolder folder_;
  const std::string out_ = folder_.path() + "/out";
};

TEST_F(OutputOfARun, EndsWithTheTableAndWhatCameOfTheCases) {
  write_config();
  const Answer answer = redbench("run config.json -d simt:gtx480 -o out", folder_.path());
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_THAT(answer.text, HasSubstr("A title\nsimt:gtx480  ·  "));
  EXPECT_THAT(answer.text, HasSubstr(R"(
simt:gtx480
problem reduce  ·  type u32  ·  values uniform
variant     n  operator  outcome
-------  ----  --------  ---------------
harris1    10  sum       passed
harris3    10  sum       passed
harris1    10  affine    passed
harris3    10  affine    unsupported [1]
harris1  2000  sum       passed
harris3  2000  sum       passed
harris1  2000  affine    passed
harris3  2000  affine    unsupported [1]
[1] `affine` of u32: needs a commutative operator
)"));
  EXPECT_THAT(answer.text, EndsWith("\n\n6 passed, 2 unsupported; records and tables are in out\n"));
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(out_))
    files.push_back(std::filesystem::relative(entry.path(), out_).string());
  std::ranges::sort(files);
  EXPECT_EQ(files, (std::vector<std::string>{"records.jsonl", "run.json", "tables", "tables/config.csv",
                                             "tables/config.md"}));
  const Json session = read_facts(out_ + "/run.json")["sessions"][0];
  EXPECT_LE(session["started"], session["ended"]);
  EXPECT_EQ(session["planned_s"], 0);
}

TEST_F(OutputOfARun, SaysWhatItWouldBe) {
  write_config();
  const Answer answer = redbench("run config.json -d simt:gtx480 --dry-run", folder_.path());
  EXPECT_EQ(answer.exit_code, exit_fine);
  EXPECT_EQ(answer.text, R"(A title on simt:gtx480 (gtx480)
variant         n     type  operator  values   parameters  blocks  threads  shared  occupancy  scratch  memory
reduce/harris1  10    u32   sum       uniform  block=256   1       256      1024    100 %      512 B    556 B
reduce/harris3  10    u32   sum       uniform  block=256   1       256      1024    100 %      512 B    556 B
reduce/harris1  10    u32   affine    uniform  block=256   1       256      2048    100 %      512 B    600 B
reduce/harris3  10    u32   affine    uniform  block=256   refused: `affine` of u32: needs a commutative operator
reduce/harris1  2000  u32   sum       uniform  block=256   8, 1    256      1024    100 %      512 B    8.3 KiB
reduce/harris3  2000  u32   sum       uniform  block=256   8, 1    256      1024    100 %      512 B    8.3 KiB
reduce/harris1  2000  u32   affine    uniform  block=256   8, 1    256      2048    100 %      512 B    16.1 KiB
reduce/harris3  2000  u32   affine    uniform  block=256   refused: `affine` of u32: needs a commutative operator
8 cases in 4 cells, 2 refused; at most 16.1 KiB of device memory; less than a second
)");
}

TEST_F(OutputOfARun, OfAWrongResultIsItsExitCode) {
  write_config();
  const Answer answer =
      redbench("run config.json -d simt:gtx480 -o out -a operator=sum -a n=2000 -b harris3", folder_.path());
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_THAT(answer.text, EndsWith("\n1 passed; records and tables are in out\n"));
  std::vector<Record> records = read_records(out_ + "/records.jsonl");
  records[0]["outcome"] = "wrong";
  { const RecordFile file(out_ + "/records.jsonl", records); }
  const Answer more =
      redbench("run config.json -d simt:gtx480 -o out --resume -a operator=sum -b harris3", folder_.path());
  EXPECT_EQ(more.exit_code, exit_wrong);
  EXPECT_THAT(more.text, EndsWith("\n1 passed, 1 wrong; records and tables are in out\n"));
}

TEST_F(OutputOfARun, SaysHowFarItCame) {
  folder_.write("config.json", config_text(many_sizes));
  const int file = ::open((folder_.path() + "/said").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const pid_t child = start(REDBENCH_BINARY, run_arguments(folder_), file);
  ::close(file);
  for (int i = 0; i < 5000 && lines_of(out_ + "/records.jsonl").size() < 2; ++i) RunningProgram::pause();
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), exit_interrupted);
  EXPECT_THAT(text_of_file(folder_.path() + "/said"),
              EndsWith("interrupted: " + std::to_string(lines_of(out_ + "/records.jsonl").size()) +
                       " of 48 records are in " + out_ + "; the same command with --resume goes on\n"));
}

}  // namespace
}  // namespace redbench
