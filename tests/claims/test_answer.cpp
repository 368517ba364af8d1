// Claims against hand-made records: each kind of test where it holds, where it does not, and where nothing
// can be said.
#include "src/claims/answer.hpp"

#include <gmock/gmock.h>

#include "tests/claims/claim_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum ClaimVerdict;

const Json harris2{{"variant", "harris2"}}, harris3{{"variant", "harris3"}};

ClaimTest harris3_before_harris2() {
  ClaimTest test = test_of(ClaimKind::ordering, {harris3, harris2});
  test.at = {"n"};
  return test;
}

/// harris2 / harris3, of each n.
ClaimTest ratio(std::optional<double> above, std::optional<double> below = {}) {
  ClaimTest test = test_of(ClaimKind::ratio, {harris2});
  test.to = Selection{harris3, {}};
  test.at = {"n"};
  test.bounds = {.above = above, .below = below, .equals = {}};
  return test;
}

/// harris3 takes the time 1 and harris2 so many times as long.
std::vector<Record> both(double factor, Index n = claimed_n) {
  return {fresh("reduce/harris3", 1.0, n), fresh("reduce/harris2", factor, n)};
}

std::vector<Record> operator+(std::vector<Record> records, const std::vector<Record>& more) {
  records.insert(records.end(), more.begin(), more.end());
  return records;
}

TEST(Claims, AnOrderingHoldsWhereTheIntervalIsBeyondOneByTheLeastDifference) {
  const ClaimAnswer answer = answer_of(harris3_before_harris2(), evidence(both(1.2)));
  EXPECT_EQ(answer.verdict, holds);
  ASSERT_EQ(answer.parts.size(), 1u);
  const ClaimPart& part = answer.parts[0];
  EXPECT_EQ(part.what, "harris2 / harris3 at n 16Mi");
  EXPECT_NEAR(*part.value, 1.2, 0.001);
  EXPECT_LT(*part.low, 1.2);
  EXPECT_GT(*part.high, 1.2);
  EXPECT_EQ(part.bounds.text(), "> 1");
  EXPECT_THAT(part.records, ElementsAre("results/test#reduce/harris2 n=16777216",
                                        "results/test#reduce/harris3 n=16777216"));
  EXPECT_THAT(answer.why, HasSubstr("harris2 / harris3 at n 16Mi: 1.200 (1."));
  EXPECT_FALSE(answer.is_modelled());
  // Within 0.5 % the two are known to differ, but by less than compare finds.
  for (const auto& [factor, verdict] : {std::pair(0.8, fails), {1.005, undecided}, {0.995, undecided}})
    EXPECT_EQ(answer_of(harris3_before_harris2(), evidence(both(factor))).verdict, verdict) << factor;
}

TEST(Claims, TheLeastDifferenceIsThatOfTheSelfTest) {
  const auto with = [&](double within) {
    return answer_of(harris3_before_harris2(),
                     Evidence(std::list{evidence_of("test", both(1.008))},
                              {{"NVIDIA Test", LeastDifference{"selftest", within, 0.03}}}));
  };
  EXPECT_EQ(with(0.002).verdict, holds);
  EXPECT_EQ(with(0.02).verdict, undecided);
  EXPECT_NEAR(*with(0.02).smallest_difference_percent(), 2, 1e-9);
  EXPECT_FALSE(answer_of(harris3_before_harris2(), evidence(both(1.008))).smallest_difference_percent());
  ClaimTest test = harris3_before_harris2();
  test.configs = {"test", "other"};
  const auto between = [&](double least) {
    return answer_of(test, Evidence({evidence_of("test", {both(1.02)[0]}, "a"),
                                     evidence_of("other", {both(1.02)[1]}, "b")},
                                    {{"NVIDIA Test", LeastDifference{"selftest", 0.001, least}}}))
        .verdict;
  };
  EXPECT_EQ(between(0.01), holds);
  EXPECT_EQ(between(0.03), undecided) << "the records are of two runs";
}

/// Between two runs 1 % counts, between two boards so much from inputs of this n on.
Evidence of_boards(std::list<EvidenceRun> runs, Index n, double least) {
  LeastAcross across;
  across.add("NVIDIA Test", "selftest", {{n, least}});
  return Evidence(std::move(runs), {{"NVIDIA Test", LeastDifference{"selftest", 0.001, 0.01}}}, across);
}

TEST(Claims, TimesOfTwoBoardsDecideByWhatASelfTestFoundBetweenSuch) {
  ClaimTest test = harris3_before_harris2();
  test.configs = {"test", "other"};
  const auto answered = [&](Index n, double least, const char* driver = nullptr, Json board = "bb") {
    EvidenceRun a = evidence_of("test", {both(1.2)[0]}, "a"), b = evidence_of("other", {both(1.2)[1]}, "b");
    a.run.facts["sessions"][0]["board"]["uuid_hash"] = "aa";
    b.run.facts["sessions"][0]["board"]["uuid_hash"] = std::move(board);
    if (driver) b.run.facts["sessions"][0]["driver"] = driver;
    return answer_of(test, of_boards({a, b}, n, least));
  };
  EXPECT_EQ(answered(claimed_n, 0.1).verdict, holds);
  EXPECT_NEAR(answered(claimed_n, 0.1).parts[0].least_difference, 0.1, 1e-9);
  EXPECT_NEAR(answered(claimed_n, 0.001).parts[0].least_difference, 0.01, 1e-9)
      << "they are of two runs, too";
  EXPECT_EQ(answered(claimed_n, 0.3).verdict, undecided);
  for (const ClaimAnswer& answer : {answered(2 * claimed_n, 0.1), answered(claimed_n, 0.1, "another"),
                                    answered(claimed_n, 0.1, nullptr, Json())}) {
    EXPECT_EQ(answer.verdict, undecided);
    EXPECT_THAT(answer.why, HasSubstr("board"));
  }
}

TEST(Claims, AJoinedRunOfTwoBoardsCountsAsTwoRuns) {
  EvidenceRun joined = evidence_of("test", both(1.2));
  Json& sessions = joined.run.facts["sessions"];
  sessions[0]["board"]["uuid_hash"] = "aa";
  sessions.push_back(sessions[0]);
  sessions[1]["board"]["uuid_hash"] = "bb";
  joined.run.records[1]["session"] = 1;
  const ClaimAnswer answer = answer_of(harris3_before_harris2(), of_boards({joined}, claimed_n, 0.001));
  EXPECT_EQ(answer.verdict, holds);
  EXPECT_NEAR(answer.parts[0].least_difference, 0.01, 1e-9);
}

TEST(Claims, WithoutRecordsAClaimIsNotMeasured) {
  const ClaimAnswer none = answer_of(harris3_before_harris2(), Evidence(std::list<EvidenceRun>{}));
  EXPECT_EQ(none.verdict, not_measured);
  EXPECT_THAT(none.missing, ElementsAre("configs/test.json"));
  EXPECT_EQ(none.why, "no record of configs/test.json");
  EXPECT_EQ(
      answer_of(harris3_before_harris2(), evidence({counted_record("reduce/harris2", Json::object())})).why,
      "no record of configs/test.json is of a device that says `time_ns`");
  Claim claim{"paper",  "a paper",  "id",
              "source", "sentence", {harris3_before_harris2(), harris3_before_harris2()}};
  claim.tests[1].where["n"] = 7;  // of which there is no record
  EXPECT_EQ(answer(claim, evidence(both(0.8))).verdict, fails)
      << "by the test that has records of the config";
}

TEST(Claims, AMissingCaseKeepsAClaimFromHoldingAndNotFromFailing) {
  ClaimTest mean = ratio(2);
  mean.over = Over::mean;
  const std::vector<Record> missing{fresh("reduce/harris3", 2.0, 2 * claimed_n)};
  EXPECT_THAT(answer_of(harris3_before_harris2(), evidence(both(1.2) + missing)).why,
              HasSubstr("harris2 / harris3 at n 32Mi: no record of harris2"));
  ClaimTest two_configs = harris3_before_harris2();
  two_configs.configs = {"other", "test"};
  struct {
    ClaimTest test;
    std::vector<Record> records;
    ClaimVerdict verdict;
  } const cases[] = {{harris3_before_harris2(), both(1.2) + missing, undecided},
                     {harris3_before_harris2(), both(0.8) + missing, fails},
                     {mean, both(4) + missing, undecided},
                     {two_configs, both(1.2), undecided},
                     {two_configs, both(0.8), fails},
                     {harris3_before_harris2(), both(1.005) + both(0.9, 1024), fails},
                     {harris3_before_harris2(), both(1.005) + both(1.2, 1024), undecided}};
  for (const auto& row : cases)
    EXPECT_EQ(answer_of(row.test, evidence(row.records)).verdict, row.verdict) << &row - cases;
}

TEST(Claims, WhatTheConfigHasAndNoRecordIsMissing) {
  ClaimTest test = test_of(ClaimKind::ordering, {{{"variant", "matrix"}}, {{"variant", "tb2"}}});
  test.configs = {"martin2012/fig4"};
  test.at = {"n"};
  const ClaimAnswer answer =
      answer_of(test, Evidence(std::list{evidence_of(
                          "martin2012/fig4", {fresh("reduce/matrix", 1.0), fresh("reduce/tb2", 1.2)})}));
  EXPECT_EQ(answer.verdict, undecided);
  EXPECT_EQ(answer.parts.size(), 16u);  // 16 to 31 Mi
  EXPECT_THAT(answer.why, HasSubstr("martin2012/fig4 has no record at n 17Mi"));
}

TEST(Claims, StaleRecordsAndThoseThatHaveNotPassedAnswerNothing) {
  const Json failed{{"outcome", "failed"}, {"reason", "it died"}}, refused{{"outcome", "unsupported"}};
  for (const auto& [changes, why] :
       {std::pair(Json{{"source_hash", "another"}}, "stale (kernel changed): reduce/harris2 n=16777216"),
        {failed, "reduce/harris2 n=16777216: failed, it died"},
        {refused, "no case that this device takes"}}) {
    std::vector<Record> records = both(1.2);
    records[1].update(changes);
    const ClaimAnswer answer = answer_of(harris3_before_harris2(), evidence(records));
    EXPECT_EQ(answer.verdict, undecided);
    EXPECT_THAT(answer.why, HasSubstr(why));
    EXPECT_FALSE(answer.parts[0].value);
  }
}

TEST(Claims, ARatioHasBounds) {
  for (const auto& [factor, verdict] :
       {std::pair(1.3, holds), {1.0, fails}, {1.7, fails}, {1.104, undecided}, {1.496, undecided}})
    EXPECT_EQ(answer_of(ratio(1.1, 1.5), evidence(both(factor))).verdict, verdict) << factor;
}

TEST(Claims, OneStatisticOfAllCasesDecides) {
  const Evidence records = evidence(both(1.2) + both(1.4, 1 << 20) + both(4.6, 1 << 21));
  struct {
    Over over;
    double bound, value;
    ClaimVerdict verdict;
  } const cases[] = {{Over::mean, 2, 2.4, holds},
                     {Over::mean, 2.39, 2.4, undecided},  // it is beyond by less than 1 %
                     {Over::median, 2, 1.4, fails},
                     {Over::lowest, 2, 1.2, fails},
                     {Over::highest, 2, 4.6, holds}};
  for (const auto& [over, bound, value, verdict] : cases) {
    ClaimTest test = ratio(bound);
    test.over = over;
    const ClaimAnswer answer = answer_of(test, records);
    EXPECT_EQ(answer.verdict, verdict) << int(over);
    EXPECT_NEAR(*answer.parts.back().value, value, 0.01) << int(over);
    EXPECT_EQ(answer.parts.back().least_difference, 0.01);
    EXPECT_FALSE(answer.parts.front().decides);
  }
  EXPECT_EQ(answer_of(ratio(2), records).verdict, fails) << "each case";
}

// Of two cases one is found beyond the bound, so its interval is widened; the statistic of both is one
// statement.
TEST(Claims, AStatisticOfAllCasesIsNotWidenedByHowManyTheyAre) {
  const std::vector<double> four_times{400000, 404000, 396000, 402000, 398000},
      twice{200000, 202000, 198000, 201000, 199000};
  const std::vector<Record> far{fresh("reduce/harris3", 1.0), fresh("reduce/harris2", four_times)},
      near{fresh("reduce/harris3", 1.0, 1024), fresh("reduce/harris2", twice, 1024)};
  ClaimTest test = ratio(2);
  const ClaimPart alone = answer_of(test, evidence(far)).parts.at(0);
  test.over = Over::highest;
  const ClaimAnswer of_both = answer_of(test, evidence(far + near));
  ASSERT_EQ(of_both.parts.size(), 3u);
  EXPECT_LT(*of_both.parts[0].low, 0.999 * *alone.low) << "of two";
  EXPECT_EQ(of_both.parts[2].what, "highest of 2 cases");
  EXPECT_NEAR(*of_both.parts[2].low, *alone.low, 1e-9);
  EXPECT_NEAR(*of_both.parts[2].high, *alone.high, 1e-9);
}

TEST(Claims, TheFastestOfSeveralIsPicked) {
  ClaimTest test = test_of(ClaimKind::ratio, {{{"variant", "harris1"}}});
  test.to = Selection{{{"variant", {"harris2", "harris3"}}}, Pick::fastest};
  test.bounds.above = 2.5;
  const std::vector<Record> all{fresh("reduce/harris1", 3.0), fresh("reduce/harris2", 2.0),
                                fresh("reduce/harris3", 1.0)};
  EXPECT_EQ(answer_of(test, evidence(all)).verdict, holds);
  test.to->pick = Pick::slowest;
  EXPECT_EQ(answer_of(test, evidence(all)).verdict, fails);
  // The fastest of those that are there may not be that of all.
  const ClaimAnswer part = answer_of(test, evidence({all[0], all[1]}));
  EXPECT_EQ(part.verdict, undecided);
  EXPECT_THAT(part.why, HasSubstr("no record of harris3"));
  test.to->pick.reset();
  EXPECT_THAT(answer_of(test, evidence(all)).why,
              HasSubstr("2 records of harris2 or harris3, which differ in"));
}

TEST(Claims, ANumberOfARecordHasTheIntervalOfItsTime) {
  ClaimTest test = test_of(ClaimKind::value, {harris3});
  test.quantity = "percent_of_ceiling";
  test.bounds.above = 92;
  Record record = fresh("reduce/harris3", 1.0);
  const auto at = [&](double percent) {
    record["percent_of_ceiling"] = percent;
    return answer_of(test, evidence({record}));
  };
  EXPECT_EQ(at(95).verdict, holds);
  EXPECT_EQ(at(92.5).verdict, undecided);
  EXPECT_EQ(at(90).verdict, fails);
  // A longer time is a smaller share: the interval's ends change places.
  EXPECT_NEAR(*at(95).parts[0].low, 95 * 100000 / 100200.0, 1e-9);
  EXPECT_NEAR(*at(95).parts[0].high, 95 * 100000 / 99800.0, 1e-9);
  record["time_low_ns"] = record["time_high_ns"] = nullptr;
  EXPECT_EQ(at(99).verdict, undecided);
  EXPECT_EQ(at(99).why, "harris3: 99, asked > 92: no interval: it is of one process");
}

TEST(Claims, AnExactNumberNeedsNoInterval) {
  ClaimTest test = test_of(ClaimKind::value, {harris3});
  test.quantity = "passes";
  test.bounds.equals = 2;
  Record record = fresh("reduce/harris3", 1.0);
  record["launches"] = {launch_of(1, 0), launch_of(64), launch_of(1)};  // the first clears
  EXPECT_EQ(answer_of(test, evidence({record})).verdict, holds);
  record["launches"].push_back(launch_of(1));
  EXPECT_EQ(answer_of(test, evidence({record})).verdict, fails);
}

TEST(Claims, CountersAreThoseOfTheModelledDevice) {
  ClaimTest test = ratio(5);
  test.quantity = "conflicts";
  const auto with = [&](int of_harris2, int of_harris3, bool on_gpu = false) {
    std::vector<Record> records = both(1);
    for (const auto& [i, conflicts] : {std::pair(0, of_harris3), {1, of_harris2}}) {
      const Json counters{{"conflicts", conflicts}};
      if (on_gpu) records[std::size_t(i)]["counters"] = counters;
      else records[std::size_t(i)] = counted_record(records[std::size_t(i)]["variant"], counters);
    }
    return answer_of(test, evidence(records));
  };
  EXPECT_EQ(with(100, 10).verdict, holds);
  EXPECT_TRUE(with(100, 10).is_modelled());
  EXPECT_EQ(*with(100, 10).parts[0].value, 10);
  EXPECT_EQ(with(20, 10).verdict, fails);
  EXPECT_EQ(with(100, 0).verdict, undecided);
  EXPECT_EQ(with(100, 10, true).verdict, not_measured) << "Nsight Compute counts otherwise";
  test.quantity = "nsight_divergent_percent";
  EXPECT_THAT(with(100, 10).why, HasSubstr("is of a device that says `nsight_divergent_percent`"));
}

/// Whether harris2 / harris3, which is 1.2, is above each of these.
ClaimAnswer answer_of_bounds(const std::vector<double>& bounds, bool last_decides = true) {
  static Claim claim;
  claim = {"paper", "a paper", "id", "source", "sentence", {}};
  for (const double bound : bounds) claim.tests.push_back(ratio(bound));
  claim.tests[0].name = "faster";
  claim.tests.back().decides = last_decides;
  return answer(claim, evidence(both(1.2)));
}

TEST(Claims, OneHoldsInPartWhereSomeOfItsTestsHoldAndOthersDoNot) {
  const ClaimAnswer in_both = answer_of_bounds({1.1, 1.5, 1.2});
  EXPECT_EQ(in_both.verdict, in_part);
  EXPECT_THAT(in_both.why, testing::EndsWith(", asked > 1.5; holds: faster; undecided: test 3"));
  EXPECT_EQ(in_both.tests[1].verdict, fails);
  for (const auto& [bounds, verdict] : {std::pair(std::vector{1.1, 1.15}, holds),
                                        {std::vector{1.5, 2.0}, fails},
                                        {std::vector{1.5, 1.2}, fails},
                                        {std::vector{1.1, 1.2}, undecided}})
    EXPECT_EQ(answer_of_bounds(bounds).verdict, verdict) << testing::PrintToString(bounds);
}

TEST(Claims, WhatDecidesNothingIsReported) {
  const ClaimAnswer answered = answer_of_bounds({1.1, 1.5}, false);
  EXPECT_EQ(answered.verdict, holds);
  EXPECT_EQ(answered.parts[1].verdict, fails);
  EXPECT_FALSE(answered.parts[1].decides);
  EXPECT_THAT(answered.why, testing::ContainsRegex("; reported: harris2 / .*, asked > 1.5$"));
  EXPECT_EQ(answer_of_bounds({1.1}, false).verdict, undecided) << "no test decides";
}

// harris2 is the faster with equal labels, harris3 in the worse of the two cases.
TEST(Claims, TheSlowestOfRecordsThatDifferInTheirLabelsAloneCounts) {
  std::vector<Record> records;
  for (const auto& [variant, labels, factor] : {std::tuple("reduce/harris2", "uniform", 4.0),
                                                {"reduce/harris2", "degenerate", 1.0},
                                                {"reduce/harris3", "uniform", 2.0},
                                                {"reduce/harris3", "degenerate", 3.0}}) {
    records.push_back(fresh(variant, factor));
    records.back()["axes"]["labels"] = labels;
    records.back()["key"] = std::string(variant) + labels;
  }
  ClaimTest test = harris3_before_harris2();
  test.worst = {"labels"};
  EXPECT_NEAR(*answer_of(test, evidence(records)).parts.at(0).value, 4.0 / 3, 0.001);
  records[2]["outcome"] = "failed";
  EXPECT_EQ(answer_of(test, evidence(records)).verdict, undecided) << "which is the slowest is not known";
  records.erase(records.begin() + 2);
  EXPECT_EQ(answer_of(test, evidence(records)).verdict, undecided)
      << "harris3 was interrupted before uniform labels";
  Record uniform = fresh("multireduce/global_sets_presorted", 1.0);
  uniform["axes"]["labels"] = "uniform";
  test = test_of(ClaimKind::value, {Json::object()});
  test.configs = {"eilers2014/table4.2"};
  test.worst = {"labels"};
  EXPECT_EQ(
      answer_of(test, Evidence(std::list{evidence_of("eilers2014/table4.2", {uniform})})).parts.back().why,
      "eilers2014/table4.2 has no record at labels degenerate");
}

TEST(Claims, OfTwoRunsOrDevicesOneIsToBeNamed) {
  const auto run = [](const char* path, double factor, const char* hardware) {
    std::vector<Record> records = both(factor);
    for (Record& record : records) record["hardware"] = hardware;
    return evidence_of("test", records, path);
  };
  EXPECT_EQ(
      answer_of(harris3_before_harris2(), Evidence(std::list{run("a", 1.2, "GPU 1"), run("b", 1.2, "GPU 1")}))
          .why,
      "2 runs are of test on GPU 1: a, b; give one of them");
  Evidence both_devices(std::list{run("a", 1.2, "GPU 1"), run("b", 0.8, "GPU 2")});
  EXPECT_EQ(answer_of(harris3_before_harris2(), both_devices).verdict, undecided);
  EXPECT_EQ(answer_of(harris3_before_harris2(), both_devices).why,
            "its records are of GPU 1 and of GPU 2; --device says of which it is asked");
  both_devices.keep_hardware({"GPU 2"});
  EXPECT_EQ(answer_of(harris3_before_harris2(), both_devices).verdict, fails);
}

TEST(Claims, RecordsOfOneDeviceMustBeMeasuredAlikeAndACpuMayBeComparedWithAGpu) {
  std::vector<Record> records = both(3);
  EXPECT_EQ(answer_of(ratio(2), evidence(records)).verdict, holds);
  records[1]["seed"] = 2;
  EXPECT_EQ(answer_of(ratio(2), evidence(records)).verdict, undecided);
  EXPECT_THAT(answer_of(ratio(2), evidence(records)).why, HasSubstr("other inputs, by their seed: 1 and 2"));
  records[1] = fresh("reduce/cpu_serial", 30.0);
  records[1].update({{"device", "host"}, {"hardware", "Test CPU"}});
  add_provenance(records[1], *find_variant("reduce/cpu_serial"), Target::host);
  ClaimTest test = ratio(20);
  test.of = {{{{"variant", "cpu_serial"}}, {}}};
  EXPECT_EQ(answer_of(test, evidence(records)).verdict, holds);
  const std::vector<Record> single{fresh("reduce/harris3", std::vector<double>{100000}, 1024),
                                   fresh("reduce/harris3", std::vector<double>{300000}, 2048)};
  test = ratio(1.5);
  test.of = {{{{"n", 2048}}, {}}};
  test.to = Selection{{{"n", 1024}}, {}};
  test.at = {};
  EXPECT_EQ(answer_of(test, evidence(single)).verdict, undecided);
  EXPECT_THAT(answer_of(test, evidence(single)).why, HasSubstr("one process each"));
}

TEST(Claims, OfManyCasesOneByChanceDoesNotRefute) {
  // Forks that differ by chance alone: of so many pairs some have a 95 % interval on the other side of 1.
  std::vector<Record> records;
  std::uint64_t state = 7;
  const auto drawn = [&] {
    std::vector<double> forks;
    for (int i = 0; i < 3; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      forks.push_back(100000 + double(state >> 50));
    }
    return forks;
  };
  for (int i = 0; i < 200; ++i)
    for (const char* variant : {"reduce/harris2", "reduce/harris3"})
      records.push_back(fresh(variant, drawn(), 1000 + i));
  const ClaimAnswer answer = answer_of(harris3_before_harris2(), evidence(records));
  EXPECT_EQ(answer.parts.size(), 200u);
  EXPECT_TRUE(std::ranges::any_of(answer.parts, [](const ClaimPart& part) { return *part.high < 0.985; }));
  EXPECT_EQ(answer.verdict, undecided);
}

TEST(Claims, AreOfKernelsAsPrintedButWhereATestNamesTunedOnes) {
  Record tuned = fresh("reduce/harris7", 3);
  tuned["tuned"] = true;
  const Evidence records = evidence({fresh("reduce/harris3", 2), fresh("reduce/harris7", 1), tuned});
  const auto verdict = [&](const Json& faster) {
    return answer_of(test_of(ClaimKind::ordering, {faster, harris3}), records).verdict;
  };
  EXPECT_EQ(verdict({{"variant", "harris7"}}), holds);
  EXPECT_EQ(verdict({{"variant", "harris7"}, {"tuned", true}}), fails);
}

}  // namespace
}  // namespace redbench
