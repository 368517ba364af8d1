// `redbench why` on the command line: on which input two kernels are counted, of which records the times are,
// and what cannot be counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/records/provenance.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

class WhyOnTheCommandLine : public testing::Test {
 protected:
  Json answer(const std::string& arguments) {
    const Answer answer = redbench("why " + arguments + " -d simt:gtx480 --json", folder_.path());
    EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
    return answer.exit_code == exit_fine ? Json::parse(answer.text) : Json();
  }
  std::string config(const std::string& variants, const std::string& axes) {
    return folder_.write("c.json", R"({"experiments": [{"problem": "reduce", "variants": )" + variants +
                                       R"(, "axes": )" + axes + "}]}");
  }
  TemporaryFolder folder_;
};

// The first value of each axis, but of n the largest that is counted in a second or two.
TEST_F(WhyOnTheCommandLine, OfAConfigTheFirstInputIsCounted) {
  const Json direct = answer(
      "reduce/harris1 reduce/harris2 -a n=1Ki -a type=f32 -a operator=max -a values=exact -a block=64");
  EXPECT_EQ(direct["case"], (Json{{"device", "simt:gtx480"},
                                  {"n", 1024},
                                  {"type", "f32"},
                                  {"operator", "max"},
                                  {"values", "exact"}}));
  const Json steps = answer(config(R"(["harris1", "cub", "cpu_serial", "harris2"])",
                                   R"({"n": ["2^10", 512, "2^21"], "type": ["f32", "i32"],
                                       "operator": ["max", "sum"], "values": ["exact", "uniform"],
                                       "block": [64, 128]})"));
  ASSERT_EQ(steps.size(), 1u) << "of the kernels, which two are";
  EXPECT_EQ(steps[0], direct);
  const Json of_128 =
      answer(config(R"(["harris1", "harris2"])", R"({"n": "2^10", "type": "f32", "operator": "max",
                                       "values": "exact", "block": 128})"));
  EXPECT_NE(of_128[0]["counters"], direct["counters"]) << "a parameter matters";
}

TEST_F(WhyOnTheCommandLine, TimesAreOfTheLargestInputOrOfTheOneThatIsGiven) {
  const auto fresh = [](const std::string& name, double factor, Index n) {
    Record record = measured("reduce/" + name, times(factor), n);
    add_provenance(record, *find_variant("reduce/" + name), Target::cuda);
    return line_of(record) + '\n';
  };
  folder_.write("runs/a/records.jsonl", fresh("harris7", 1, 1024) + fresh("persistent_matrix", 0.5, 1024) +
                                            fresh("harris7", 4, 4096) + fresh("persistent_matrix", 3, 4096));
  Json facts = run_of("a", {}).facts;
  facts["config"]["experiments"] = {{{"variants", {"harris7", "persistent_matrix"}}}};
  folder_.write("runs/a/run.json", line_of(facts));
  const auto n_of_times = [](const Json& step) {
    std::vector<Index> all;
    for (const Json& time : step["times"]) all.push_back(time["n"]);
    return all;
  };
  const std::string names = "reduce/harris7 reduce/persistent_matrix --results runs";
  EXPECT_EQ(n_of_times(answer(names + " --n 1Ki")), (std::vector<Index>{1024, 1024}));
  EXPECT_EQ(n_of_times(answer(names + " --n 512")), std::vector<Index>{}) << "no record is of this n";
  EXPECT_EQ(n_of_times(answer(names)), (std::vector<Index>{4096, 4096}));
}

TEST_F(WhyOnTheCommandLine, WhatCannotBeCountedSaysWhy) {
  const auto refused = [&](const std::string& arguments, const char* program = REDBENCH_BINARY) {
    const Answer answer = answer_of(program, "why " + arguments + " -d simt:gtx480", folder_.path());
    EXPECT_EQ(answer.exit_code, exit_usage) << answer.text;
    return answer.text;
  };
  EXPECT_EQ(refused("reduce/harris1 reduce/harris2 -a n=1Ki,2Ki"),
            "redbench: reduce/harris1: 2 cases; two kernels are compared on one input\n");
  EXPECT_EQ(refused(config(R"(["harris1", "cpu_serial"])", R"({"n": "1Ki"})")),
            "redbench: " + folder_.path() +
                "/c.json: no experiment has two kernels, whose difference could be counted\n");
  EXPECT_THAT(refused("reduce/harris1 reduce/wrong_zero --n 1Ki", REDBENCH_WRONG_BINARY),
              HasSubstr("redbench: reduce/wrong_zero: wrong: result[0] is 0, the exact answer is "));
}

}  // namespace
}  // namespace redbench
