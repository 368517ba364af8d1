// Claims against hand-made records: each kind of test where it holds, where it does not, and where nothing can be
// said.
#include "src/claims/answer.hpp"

#include <gmock/gmock.h>

#include "src/claims/cases.hpp"
#include "src/claims/columns.hpp"
#include "tests/claims/claim_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using enum Answered;

const Json harris2{{"variant", "harris2"}}, harris3{{"variant", "harris3"}};

ClaimTest harris3_before_harris2() {
  ClaimTest test = test_of(ClaimKind::ordering, {harris3, harris2});
  test.at = {"n"};
  return test;
}

ClaimAnswer ordering(double harris3_time, double harris2_time) {
  return answer_of(harris3_before_harris2(),
                   evidence({fresh("reduce/harris3", harris3_time), fresh("reduce/harris2", harris2_time)}));
}

TEST(Claims, AnOrderingHoldsWhereTheIntervalIsBeyondOneByTheLeastDifference) {
  const ClaimAnswer answer = ordering(1, 1.2);
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
  EXPECT_EQ(ordering(1.2, 1).verdict, fails);
  // Known better than by 0.5 %, but no difference that compare tells apart.
  EXPECT_EQ(ordering(1, 1.005).verdict, undecided);
  EXPECT_EQ(ordering(1.005, 1).verdict, undecided);
}

TEST(Claims, TheLeastDifferenceIsThatOfTheSelfTest) {
  const std::vector<Record> records{fresh("reduce/harris3", 1.0), fresh("reduce/harris2", 1.008)};
  const auto with = [&](double within) {
    return answer_of(harris3_before_harris2(),
                     Evidence(std::list{evidence_of("test", records)},
                              {{"NVIDIA Test", LeastDifference{"selftest", within, 0.03}}}));
  };
  EXPECT_EQ(with(0.002).verdict, holds);
  EXPECT_EQ(with(0.02).verdict, undecided);
  EXPECT_NEAR(*with(0.02).smallest_difference_percent(), 2, 1e-9);
  EXPECT_EQ(answer_of(harris3_before_harris2(), evidence(records)).verdict, undecided);
  EXPECT_FALSE(answer_of(harris3_before_harris2(), evidence(records)).smallest_difference_percent());
}

TEST(Claims, BetweenRunsThatOfRunsCounts) {
  ClaimTest test = harris3_before_harris2();
  test.configs = {"test", "other"};
  const auto with = [&](double between) {
    return answer_of(test, Evidence({evidence_of("test", {fresh("reduce/harris3", 1.0)}, "a"),
                                     evidence_of("other", {fresh("reduce/harris2", 1.02)}, "b")},
                                    {{"NVIDIA Test", LeastDifference{"selftest", 0.001, between}}}));
  };
  EXPECT_EQ(with(0.01).verdict, holds);
  EXPECT_EQ(with(0.03).verdict, undecided);
}

TEST(Claims, WithoutRecordsAClaimIsUndecided) {
  const ClaimAnswer none = answer_of(harris3_before_harris2(), Evidence(std::list<EvidenceRun>{}));
  EXPECT_EQ(none.verdict, undecided);
  EXPECT_THAT(none.missing, ElementsAre("configs/test.json"));
  EXPECT_EQ(none.why, "no record of configs/test.json");
  // Of two tests that miss the same it is said once.
  const Claim twice{"paper",  "a paper",  "id",
                    "source", "sentence", {harris3_before_harris2(), harris3_before_harris2()}};
  EXPECT_EQ(answer(twice, Evidence(std::list<EvidenceRun>{})).why, none.why);
  // What runs on a device without time says nothing of times.
  Record modelled = counted_record("reduce/harris2", Json::object());
  EXPECT_EQ(answer_of(harris3_before_harris2(), evidence({modelled})).why,
            "no record of configs/test.json is of a device that says `time_ns`");
  // Of another test's records there is none that it asks for.
  const ClaimAnswer other = answer_of(harris3_before_harris2(), evidence({fresh("reduce/harris4", 1.0)}));
  EXPECT_EQ(other.verdict, undecided);
  EXPECT_THAT(other.missing, ElementsAre("configs/test.json"));
}

TEST(Claims, AMissingCaseIsNamedAndKeepsTheClaimFromHolding) {
  const std::vector<Record> all{fresh("reduce/harris3", 1.0), fresh("reduce/harris2", 1.2),
                                fresh("reduce/harris3", 2.0, 2 * claimed_n)};
  const ClaimAnswer answer = answer_of(harris3_before_harris2(), evidence(all));
  EXPECT_EQ(answer.verdict, undecided);
  EXPECT_THAT(answer.why, HasSubstr("harris2 / harris3 at n 32Mi: no record of harris2"));
  EXPECT_TRUE(answer.missing.empty());
}

TEST(Claims, OfTwoConfigsTheOneThatIsThereAnswers) {
  ClaimTest test = harris3_before_harris2();
  test.configs = {"other", "test"};
  const auto with = [&](double factor) {
    return answer_of(test, evidence({fresh("reduce/harris3", 1.0), fresh("reduce/harris2", factor)}));
  };
  EXPECT_EQ(with(1.2).verdict, undecided);
  EXPECT_THAT(with(1.2).missing, ElementsAre("configs/other.json"));
  EXPECT_EQ(with(1.2).parts[0].verdict, holds);
  EXPECT_EQ(with(0.8).verdict, fails);
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
  ClaimTest one = test;
  one.where = {{"n", claimed_n}};
  EXPECT_EQ(answer_of(one, Evidence(std::list{evidence_of(
                               "martin2012/fig4", {fresh("reduce/matrix", 1.0), fresh("reduce/tb2", 1.2)})}))
                .verdict,
            holds);
}

TEST(Claims, StaleRecordsAndThoseThatHaveNotPassedAnswerNothing) {
  const Json failed{{"outcome", "failed"}, {"reason", "it died"}}, refused{{"outcome", "unsupported"}};
  for (const auto& [changes, why] :
       {std::pair(Json{{"source_hash", "another"}}, "stale (kernel changed): reduce/harris2 n=16777216"),
        {failed, "reduce/harris2 n=16777216: failed, it died"},
        {refused, "no case that this device takes"}}) {
    Record changed = fresh("reduce/harris2", 1.2);
    changed.update(changes);
    const ClaimAnswer answer =
        answer_of(harris3_before_harris2(), evidence({fresh("reduce/harris3", 1.0), changed}));
    EXPECT_EQ(answer.verdict, undecided);
    EXPECT_THAT(answer.why, HasSubstr(why));
    EXPECT_FALSE(answer.parts[0].value);
  }
}

TEST(Claims, OneCaseThatDoesNotHoldIsEnough) {
  std::vector<Record> records{fresh("reduce/harris3", 1.0), fresh("reduce/harris2", 1.005),
                              fresh("reduce/harris3", 2.0, 2 * claimed_n),
                              fresh("reduce/harris2", 1.8, 2 * claimed_n)};
  EXPECT_EQ(answer_of(harris3_before_harris2(), evidence(records)).verdict, fails);
  records[3] = fresh("reduce/harris2", 2.4, 2 * claimed_n);
  EXPECT_EQ(answer_of(harris3_before_harris2(), evidence(records)).verdict, undecided);
}

TEST(Claims, ARatioHasBounds) {
  ClaimTest test = test_of(ClaimKind::ratio, {harris2});
  test.to = Selection{harris3, {}};
  test.bounds = {.above = 1.1, .below = 1.5, .equals = {}};
  const auto at = [&](double ratio) {
    return answer_of(test, evidence({fresh("reduce/harris3", 1.0), fresh("reduce/harris2", ratio)})).verdict;
  };
  EXPECT_EQ(at(1.3), holds);
  EXPECT_EQ(at(1.0), fails);
  EXPECT_EQ(at(1.7), fails);
  EXPECT_EQ(at(1.104), undecided);
  EXPECT_EQ(at(1.496), undecided);
}

TEST(Claims, ARatioOfAllCases) {
  ClaimTest test = test_of(ClaimKind::ratio, {harris2});
  test.to = Selection{harris3, {}};
  test.at = {"n"};
  test.bounds.above = 2;
  const Evidence records =
      evidence({fresh("reduce/harris3", 1.0), fresh("reduce/harris2", 1.2),
                fresh("reduce/harris3", 1.0, 1 << 20), fresh("reduce/harris2", 1.4, 1 << 20),
                fresh("reduce/harris3", 1.0, 1 << 21), fresh("reduce/harris2", 4.6, 1 << 21)});
  const auto over = [&](Over over) {
    test.over = over;
    return answer_of(test, records);
  };
  EXPECT_EQ(over(Over::each).verdict, fails);
  EXPECT_EQ(over(Over::mean).verdict, holds);
  EXPECT_NEAR(*over(Over::mean).parts.back().value, 2.4, 0.01);
  EXPECT_EQ(over(Over::mean).parts.back().what, "mean of 3 cases");
  EXPECT_FALSE(over(Over::mean).parts.front().decides);
  EXPECT_EQ(over(Over::median).verdict, fails);
  EXPECT_NEAR(*over(Over::median).parts.back().value, 1.4, 0.01);
  EXPECT_NEAR(*over(Over::lowest).parts.back().value, 1.2, 0.01);
  EXPECT_EQ(over(Over::highest).verdict, holds);
  test.bounds.above = 2.39;
  EXPECT_EQ(over(Over::mean).verdict, undecided) << "2.4 is beyond by less than 1 %";
  EXPECT_EQ(over(Over::mean).parts.back().least_difference, 0.01);
}

// Of two cases one is told apart from the bound, so its own interval is widened. What is said of both is one
// statement, and its interval that of a case which stands alone.
TEST(Claims, WhatIsSaidOfAllCasesIsNotWidenedByHowManyTheyAre) {
  const std::vector<double> four_times{400000, 404000, 396000, 402000, 398000},
      twice{200000, 202000, 198000, 201000, 199000};
  const std::vector<Record> far{fresh("reduce/harris3", 1.0), fresh("reduce/harris2", four_times)};
  std::vector<Record> both = far;
  both.push_back(fresh("reduce/harris3", 1.0, 1024));
  both.push_back(fresh("reduce/harris2", twice, 1024));
  ClaimTest test = test_of(ClaimKind::ratio, {harris2});
  test.to = Selection{harris3, {}};
  test.at = {"n"};
  test.bounds.above = 2;
  const ClaimPart alone = answer_of(test, evidence(far)).parts.at(0);
  test.over = Over::highest;
  const ClaimAnswer of_both = answer_of(test, evidence(both));
  ASSERT_EQ(of_both.parts.size(), 3u);
  EXPECT_LT(*of_both.parts[0].low, 0.999 * *alone.low) << "of two";
  const ClaimPart& highest = of_both.parts[2];
  EXPECT_EQ(highest.what, "highest of 2 cases");
  EXPECT_NEAR(*highest.value, 4, 0.01);
  EXPECT_NEAR(*highest.low, *alone.low, 1e-9);
  EXPECT_NEAR(*highest.high, *alone.high, 1e-9);
}

TEST(Claims, AMeanOfWhichACaseIsMissingIsUndecided) {
  ClaimTest test = test_of(ClaimKind::ratio, {harris2});
  test.to = Selection{harris3, {}};
  test.at = {"n"};
  test.bounds.above = 2;
  test.over = Over::mean;
  EXPECT_EQ(answer_of(test, evidence({fresh("reduce/harris3", 1.0), fresh("reduce/harris2", 4.0),
                                      fresh("reduce/harris3", 1.0, 1 << 20)}))
                .verdict,
            undecided);
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
  const auto at = [&](double percent) {
    Record record = fresh("reduce/harris3", 1.0);
    record["percent_of_ceiling"] = percent;
    return answer_of(test, evidence({record}));
  };
  EXPECT_EQ(at(95).verdict, holds);
  EXPECT_EQ(at(92.5).verdict, undecided);
  EXPECT_EQ(at(90).verdict, fails);
  // A longer time is a smaller share: the interval's ends change places.
  EXPECT_NEAR(*at(95).parts[0].low, 95 * 100000 / 100200.0, 1e-9);
  EXPECT_NEAR(*at(95).parts[0].high, 95 * 100000 / 99800.0, 1e-9);
  Record alone = fresh("reduce/harris3", 1.0);
  alone["percent_of_ceiling"] = 99.0;
  alone["time_low_ns"] = alone["time_high_ns"] = nullptr;
  EXPECT_EQ(answer_of(test, evidence({alone})).verdict, undecided);
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
  ClaimTest test = test_of(ClaimKind::ratio, {harris2});
  test.to = Selection{harris3, {}};
  test.quantity = "conflicts";
  test.bounds.above = 5;
  const Record two = counted_record("reduce/harris2", {{"conflicts", 100}}),
               three = counted_record("reduce/harris3", {{"conflicts", 10}});
  EXPECT_EQ(answer_of(test, evidence({two, three})).verdict, holds);
  EXPECT_EQ(*answer_of(test, evidence({two, three})).parts[0].value, 10);
  EXPECT_EQ(answer_of(test, evidence({three, counted_record("reduce/harris2", {{"conflicts", 20}})})).verdict,
            fails);
  EXPECT_EQ(answer_of(test, evidence({two, counted_record("reduce/harris3", {{"conflicts", 0}})})).verdict,
            undecided);
  // Of a GPU, which Nsight Compute counts otherwise, they say nothing.
  Record gpu_two = fresh("reduce/harris2", 1.0), gpu_three = fresh("reduce/harris3", 1.0);
  gpu_two["counters"] = {{"conflicts", 100}};
  gpu_three["counters"] = {{"conflicts", 10}};
  const ClaimAnswer on_gpu = answer_of(test, evidence({gpu_two, gpu_three}));
  EXPECT_EQ(on_gpu.verdict, undecided);
  EXPECT_THAT(on_gpu.missing, ElementsAre("configs/test.json"));
}

TEST(Claims, ASlopeIsAnExponent) {
  ClaimTest test = test_of(ClaimKind::slope, {harris3});
  test.x = "n";
  test.bounds = {.above = 0.95, .below = 1.05, .equals = {}};
  const auto of_power = [&](double exponent, int points) {
    std::vector<Record> records;
    for (int i = 0; i < points; ++i)
      records.push_back(fresh("reduce/harris3", std::pow(2, exponent * i), Index(1024) << i));
    return answer_of(test, evidence(records));
  };
  EXPECT_EQ(of_power(1, 6).verdict, holds);
  EXPECT_NEAR(*of_power(1, 6).parts[0].value, 1, 1e-3);
  EXPECT_THAT(of_power(1, 3).parts[0].records,
              ElementsAre("results/test#reduce/harris3 n=1024", "results/test#reduce/harris3 n=2048",
                          "results/test#reduce/harris3 n=4096"));
  EXPECT_EQ(of_power(1, 3).parts[0].least_difference, 0.01);
  EXPECT_EQ(of_power(0.8, 6).verdict, fails);
  EXPECT_EQ(of_power(1.2, 6).verdict, fails);
  EXPECT_EQ(of_power(0.95, 6).verdict, undecided);
  EXPECT_EQ(of_power(1, 2).verdict, undecided);
  EXPECT_THAT(of_power(1, 2).why, HasSubstr("2 points along n, of which a slope needs 3"));
}

// A device that refuses the largest inputs still shows how the others grow.
TEST(Claims, APointThatTheDeviceRefusesIsNoneOfALine) {
  std::vector<Record> records;
  for (int i = 0; i < 5; ++i) records.push_back(fresh("reduce/harris3", std::pow(2, i), Index(1024) << i));
  Record refused = record_of("reduce/harris3", Index(1024) << 5, "unsupported");
  refused["reason"] = "too large";
  add_provenance(refused, *find_variant("reduce/harris3"), Target::cuda);
  const auto along = [&](ClaimKind kind) {
    ClaimTest test = test_of(kind, {harris3});
    test.x = "n";
    test.bounds = {.above = 0.95, .below = 1.05, .equals = {}};
    test.among = {1024};
    const ClaimAnswer without = answer_of(test, evidence(records));
    std::vector<Record> all = records;
    all.push_back(refused);
    const ClaimAnswer with = answer_of(test, evidence(all));
    EXPECT_EQ(with.verdict, without.verdict) << with.why;
    EXPECT_EQ(with.parts.size(), without.parts.size());
    EXPECT_EQ(with.parts[0].value, without.parts[0].value);
    EXPECT_EQ(with.verdict, holds) << with.why;
    all.back()["outcome"] = "failed";
    EXPECT_EQ(answer_of(test, evidence(all)).verdict, undecided) << "what failed is not known";
  };
  along(ClaimKind::slope);
  along(ClaimKind::optimum);
}

TEST(Claims, AnOptimumLiesAmongValues) {
  ClaimTest test = test_of(ClaimKind::optimum, {{{"variant", "harris5"}}});
  test.x = "block";
  test.among = {128, 256};
  const auto with = [&](double of_64, double of_128, double of_256, double of_512) {
    return answer_of(test, evidence({of_block(64, of_64), of_block(128, of_128), of_block(256, of_256),
                                     of_block(512, of_512)}));
  };
  EXPECT_EQ(with(2, 1.5, 1, 1.3).verdict, holds);
  EXPECT_EQ(with(2, 1.5, 1, 1.3).parts[0].what, "harris5, block 512 / block 256");
  EXPECT_EQ(with(2, 1, 1.5, 1.3).verdict, holds);
  EXPECT_EQ(with(2, 1.5, 1.3, 1).verdict, fails);
  EXPECT_EQ(with(2, 1.5, 1, 1.004).verdict, undecided);
  EXPECT_EQ(with(2, 1.5, 1.04, 1).verdict, fails);
  test.tolerance_percent = 10;
  EXPECT_EQ(with(2, 1.5, 1.04, 1).verdict, holds);
  EXPECT_EQ(with(2, 1.5, 1.3, 1).verdict, fails);
  test.tolerance_percent = 0;
  test.is = Pick::slowest;
  EXPECT_EQ(with(1, 1.5, 2, 1.3).verdict, holds);
  EXPECT_EQ(with(2, 1.5, 1, 1.3).verdict, fails);
  test.among = {1024};
  EXPECT_EQ(with(2, 1.5, 1, 1.3).verdict, undecided);
}

TEST(Claims, AStepIsWhereTheWordsLeaveTheCache) {
  ClaimTest test = test_of(ClaimKind::step, {harris3});
  test.x = "n";
  test.bounds.above = 1.5;
  const auto with = [&](double inside, double between, double beyond, double level) {
    EvidenceRun run =
        evidence_of("test", {fresh("reduce/harris3", inside, 512), fresh("reduce/harris3", between, 1024),
                             fresh("reduce/harris3", beyond, 2048)});
    if (level > 0) run.levels["L2"] = level;
    return answer_of(test, Evidence(std::list{run}));
  };
  // 4 KiB: 512 words fill half of it, 1024 all, and 2048 lie beyond.
  EXPECT_EQ(with(1, 1, 2, 4096).verdict, holds);
  EXPECT_EQ(with(1, 1, 2, 4096).parts[0].what, "harris3, n 2Ki / n 512, out of L2");
  EXPECT_EQ(with(1, 2, 1.1, 4096).verdict, fails);
  EXPECT_EQ(with(1, 1, 2, 0).verdict, undecided);
  EXPECT_EQ(with(1, 1, 2, 1e9).verdict, undecided);  // none beyond
}

TEST(Claims, WhatDecidesNothingIsReported) {
  ClaimTest test = harris3_before_harris2();
  test.decides = false;
  Claim claim{"paper", "a paper", "id", "source", "sentence", {harris3_before_harris2(), test}};
  std::swap(claim.tests[1].of[0], claim.tests[1].of[1]);
  const ClaimAnswer both =
      answer(claim, evidence({fresh("reduce/harris3", 1.0), fresh("reduce/harris2", 1.2)}));
  EXPECT_EQ(both.verdict, holds);
  EXPECT_EQ(both.parts[1].verdict, fails);
}

TEST(Claims, OfTwoRunsOfOneConfigNoneIsMeant) {
  const auto run = [](const char* path) {
    return evidence_of("test", {fresh("reduce/harris3", 1.0), fresh("reduce/harris2", 1.2)}, path);
  };
  const ClaimAnswer answer = answer_of(harris3_before_harris2(), Evidence(std::list{run("a"), run("b")}));
  EXPECT_EQ(answer.verdict, undecided);
  EXPECT_EQ(answer.why, "2 runs are of test on NVIDIA Test: a, b; give one of them");
}

TEST(Claims, OfTwoDevicesOneIsToBeNamed) {
  std::vector<Record> records{fresh("reduce/harris3", 1.0), fresh("reduce/harris2", 1.2)};
  std::vector<Record> others{fresh("reduce/harris3", 1.2), fresh("reduce/harris2", 1.0)};
  for (Record& one : others) one["hardware"] = "NVIDIA Other";
  const auto both = [&] {
    return Evidence(std::list{evidence_of("test", records, "a"), evidence_of("test", others, "b")});
  };
  const ClaimAnswer unnamed = answer_of(harris3_before_harris2(), both());
  EXPECT_EQ(unnamed.verdict, undecided);
  EXPECT_THAT(unnamed.why, HasSubstr("its records are of NVIDIA Other and of NVIDIA Test; --device says"));
  const auto named = [&](const std::string& name) {
    Evidence evidence = both();
    evidence.keep_hardware({name});
    return answer_of(harris3_before_harris2(), evidence).verdict;
  };
  EXPECT_EQ(named("NVIDIA Test"), holds);
  EXPECT_EQ(named("NVIDIA Other"), fails);
  EXPECT_THAT(usage_error([&] { named("NVIDIA Tset"); }), HasSubstr("did you mean `NVIDIA Test`?"));
}

TEST(Claims, RecordsOfOneDeviceMustBeMeasuredAlikeAndACpuMayBeHeldAgainstAGpu) {
  ClaimTest test = test_of(ClaimKind::ratio, {{{"variant", {"harris2", "cpu_serial"}}}});
  test.to = Selection{harris3, {}};
  test.bounds.above = 2;
  Record other = fresh("reduce/harris2", 3.0);
  EXPECT_EQ(answer_of(test, evidence({fresh("reduce/harris3", 1.0), other})).verdict, holds);
  other["seed"] = 2;
  const ClaimAnswer answer = answer_of(test, evidence({fresh("reduce/harris3", 1.0), other}));
  EXPECT_EQ(answer.verdict, undecided);
  EXPECT_THAT(answer.why, HasSubstr("other inputs, by their seed: 1 and 2"));
  Record on_host = fresh("reduce/cpu_serial", 30.0);
  on_host.update({{"device", "host"}, {"hardware", "Test CPU"}});
  add_provenance(on_host, *find_variant("reduce/cpu_serial"), Target::host);
  EXPECT_EQ(answer_of(test, evidence({fresh("reduce/harris3", 1.0), on_host})).verdict, holds);
}

TEST(Claims, OneProcessEachIsNotCompared) {
  ClaimTest test = test_of(ClaimKind::ratio, {{{"n", 2048}}});
  test.to = Selection{{{"n", 1024}}, {}};
  test.bounds.above = 1.5;
  const ClaimAnswer answer =
      answer_of(test, evidence({fresh("reduce/harris3", std::vector<double>{100000}, 1024),
                                fresh("reduce/harris3", std::vector<double>{300000}, 2048)}));
  EXPECT_EQ(answer.verdict, undecided);
  EXPECT_THAT(answer.why, HasSubstr("one process each"));
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

TEST(Claims, CasesAndSelectionsAreCalledByTheirColumns) {
  Record record = fresh("reduce/harris3", 1.0);
  record["axes"]["labels"] = {{"file", "samples/moon.pgm"}};
  record["parameters"] = {{"sets", 8}, {"m", 1024}};
  EXPECT_EQ(case_text(record, {"n", "labels", "words"}), "n 16Mi, labels moon, words 8192");
  EXPECT_EQ(case_text(record, {}), "");
  const Json two{{"variant", {"harris2", "harris3"}}}, at{{"n", 1 << 20}, {"variant", "tb2"}};
  for (const auto& [where, pick, text] :
       {std::tuple(two, std::optional(Pick::slowest), "the slowest of harris2 or harris3"),
        {at, std::nullopt, "n 1Mi, tb2"},
        {Json::object(), Pick::fastest, "the fastest"},
        {Json::object(), std::nullopt, "all"}})
    EXPECT_EQ(text_of(Selection{where, pick}), text);
}

}  // namespace
}  // namespace redbench
