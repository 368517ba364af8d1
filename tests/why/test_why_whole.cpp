// redbench why: the lines, sentences and tables of a step, whole; and which records of a folder of runs have
// a part in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/records/provenance.hpp"
#include "src/why/sentences.hpp"
#include "src/why/why.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"
#include "tests/why/why_support.hpp"

namespace redbench {
namespace {

std::vector<std::string> lines_told(const Record& from, const Record& to) {
  SourceLines sources;
  std::vector<std::string> told;
  for (const CountedDifference& one : counted_differences(from, to, sources))
    for (const CountedLine& of : one.lines)
      told.push_back(fmt::format("{} {} {}:{} {}", one.name, of.variant, of.file, of.line, of.count));
  return told;
}

// A line is one in all launches, by file and number; three of each variant at most, and none without the
// event.
TEST(CountedLines, AreThoseThatHaveTheEventTheMostFirst) {
  const Record from =
      counted("reduce/a", {{"block_barriers", 30}},
              {{line("a.cu", 1, "block_barriers", 5), line("a.cu", 2, "warp_barriers", 99)},
               {line("a.cu", 1, "block_barriers", 4), line("b.cu", 1, "block_barriers", 21)}});
  const Record to = counted("reduce/b", {{"block_barriers", 100}},
                            {{line("c.cu", 1, "block_barriers", 10), line("c.cu", 2, "block_barriers", 40),
                              line("c.cu", 3, "block_barriers", 20), line("c.cu", 4, "block_barriers", 30),
                              line("c.cu", 5, "warp_exchanges", 7)}});
  EXPECT_EQ(
      lines_told(from, to),
      (std::vector<std::string>{"block_barriers reduce/a b.cu:1 21", "block_barriers reduce/a a.cu:1 9",
                                "block_barriers reduce/b c.cu:2 40", "block_barriers reduce/b c.cu:4 30",
                                "block_barriers reduce/b c.cu:3 20"}));
}

TEST(WhyText, OfOneDifferenceAndOfNone) {
  KernelStep step{"reduce/harris2", "reduce/harris3", {{"device", "simt"}, {"n", 4096}, {"m", 7}}};
  EXPECT_EQ(text_of(step, 0),
            "reduce/harris2 -> reduce/harris3\n"
            "device simt  ·  n 4Ki  ·  m 7\n\n"
            "- No count is more than 1 % apart.\n");
  step.launches = {{"shared_bytes", "shared memory", "bytes", 1, 12}, {"blocks", "blocks", "", 40, 10}};
  step.sentences = {"So it is.", "And so."};
  EXPECT_EQ(text_of(step, 0),
            "reduce/harris2 -> reduce/harris3\n"
            "device simt  ·  n 4Ki  ·  m 7\n\n"
            "- So it is.\n"
            "- And so.\n"
            "\n"
            "counted                reduce/harris2  reduce/harris3  ratio\n"
            "---------------------  --------------  --------------  -----\n"
            "shared memory (bytes)           1.000           12.00   12.0\n"
            "blocks                          40.00           10.00  0.250\n");
  step.launches.clear();
  step.sentences.clear();
  step.counters = {{"named_barriers",
                    "barriers",
                    1,
                    3,
                    {{"reduce/harris2", "k2.cu", 20, "sync();", 1},
                     {"reduce/harris3", "k3.cu", 1234, "if (x) y();", 123}}},
                   {"warp_barriers", "meetings", 0, 3, {{"reduce/harris3", "", 0, "", 3}}}};
  EXPECT_EQ(text_of(step, 0),
            "reduce/harris2 -> reduce/harris3\n"
            "device simt  ·  n 4Ki  ·  m 7\n\n"
            "\n"
            "counted   reduce/harris2  reduce/harris3  ratio\n"
            "--------  --------------  --------------  -----\n"
            "barriers               1               3   3.00\n"
            "meetings               0               3\n"
            "\n"
            "counted         line             count  source\n"
            "--------------  ---------------  -----  -----------\n"
            "named_barriers  k2.cu:20             1  sync();\n"
            "named_barriers  k3.cu:1234         123  if (x) y();\n"
            "warp_barriers   an unknown line      3\n");
  EXPECT_EQ(to_json(step)["counters"][0]["ratio"], 3.0) << "of 1";
  EXPECT_EQ(to_json(step)["counters"][1]["ratio"], nullptr) << "of nothing";
}

/// A folder with runs; each names the variants of its config.
class RunsOfPairs : public testing::Test {
 protected:
  void write(const std::string& name, const std::vector<Record>& records,
             const std::vector<std::string>& variants = {"harris2", "harris3"}) {
    std::string lines;
    for (const Record& record : records) lines += line_of(record) + '\n';
    folder_.write(name + "/records.jsonl", lines);
    Json facts = run_of(name, {}).facts;
    facts["config"]["experiments"] = {{{"variants", variants}}};
    folder_.write(name + "/run.json", line_of(facts));
  }
  /// As this program would make it, but without samples: of so many processes, 0 where nothing says how many.
  static Record fresh(const std::string& name, double time_ns, int forks) {
    Record record = timed("reduce/" + name, 1024, time_ns, time_ns - 1, time_ns + 1);
    record["samples_ns"] = nullptr;
    record["forks"] = forks ? Json(forks) : Json();
    record["measured_by"] = "5678";
    add_provenance(record, *find_variant("reduce/" + name), Target::cuda);
    return record;
  }
  std::vector<TimedPair> found() {
    return timed_pairs({folder_.path()}, "reduce/harris2", "reduce/harris3", 0);
  }
  TemporaryFolder folder_;
};

// Where nothing says how many processes a time is of, it is of one.
TEST_F(RunsOfPairs, TheMostProcessesCountAndOneWhereNoneIsTold) {
  write("a", {fresh("harris2", 1000, 0), fresh("harris3", 500, 0)});
  ASSERT_EQ(found().size(), 1u);
  EXPECT_EQ(found()[0].from["time_ns"], 1000);
  EXPECT_FALSE(found()[0].ratio) << "without samples";
  write("b", {fresh("harris2", 2000, 1), fresh("harris3", 700, 1)});
  EXPECT_EQ(found()[0].from["time_ns"], 1000) << "of equals the first";
  write("c", {fresh("harris2", 3000, 2), fresh("harris3", 800, 2)});
  ASSERT_EQ(found().size(), 1u);
  EXPECT_EQ(found()[0].from["time_ns"], 3000);
  EXPECT_EQ(found()[0].to["time_ns"], 800);
}

// Most runs have neither variant: their records, which may be many, are not read for that.
TEST_F(RunsOfPairs, ARunWhoseConfigHasOneOfTheTwoIsNotRead) {
  const std::vector<Record> both{fresh("harris2", 1000, 1), fresh("harris3", 500, 1)};
  write("a", both, {"harris2"});
  EXPECT_TRUE(found().empty());
  write("a", both, {"harris3"});
  EXPECT_TRUE(found().empty());
  write("a", both, {"harris33", "harris2"});
  EXPECT_TRUE(found().empty()) << "a name that begins alike";
  write("a", both);
  EXPECT_EQ(found().size(), 1u);
}

}  // namespace
}  // namespace redbench
