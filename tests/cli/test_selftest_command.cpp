// redbench selftest as a user meets it, on a config of three samples.
#include <gmock/gmock.h>

#include <set>

#include "tests/run_support.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::StartsWith;

std::string tiny_config(const Json& sizes, const std::string& variant = "reduce/cpu_serial", int forks = 2) {
  const std::size_t slash = variant.find('/');
  return Json{{"title", "tiny µ"},
              {"experiments",
               {{{"problem", variant.substr(0, slash)},
                 {"variants", variant.substr(slash + 1)},
                 {"axes", {{"n", sizes}, {"operator", variant.starts_with("reduce/") ? "sum" : "right"}}}}}},
              {"measure", {{"forks", forks}, {"min_samples", 3}, {"max_samples", 3}, {"mode", "warm"}}}}
      .dump();
}

std::set<std::string> files_below(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.insert(entry.path().lexically_relative(folder));
  return names;
}

// With the config that is beside it, which comes before redbench's own, into the folder that is named by
// both.
TEST(TinySelftest, RunsAndReportsWithoutAnOption) {
  const TemporaryFolder folder;
  folder.write("configs/selftest.json", tiny_config({500, 700}));
  const Answer answer = redbench("selftest -d host", folder.path());
  ASSERT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_THAT(answer.text,
              StartsWith("run 1 of 2: results/host/selftest/a\nrun 2 of 2: results/host/selftest/b\n"));
  EXPECT_THAT(answer.text, HasSubstr(" (host)\n"));
  EXPECT_THAT(answer.text,
              HasSubstr("\n2 pairs of the same kernel, input and machine between 2 runs, 4 within one, "
                        "from 4 processes, each of which measured all cases of its run.\n"));
  EXPECT_THAT(answer.text, testing::EndsWith("\n\nthe report is in results/host/selftest/selftest.md\n"));
  const std::string out = folder.path() + "/results/host/selftest";
  EXPECT_EQ(files_below(out),
            (std::set<std::string>{"a/records.jsonl", "a/run.json", "a/tables/selftest.csv",
                                   "a/tables/selftest.md", "a/tables/report.json", "b/tables/report.json",
                                   "b/records.jsonl", "b/run.json", "b/tables/selftest.csv",
                                   "b/tables/selftest.md", "selftest.json", "selftest.md"}));
  const std::string first_report = text_in(out + "/selftest.md");
  fs::remove(out + "/selftest.md");
  EXPECT_EQ(redbench("selftest --report --out " + out).exit_code, exit_fine);
  EXPECT_EQ(text_in(out + "/selftest.md"), first_report);
  EXPECT_EQ(redbench("selftest --report --out " + out + " --with " + out + "/.").text,
            "redbench: --with " + out + "/.: is the self-test that is reported\n");
  EXPECT_THAT(redbench("selftest --report --out " + out + "/a").text, HasSubstr("no self-test"));
  const std::string json = text_in(out + "/selftest.json");
  const Json report = Json::parse(json);
  EXPECT_EQ(report["runs"], Json({"a", "b"}));
  EXPECT_EQ(report["processes"], 4);
  EXPECT_EQ(report["pairs"], 2);
  EXPECT_THAT(text_in(out + "/selftest.md"), StartsWith("# tiny µ: "));
  EXPECT_EQ(read_records(out + "/a/records.jsonl").size(), 2u);

  // What is there is neither replaced nor taken for a run of this command.
  const Answer again = redbench("selftest -d host -o results/./host/selftest", folder.path());
  EXPECT_EQ(again.exit_code, exit_usage);
  EXPECT_EQ(
      again.text,
      "redbench: results/host/selftest/selftest.json: is there; --resume goes on with its runs, --replace "
      "removes them, --out chooses another folder\n");
  // Nothing is missing, so nothing is measured.
  const Answer resumed = redbench("selftest -d host --resume -q --threshold 3", folder.path());
  EXPECT_EQ(resumed.exit_code, exit_fine) << resumed.text;
  EXPECT_EQ(resumed.text.find("run 1 of"), resumed.text.npos) << "progress";
  EXPECT_EQ(Json::parse(text_in(out + "/selftest.json"))["threshold_percent"], 3);
}

TEST(TinySelftest, WhatCannotBeComparedIsRefused) {
  const TemporaryFolder folder;
  folder.write("gpu.json", tiny_config(500, "reduce/harris3"));
  folder.write("mine.json", tiny_config(500, "reduce/cpu_serial", 1));
  for (const auto& [arguments, why] :
       {std::pair("-d simt gpu.json",
                  "the modelled device has no time that could differ; -d cuda or -d host has"),
        {"-d host mine.json",
         "mine.json: measured in one process, runs cannot be compared with each other; "
         "--set measure.forks=5 measures in five"},
        {"-d host a.json b.json", "redbench selftest: one config at most is run"},
        {"-d host --runs 1 mine.json", "redbench selftest: --runs: 2 to 26, not 1"}}) {
    const Answer answer = redbench(std::string("selftest ") + arguments, folder.path());
    EXPECT_EQ(answer.exit_code, exit_usage);
    EXPECT_EQ(answer.text, std::string("redbench: ") + why + '\n');
  }
  EXPECT_FALSE(fs::exists(folder.path() + "/results"));
}

// Of a kernel that is wrong nothing is compared.
TEST(TinySelftest, EndsWithTheFirstRunThatHasNotPassed) {
  const TemporaryFolder folder;
  folder.write("c.json", tiny_config(500, "multireduce/wrong_unstable_sort"));
  const Answer answer = answer_of(REDBENCH_WRONG_BINARY, "selftest c.json -d host -q -o out", folder.path());
  EXPECT_EQ(answer.exit_code, exit_wrong);
  EXPECT_EQ(answer.text, "redbench: cases of out/a have not passed; `redbench results` shows them\n");
  EXPECT_EQ(files_below(folder.path() + "/out"),
            (std::set<std::string>{"a/records.jsonl", "a/run.json", "a/tables/c.csv", "a/tables/c.md",
                                   "a/tables/report.json"}));
}

}  // namespace
}  // namespace redbench
