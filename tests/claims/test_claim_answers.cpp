// Answers of claims as a whole: all that is told of each part, by hand.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "src/claims/answer_text.hpp"
#include "src/claims/cases.hpp"
#include "tests/claims/claim_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

std::string text_of(const std::optional<double>& number) {
  return number ? fmt::format("{:.6g}", *number) : "-";
}

/// "what: value (low to high) unit, bound: verdict; least difference; why; records"
std::string told(const ClaimPart& part) {
  std::vector<std::string> keys;
  for (const std::string& name : part.records) keys.push_back(name.substr(name.find('#') + 1));
  return fmt::format("{}: {} ({} to {}) {}, {}: {}{}; {:g}{}; {}; {}", part.what, text_of(part.value),
                     text_of(part.low), text_of(part.high), part.unit, part.bounds.text(),
                     name_of(part.verdict), part.decides ? "" : ", decides nothing", part.least_difference,
                     part.is_self_tested ? " tested" : "", part.why, fmt::join(keys, " "));
}

std::vector<std::string> told(const ClaimAnswer& answer) {
  std::vector<std::string> all;
  for (const ClaimPart& part : answer.parts) all.push_back(told(part));
  return all;
}

/// Of 100 µs, 99.8 to 100.2.
Record of_ceiling(double percent, Index n = 1000) {
  Record record = fresh("reduce/harris3", 1.0, n);
  record["percent_of_ceiling"] = percent;
  return record;
}

ClaimTest percent_above(double bound) {
  ClaimTest test = test_of(ClaimKind::value, {{{"variant", "harris3"}}});
  test.quantity = "percent_of_ceiling";
  test.bounds.above = bound;
  return test;
}

const std::string beyond_by_too_little =
    "the interval is not beyond the bound by the least difference that counts";

// A share of 95 % at 100 µs is 95 / 1.002 % at 100.2 µs, 95 / 0.998 % at 99.8 µs.
TEST(ClaimAnswers, AValueIsToldWithItsUnitAndTheIntervalOfItsTime) {
  ClaimTest test = percent_above(92);
  test.x = "n";  // means nothing for a value
  const auto of = [&](const Record& record) {
    return told(answer_of(test, Evidence(std::list{evidence_of("test", {record})},
                                         {{"NVIDIA Test", LeastDifference{"selftest", 0.004, 0.03}}})));
  };
  EXPECT_THAT(of(of_ceiling(95)), ElementsAre("harris3: 95 (94.8104 to 95.1904) percent_of_ceiling, > 92: "
                                              "holds; 0.004 tested; ; reduce/harris3 n=1000"));
  EXPECT_THAT(of(of_ceiling(92.25)),
              ElementsAre("harris3: 92.25 (92.0659 to 92.4349) percent_of_ceiling, > 92: undecided; 0.004 "
                          "tested; " +
                          beyond_by_too_little + "; reduce/harris3 n=1000"));
  for (const char* missing : {"time_ns", "time_low_ns", "time_high_ns"}) {
    Record record = of_ceiling(95);
    record[missing] = nullptr;
    EXPECT_THAT(of(record), ElementsAre("harris3: 95 (- to -) percent_of_ceiling, > 92: undecided; 0.004 "
                                        "tested; no interval: it is of one process; reduce/harris3 n=1000"))
        << missing;
  }
  test.quantity = "passes";
  test.bounds = {.above = {}, .below = {}, .equals = 2};
  Record exact = of_ceiling(95);
  exact["launches"] = {launch_of(64), launch_of(1)};
  EXPECT_THAT(of(exact), ElementsAre("harris3: 2 (- to -) passes, = 2: holds; 0; ; reduce/harris3 n=1000"));
}

// The intervals' ends are 90 and 80 % over 1.002 and 0.998; 0.4 % of 84.5 are 0.338.
TEST(ClaimAnswers, ANumberOfAllCasesIsToldWithWhatTheCasesHave) {
  ClaimTest test = percent_above(84.5);
  test.at = {"n"};
  test.over = Over::mean;
  const auto all = [&](double within) {
    return told(answer_of(
        test, Evidence(std::list{evidence_of("test", {of_ceiling(90), of_ceiling(80, 2000)})},
                       within > 0 ? std::map<std::string, LeastDifference>{{"NVIDIA Test",
                                                                            {"selftest", within, 0.03}}}
                                  : std::map<std::string, LeastDifference>())));
  };
  const std::string two = "reduce/harris3 n=1000 reduce/harris3 n=2000";
  EXPECT_THAT(
      all(0.003),
      ElementsAre("harris3 at n 1000: 90 (89.8204 to 90.1804) percent_of_ceiling, > 84.5: holds, decides "
                  "nothing; 0.003 tested; ; reduce/harris3 n=1000",
                  "harris3 at n 2000: 80 (79.8403 to 80.1603) percent_of_ceiling, > 84.5: does not hold, "
                  "decides nothing; 0.003 tested; ; reduce/harris3 n=2000",
                  "mean of 2 cases: 85 (84.8303 to 85.1703) percent_of_ceiling, > 84.5: holds; 0.003 "
                  "tested; ; " +
                      two));
  EXPECT_EQ(all(0.004).at(2),
            "mean of 2 cases: 85 (84.8303 to 85.1703) percent_of_ceiling, > 84.5: undecided; "
            "0.004 tested; " +
                beyond_by_too_little + "; " + two);
  test.decides = false;
  EXPECT_EQ(all(0).at(2),
            "mean of 2 cases: 85 (84.8303 to 85.1703) percent_of_ceiling, > 84.5: undecided, decides "
            "nothing; 0.01; " +
                beyond_by_too_little + "; " + two);
}

TEST(ClaimAnswers, ANumberOfExactCasesIsExact) {
  ClaimTest test = test_of(ClaimKind::ratio, {{{"variant", "harris2"}}});
  test.to = Selection{{{"variant", "harris3"}}, {}};
  test.quantity = "conflicts";
  test.at = {"n"};
  test.over = Over::mean;
  test.bounds.above = 5;
  const auto counted = [](const char* variant, int conflicts, Index n) {
    return counted_record(variant, {{"conflicts", conflicts}}, n);
  };
  EXPECT_THAT(
      told(answer_of(test,
                     evidence({counted("reduce/harris2", 100, 1000), counted("reduce/harris3", 10, 1000),
                               counted("reduce/harris2", 60, 2000), counted("reduce/harris3", 30, 2000)}))),
      ElementsAre("harris2 / harris3 at n 1000: 10 (- to -) , > 5: holds, decides nothing; 0; ; "
                  "reduce/harris2 n=1000 reduce/harris3 n=1000",
                  "harris2 / harris3 at n 2000: 2 (- to -) , > 5: does not hold, decides nothing; 0; ; "
                  "reduce/harris2 n=2000 reduce/harris3 n=2000",
                  "mean of 2 cases: 6 (- to -) , > 5: holds; 0; ; reduce/harris2 n=1000 "
                  "reduce/harris3 n=1000 reduce/harris2 n=2000 reduce/harris3 n=2000"));
}

// Three rounds of one process have no interval: from 0 to no end.
TEST(ClaimAnswers, ARatioWithoutAnUpperEndMakesNoIntervalOfTheMean) {
  ClaimTest test = test_of(ClaimKind::ratio, {{{"variant", "harris2"}}});
  test.to = Selection{{{"variant", "harris3"}}, {}};
  test.bounds.above = 2;
  test.over = Over::mean;
  const std::string of = "reduce/harris2 n=16777216 reduce/harris3 n=16777216";
  EXPECT_THAT(
      told(answer_of(test, evidence({fresh("reduce/harris3", std::vector<double>{100000}),
                                     fresh("reduce/harris2", std::vector<double>{300000})}))),
      ElementsAre("harris2 / harris3: 3 (0 to -) , > 2: undecided, decides nothing; 0.01; " +
                      beyond_by_too_little + "; " + of,
                  "mean of 1 cases: 3 (- to -) , > 2: undecided; 0.01; a case has no interval: it is of "
                  "one process; " +
                      of));
}

// What was not compared has no value, not even in the mean.
TEST(ClaimAnswers, WhatIsNotComparedHasNoNumber) {
  ClaimTest test = test_of(ClaimKind::ratio, {{{"n", 2048}}});
  test.to = Selection{{{"n", 1024}}, {}};
  test.bounds.above = 1.5;
  for (const Over over : {Over::each, Over::mean}) {
    test.over = over;
    const std::vector<std::string> parts =
        told(answer_of(test, evidence({fresh("reduce/harris3", std::vector<double>{100000}, 1024),
                                       fresh("reduce/harris3", std::vector<double>{300000}, 2048)})));
    EXPECT_THAT(parts,
                ElementsAre("n 2Ki / n 1Ki: - (- to -) , > 1.5: undecided; 0.01; one process each: not "
                            "compared, as times differ from process to process; --set measure.forks=5 "
                            "measures in five; reduce/harris3 n=2048 reduce/harris3 n=1024"));
  }
}

TEST(ClaimAnswers, ASlopeIsToldWithItsExponent) {
  ClaimTest test = test_of(ClaimKind::slope, {{{"variant", "harris3"}}});
  test.x = "n";
  test.bounds = {.above = 0.999, .below = 1.05, .equals = {}};
  test.what = "the growth";
  std::vector<Record> records;
  for (int i = 0; i < 3; ++i) records.push_back(fresh("reduce/harris3", 1 << i, Index(1024) << i));
  // Half an interval is ln(1 / 0.998) + ln(1.01) at each point; the outer two have weights of 1 / (2 ln 2).
  const std::string of = "reduce/harris3 n=1024 reduce/harris3 n=2048 reduce/harris3 n=4096";
  EXPECT_THAT(
      told(answer_of(test, evidence(records))),
      ElementsAre("the growth: harris3: 1 (0.987807 to 1.01219) exponent of n, 0.999 to 1.05: undecided; "
                  "0.01; " +
                  beyond_by_too_little + "; " + of));
  records[1]["time_low_ns"] = records[1]["time_high_ns"] = nullptr;
  EXPECT_THAT(told(answer_of(test, evidence(records))),
              ElementsAre("the growth: harris3: 1 (- to -) exponent of n, 0.999 to 1.05: undecided; 0.01; no "
                          "interval: some of its times are of one process; " +
                          of));
  test.what = "harris3";
  EXPECT_EQ(answer_of(test, evidence(records)).parts.at(0).what, "harris3") << "not said twice";
  records.pop_back();
  test.what = "the growth";
  EXPECT_THAT(
      told(answer_of(test, evidence(records))),
      ElementsAre("the growth: harris3: - (- to -) , 0.999 to 1.05: undecided; 0; 2 points along n, of "
                  "which a slope needs 3; "));
}

// Of two that are as good the one of the lower x is told.
TEST(ClaimAnswers, AnOptimumIsOfTheFirstOfThoseThatAreAsGood) {
  ClaimTest test = test_of(ClaimKind::optimum, {{{"variant", "harris5"}}});
  test.x = "block";
  test.among = {128, 256};
  const auto first = [&](std::vector<int> blocks, double inside, double outside) {
    std::vector<Record> records;
    for (const int block : blocks)
      records.push_back(of_block(block, block == 128 || block == 256 ? inside : outside));
    const ClaimPart part = answer_of(test, evidence(records)).parts.at(0);
    return fmt::format("{}: {:.3f} {}, {}; {}", part.what, part.value.value_or(0), part.bounds.text(),
                       name_of(part.verdict), part.why);
  };
  EXPECT_EQ(first({64, 128, 256, 512}, 1, 1.5), "harris5, block 64 / block 128: 1.500 > 1, holds; ");
  EXPECT_EQ(first({128, 256}, 1, 1.5), "harris5: 0.000 > 1, undecided; no record outside block 128, 256");
  EXPECT_EQ(first({64, 512}, 1, 1.5), "harris5: 0.000 > 1, undecided; no record at block 128, 256");
  test.tolerance_percent = 25;
  EXPECT_EQ(first({64, 128, 256, 512}, 1, 0.5),
            "harris5, block 64 / block 128: 0.500 > 0.8, does not hold; ");
  test.is = Pick::slowest;
  EXPECT_EQ(first({64, 128, 256, 512}, 2, 1), "harris5, block 128 / block 64: 2.000 > 0.8, holds; ");
}

// Whole numbers below 2^40 are sizes as a config has them; what is more, or none, is a number.
TEST(ClaimAnswers, AnXIsToldAsASizeOrAsANumber) {
  ClaimTest test = test_of(ClaimKind::optimum, {{{"variant", "harris5"}}});
  test.x = "block";
  const auto first = [&](const Json& inside, const Json& outside) {
    test.among = {inside.get<double>()};
    std::vector<Record> records{of_block(1, 1), of_block(2, 1.5)};
    records[0]["parameters"]["block"] = inside;
    records[1]["parameters"]["block"] = outside;
    return answer_of(test, evidence(records)).parts.at(0).what;
  };
  constexpr Index mi = 1 << 20, most = Index(1) << 40;
  EXPECT_EQ(first(3 * mi, 1000), "harris5, block 1000 / block 3Mi");
  EXPECT_EQ(first(most / 2, most), "harris5, block 1099511627776 / block 512Gi");
  EXPECT_EQ(first(-2 * mi, -most), "harris5, block -1099511627776 / block " + format_size(-2 * mi));
  EXPECT_EQ(first(0.5, 1234.5), "harris5, block 1234.5 / block 0.5");
}

TEST(ClaimAnswers, WhatDecidesNothingDoesNotHold) {
  ClaimTest test = percent_above(92);
  test.decides = false;
  const ClaimAnswer answer = answer_of(test, evidence({of_ceiling(95)}));
  EXPECT_EQ(answer.verdict, Answered::undecided);
  EXPECT_EQ(answer.why, "");
  EXPECT_THAT(told(answer), ElementsAre("harris3: 95 (94.8104 to 95.1904) percent_of_ceiling, > 92: holds, "
                                        "decides nothing; 0.01; ; reduce/harris3 n=1000"));
}

TEST(ClaimAnswers, WhatTheDeviceRefusesIsToldAndNothingElseIsLeft) {
  ClaimTest test = percent_above(92);
  test.what = "its share";
  Record refused = record_of("reduce/harris3", 1000, "unsupported");
  refused["reason"] = "too large";
  add_provenance(refused, *find_variant("reduce/harris3"), Target::cuda);
  const ClaimAnswer answer = answer_of(test, evidence({refused}));
  EXPECT_THAT(told(answer),
              ElementsAre("its share: harris3: - (- to -) , > 92: undecided, decides nothing; 0; "
                          "reduce/harris3 n=1000: unsupported, too large; ",
                          "its share: - (- to -) , : undecided; 0; no case that this device takes; "));
  EXPECT_EQ(answer.why, "its share: no case that this device takes");
}

TEST(ClaimAnswers, ASelectionIsCalledByItsColumns) {
  const Json two{{"variant", {"harris2", "harris3"}}}, at{{"n", 1 << 20}, {"variant", "tb2"}};
  for (const auto& [where, pick, text] :
       {std::tuple(two, std::optional(Pick::fastest), "the fastest of harris2 or harris3"),
        {two, Pick::slowest, "the slowest of harris2 or harris3"},
        {two, std::nullopt, "harris2 or harris3"},
        {at, std::nullopt, "n 1Mi, tb2"},
        {Json::object(), Pick::slowest, "the slowest"},
        {Json::object(), std::nullopt, "all"}})
    EXPECT_EQ(redbench::text_of(Selection{where, pick}), text);
}

TEST(ClaimAnswers, AFileOfACaseIsCalledByItsNameAlone) {
  for (const auto& [labels, text] : {std::pair(Json{{"file", "samples/moon.pgm"}}, "moon"),
                                     {Json{{"file", 3}}, R"({"file":3})"},
                                     {Json{{"owners", "x.npy"}}, R"({"owners":"x.npy"})"},
                                     {Json{{"file", "a.npy"}, {"m", 1}}, R"({"file":"a.npy","m":1})"},
                                     {"zipf:1", "zipf:1"},
                                     {0.125, "0.125"},
                                     {3 << 20, "3Mi"}}) {
    Record record = fresh("reduce/harris3", 1.0, 4096);
    record["axes"]["labels"] = labels;
    EXPECT_EQ(case_text(record, {"labels", "n", "seed"}), fmt::format("labels {}, n 4Ki, seed 1", text));
  }
}

/// What keeps a test of martin2012/fig4, which has 16Mi to 31Mi, from an answer.
std::vector<std::string> undecided_of(const ClaimTest& test, const std::vector<Record>& records) {
  return cases_of(test, Evidence(std::list{evidence_of("martin2012/fig4", records)})).undecided;
}

TEST(ClaimAnswers, WhatIsAskedOfTheConfigAndNotThereIsNamed) {
  constexpr Index mi = 1 << 20;
  ClaimTest test = test_of(ClaimKind::ordering, {{{"variant", "matrix"}}, {{"variant", "tb2"}}});
  test.configs = {"martin2012/fig4"};
  test.at = {"n"};
  test.where = {{"n", {16 * mi, 17 * mi}}};
  EXPECT_THAT(undecided_of(test, {fresh("reduce/matrix", 1.0, 16 * mi), fresh("reduce/tb2", 1.2, 16 * mi)}),
              ElementsAre("martin2012/fig4 has no record at n 17Mi"));
  ClaimTest slope = test_of(ClaimKind::slope, {{{"variant", "tb2"}, {"n", {16 * mi, 18 * mi, 20 * mi}}}});
  slope.configs = test.configs;
  slope.x = "n";
  EXPECT_THAT(
      undecided_of(slope, {fresh("reduce/tb2", 1.2, 16 * mi)}),
      ElementsAre("martin2012/fig4 has no record at n 18Mi", "martin2012/fig4 has no record at n 20Mi"));
}

TEST(ClaimsMarkdown, ATableForEachPaper) {
  const Claim first{"one", "Paper 1", "a", "section 3", "so it is", {}},
      second{"one", "Paper 1", "b", "Fig. 2", "or so", {}},
      other{"two", "Paper 2", "c", "page 7", "it | is", {}};
  std::vector<ClaimAnswer> answers(3);
  answers[0].claim = &first;
  answers[0].verdict = Answered::fails;
  answers[0].why = "because";
  answers[1].claim = &second;
  answers[2].claim = &other;
  answers[2].verdict = Answered::holds;
  answers[2].why = "why not";
  const Evidence tested(
      std::list{evidence_of("test", {})},
      {{"GPU B", LeastDifference{"st/b", 0.0076, 0.067}}, {"GPU A", LeastDifference{"st/a", 0.096, 0.98}}});
  const std::string least =
      "GPU A: a ratio counts from 9.6 % on within a run and from 98 % on between runs (st/a). GPU B: a ratio "
      "counts from 0.76 % on within a run and from 6.7 % on between runs (st/b). Without a self-test of the "
      "hardware it is 1 %.";
  EXPECT_EQ(least_difference_text(tested), least);
  const std::string head =
      "| claim | what the paper says | where | verdict | why |\n| --- | --- | --- | --- | --- |\n";
  EXPECT_EQ(markdown(answers, tested), "# Claims of the papers\n\n1 hold, 1 do not hold, 1 undecided.\n\n" +
                                           least + "\n\n## Paper 1\n\n" + head +
                                           "| a | so it is | section 3 | does not hold | because |\n"
                                           "| b | or so | Fig. 2 | undecided |  |\n"
                                           "\n## Paper 2\n\n" +
                                           head + "| c | it \\| is | page 7 | holds | why not |\n");
}

}  // namespace
}  // namespace redbench
