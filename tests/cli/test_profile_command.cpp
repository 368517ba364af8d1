// redbench profile and results: what they print of records.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "src/json/json.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(ProfileCommand, EachRecordIsShownOnce) {
  const TemporaryFolder folder;
  const std::string command = "profile reduce/harris1 -d simt:gtx480 -a n=600 -o " + folder.path() + "/p ";
  const Answer answer = redbench(command + "--lines 0");
  EXPECT_EQ(answer.exit_code, exit_fine);
  const std::string title = "reduce/harris1: interleaved addressing, modulo test on simt:gtx480 (gtx480)\n",
                    key = "\nreduce/harris1 n=600 type=i32 operator=sum values=uniform block=256\n";
  EXPECT_THAT(answer.text,
              StartsWith(title + key + "launch 0: interleaved_modulo<Sum<int>>, 3 blocks of 256 "));
  EXPECT_THAT(answer.text, testing::EndsWith("\nrecords are in " + folder.path() + "/p\n"));
  EXPECT_EQ(answer.text.rfind(key), title.size());
  EXPECT_THAT(answer.text, Not(HasSubstr("kernels/reduce/harris1.cu"))) << "no lines were asked for";

  EXPECT_EQ(Json::parse(redbench(command + "--replace --json").text).size(), 1u);
}

TEST(ResultsCommand, ADamagedRunDoesNotHideItsSiblings) {
  const TemporaryFolder folder;
  const std::string config = folder.write(
      "c.json", R"({"experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1000}}]})");
  for (const std::string name : {"a", "b", "c", "d"})
    ASSERT_EQ(redbench("run " + config + " -d simt -q -o " + folder.path() + "/runs/" + name).exit_code, 0);
  fs::remove(folder.path() + "/runs/a/run.json");
  fs::create_directory(folder.path() + "/runs/a/run.json");
  std::ofstream(folder.path() + "/runs/b/records.jsonl", std::ios::app) << "\xff\n";
  fs::remove(folder.path() + "/runs/c/records.jsonl");
  fs::create_directory(folder.path() + "/runs/c/records.jsonl");
  const Answer answer = redbench("results " + folder.path() + "/runs");
  EXPECT_EQ(answer.exit_code, exit_usage);
  for (const char* part :
       {"runs/a/run.json: missing, or not redbench's", "; `redbench run --resume` measures its case again",
        "runs/b/records.jsonl:2: line 1, column 1: ", "runs/c/records.jsonl: cannot be read: it is no file",
        "2 records, 0 stale; 2 of the runs cannot be read"})
    EXPECT_THAT(answer.text, HasSubstr(part));
}

}  // namespace
}  // namespace redbench
