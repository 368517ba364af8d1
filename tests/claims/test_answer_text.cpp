// Answers as they are shown: the sentence that says why, Markdown and JSON.
#include <gmock/gmock.h>

#include "tests/claims/claim_support.hpp"
#include "tests/golden.hpp"

namespace redbench {
namespace {

ClaimPart part(const char* what, ClaimVerdict verdict, double value, double low, double high, double bound) {
  return {.test = "",
          .what = what,
          .value = value,
          .low = low,
          .high = high,
          .unit = "",
          .bounds = {.above = bound, .below = {}, .equals = {}},
          .verdict = verdict,
          .why = "",
          .records = {}};
}

TEST(WhyATest, TheNumberThatIsNearestToItsBoundOrFurthestFromIt) {
  const std::vector<ClaimPart> hold{part("a", ClaimVerdict::holds, 1.5, 1.4, 1.6, 1),
                                    part("b", ClaimVerdict::holds, 1.2, 1.1, 1.3, 1),
                                    part("c", ClaimVerdict::holds, 3, 2, 4, 1)};
  EXPECT_EQ(why_of(ClaimVerdict::holds, hold),
            "b: 1.200 (1.100 to 1.300), asked > 1, nearest of 3 of 3 that hold");
  std::vector<ClaimPart> fail = hold;
  fail[0] = part("d", ClaimVerdict::fails, 0.9, 0.8, 0.95, 1);
  fail[1] = part("e", ClaimVerdict::fails, 0.5, 0.4, 0.6, 1);
  EXPECT_EQ(why_of(ClaimVerdict::fails, fail),
            "e: 0.5000 (0.4000 to 0.6000), asked > 1, furthest of 2 of 3 that do not hold");
  fail[1].decides = false;
  EXPECT_EQ(why_of(ClaimVerdict::fails, fail),
            "d: 0.9000 (0.8000 to 0.9500), asked > 1, furthest of 1 of 2 that do not hold");
  ClaimPart open = part("f", ClaimVerdict::undecided, 1, 0.9, 1.1, 1);
  open.why = "too near";
  open.test = "speed";
  EXPECT_EQ(why_of(ClaimVerdict::undecided, std::vector{open}),
            "speed: f: 1.000 (0.9000 to 1.100), asked > 1: too near");
  EXPECT_EQ(why_of(ClaimVerdict::undecided, std::vector{open, hold[1]}),
            "speed: f: 1.000 (0.9000 to 1.100), asked > 1: too near, first of 1 of 2 undecided");
}

TEST(WhyAClaim, TheTestsThatHaveItsVerdictAndThenTheOthersByName) {
  using enum ClaimVerdict;
  const std::vector<AnsweredTest> tests{{"a", holds, "A"}, {"b", fails, "B"},       {"c", fails, "C"},
                                        {"d", fails, "D"}, {"e", undecided, "E"},   {"a", holds, "A2"},
                                        {"f", fails, "F"}, {"g", holds, "G", false}};
  EXPECT_EQ(why_of(in_part, tests), "B; C; D; F; holds: a; undecided: e; reported: G");
  EXPECT_EQ(why_of(fails, {tests[1], tests[4]}), "B; undecided: e");
  EXPECT_EQ(why_of(undecided, {tests[0], tests[4], tests[4]}), "E");
  EXPECT_EQ(why_of(holds,
                   std::vector<AnsweredTest>{
                       {"1", holds, "1"}, {"2", holds, "2"}, {"3", holds, "3"}, {"4", holds, "4"}}),
            "1; 2; 3; and 1 more");
}

// A bound that is not there is not at 0.
TEST(WhyATest, ANumberIsNearToTheBoundsThatItHas) {
  const std::vector<ClaimPart> hold{part("a", ClaimVerdict::holds, -0.5, -0.6, -0.4, -1),
                                    part("b", ClaimVerdict::holds, 0.125, 0.1, 0.2, -1)};
  EXPECT_EQ(why_of(ClaimVerdict::holds, hold),
            "a: -0.5000 (-0.6000 to -0.4000), asked > -1, nearest of 2 of 2 that hold");
}

TEST(AnswerText, IsThatOfTheGoldenFile) {
  const ClaimTest ratio = test_of(ClaimKind::ratio, {}), value = test_of(ClaimKind::value, {});
  const Claim first{"one", "Paper 1", "a", "section 3", "so it is", {ratio, value}},
      second{"one", "Paper 1", "b", "Fig. 2", "or | so", {value}},
      other{"two", "Paper 2", "c", "page 7", "it is", {}};
  std::vector<ClaimAnswer> answers(3);
  answers[0].claim = &first;
  answers[0].verdict = ClaimVerdict::in_part;
  answers[0].why = "because";
  answers[0].tests = {{"speed", ClaimVerdict::holds, "2"}, {"size", ClaimVerdict::fails, "3", false}};
  answers[0].parts = {part("a / b", ClaimVerdict::holds, 2, 1.5, 2.5, 1)};
  answers[0].parts[0].unit = "GB/s";
  answers[0].parts[0].records = {"folder#key", "other#key"};
  answers[0].parts[0].least_difference = 0.015;
  answers[0].parts[0].is_self_tested = true;
  ClaimPart& empty = answers[0].parts.emplace_back();
  empty.what = "nothing";
  empty.why = "no record";
  empty.decides = false;
  answers[0].missing = {"configs/x.json"};
  answers[1].claim = &second;
  answers[2].claim = &other;
  answers[2].verdict = ClaimVerdict::holds;
  answers[2].parts = {part("count", ClaimVerdict::holds, 2, 1.5, 2.5, 1)};
  answers[2].parts[0].is_modelled = true;
  const Evidence tested(
      std::list{evidence_of("test", {fresh("reduce/harris3", 1.0)})},
      {{"GPU B", LeastDifference{"st/b", 0.0076, 0.067}}, {"GPU A", LeastDifference{"st/a", 0.096, 0.98}}});
  expect_golden("claims/answers.txt", "== Markdown\n" + markdown({{"", tested, answers}}) + "\n== JSON\n" +
                                          in_few_lines(to_json({{"", tested, answers}})) + "\n");
}

TEST(AnswerText, OfSeveralGpusEachHasAColumnThatSaysWhereItHasNoRun) {
  ClaimTest test = test_of(ClaimKind::value, {{{"variant", "harris3"}}});
  test.bounds.above = 1;
  const Claim claim{"one", "Paper", "a", "Fig. 1", "it is", {test}};
  const auto answered = [&](const char* gpu, const std::vector<Record>& records) {
    Evidence evidence(std::list{evidence_of(records.empty() ? "another" : "test", records)});
    return GpuAnswers{gpu, evidence, {answer(claim, evidence)}};
  };
  const std::vector<GpuAnswers> gpus{answered("GPU A", {fresh("reduce/harris3", 1.0)}),
                                     answered("GPU B", {})};
  const std::string text = markdown(gpus);
  EXPECT_THAT(text, testing::HasSubstr(
                        "- GPU A: 1 hold, 0 hold in part, 0 do not hold, 0 undecided, 0 not measured.\n"
                        "- GPU B: 0 hold, 0 hold in part, 0 do not hold, 0 undecided, 1 not measured.\n"));
  EXPECT_THAT(text, testing::HasSubstr("| claim | what the paper says | where | GPU A | GPU B |\n"));
  EXPECT_THAT(
      text, testing::HasSubstr(
                "| it is | Fig. 1 | holds: harris3: 100000 (99800 to 100200), asked > 1 | not measured |\n"));
  const Json json = to_json(gpus);
  EXPECT_EQ(json["gpu"], "GPU A");
  EXPECT_EQ(json["claims"][0]["verdict"], "holds");
  EXPECT_EQ(json["others"].size(), 1u);
  EXPECT_EQ(json["others"][0]["gpu"], "GPU B");
  EXPECT_EQ(json["others"][0]["claims"][0]["verdict"], "not measured");
  EXPECT_EQ(json["others"][0]["counts"]["not measured"], 1);
  EXPECT_EQ(json["others"][0]["counts"]["undecided"], 0);
}

}  // namespace
}  // namespace redbench
