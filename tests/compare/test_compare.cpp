// Two runs, or two variants of one, from hand-made records: which cases are held against each other, what is
// said of each, what keeps them from being compared, and the exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/compare/comparison_text.hpp"
#include "src/records/provenance.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<Verdict> verdicts(const Comparison& comparison) {
  std::vector<Verdict> all;
  for (const ComparedCase& one : comparison.cases) all.push_back(one.judged.verdict);
  return all;
}

Comparison of_runs(const Record& a, const Record& b, const CompareOptions& options = {}) {
  return compare_runs(run_of("a", {a}), run_of("b", {b}), options);
}

/// What is said of one case that is like another but for `field`.
std::vector<std::string> notes(const std::string& field, const Json& first, const Json& second) {
  Record a = measured("reduce/harris3", around_100), b = a;
  a[field] = first;
  b[field] = second;
  // Beside a case that can be compared, so that the runs are not refused.
  const Record other = measured("reduce/harris3", around_100, 2048);
  const Comparison comparison = compare_runs(run_of("a", {a, other}), run_of("b", {b, other}), {});
  EXPECT_EQ(comparison.cases[0].judged.verdict,
            comparison.cases[0].difference ? Verdict::same : Verdict::undecided);
  return comparison.cases[0].notes;
}

TEST(CompareRuns, EachCaseHasItsVerdict) {
  const auto variant = [](const char* name, double factor) { return measured(name, times(factor)); };
  const StoredRun a =
      run_of("a", {variant("reduce/harris1", 1), variant("reduce/harris2", 1), variant("reduce/harris3", 1),
                   measured("reduce/harris4", {100000, 150000})});
  const StoredRun b =
      run_of("b", {variant("reduce/harris1", 1.05), variant("reduce/harris2", 0.95),
                   variant("reduce/harris3", 1.001), measured("reduce/harris4", {101000, 152000})});
  const Comparison comparison = compare_runs(a, b, {});
  using enum Verdict;
  EXPECT_EQ(verdicts(comparison), (std::vector{slower, faster, same, undecided}));
  EXPECT_EQ(comparison.summary(), "1 faster, 1 slower, 1 same, 1 undecided: 2 of 4 pairs differ");
  EXPECT_NEAR(std::exp(comparison.cases[0].difference->log_ratio), 1.05, 1e-5);

  const Comparison turned = compare_runs(b, a, {});
  EXPECT_EQ(verdicts(turned), (std::vector{faster, slower, same, undecided}));
  EXPECT_NEAR(turned.cases[0].difference->log_ratio, -comparison.cases[0].difference->log_ratio, 1e-12);
}

TEST(CompareRuns, AThresholdIsTheUsers) {
  const Record a = measured("reduce/harris3", around_100), b = measured("reduce/harris3", times(1.05));
  EXPECT_EQ(verdicts(of_runs(a, b, {.threshold_percent = 10})), std::vector{Verdict::same});
  EXPECT_EQ(verdicts(of_runs(a, b, {.threshold_percent = 4})), std::vector{Verdict::slower});
  EXPECT_EQ(of_runs(a, b, {.threshold_percent = 4}).threshold_percent, 4) << "what tables and JSON say";
  EXPECT_EQ(verdicts(of_runs(a, measured("reduce/harris3", times(1.0495)), {.threshold_percent = 5})),
            std::vector{Verdict::undecided})
      << "its interval goes beyond";
}

TEST(CompareRuns, LevelsOfProcessesAreNoDifference) {
  // 40 samples each that hardly scatter, of processes that are 2 % apart: pooled they would differ.
  const Record a = measured("reduce/harris3", {100000, 102000, 100100, 102100, 100200});
  const Record b = measured("reduce/harris3", {102000, 100300, 102200, 102100, 101900});
  EXPECT_EQ(verdicts(of_runs(a, b)), std::vector{Verdict::undecided});
}

TEST(CompareRuns, OneProcessEachIsNotCompared) {
  const Comparison comparison =
      of_runs(measured("reduce/harris3", {100000}), measured("reduce/harris3", {200000}));
  EXPECT_EQ(verdicts(comparison), std::vector{Verdict::undecided});
  EXPECT_THAT(line_of(comparison.cases[0].notes), HasSubstr("--set measure.forks=5"));
  EXPECT_EQ(exit_code_of(comparison, false), exit_undecided);
}

TEST(CompareRuns, CasesThatOnlyOneHasAreCounted) {
  Record warm = measured("reduce/harris3", around_100);
  warm["mode"] = "warm";
  const Record shared = measured("reduce/harris1", around_100),
               alone = measured("reduce/harris2", around_100);
  Record other_gpu = shared;
  other_gpu["device"] = "cuda:1";
  const Comparison comparison = compare_runs(run_of("a", {shared, measured("reduce/harris3", around_100)}),
                                             run_of("b", {warm, other_gpu, alone}), {});
  EXPECT_EQ(comparison.cases.size(), 1u) << "in one mode, on one kind of device";
  EXPECT_THAT(comparison.remarks, ElementsAre("Cases of A alone: 1, 1 with a time.", "Cases of B alone: 2."));
  EXPECT_EQ(comparison_table(comparison).remarks, comparison.remarks) << "readers of the table are told, too";
  EXPECT_THAT(markdown(comparison, 0), HasSubstr("\nCases of A alone: 1, 1 with a time.\n"));
  EXPECT_THAT(usage_error([&] { compare_runs(run_of("a", {shared}), run_of("b", {warm}), {}); }),
              HasSubstr("a and b: no case that both have in one mode"));
}

TEST(CompareRuns, WhatWasNotMeasuredAlikeIsMarkedAndNotCompared) {
  const std::string stale = "both are stale: kernel changed; measured otherwise";
  EXPECT_THAT(notes("hardware", "NVIDIA H100", "NVIDIA H200"),
              ElementsAre("other hardware: NVIDIA H100 and NVIDIA H200", stale));
  Record known = measured("reduce/harris3", around_100);
  known["variant"] = "reduce/gone";
  EXPECT_EQ(of_runs(measured("reduce/harris3", around_100), known).cases[0].notes[1],
            "B is stale: kernel gone; measured otherwise");
  EXPECT_THAT(notes("seed", 1, 2), ElementsAre("other inputs, by their seed: 1 and 2", stale));
  EXPECT_THAT(notes("clocks", {{"sm_mhz", 1980}}, {{"sm_mhz", 1900}}),
              ElementsAre("other clock: the SMs ran at 1980 and 1900 MHz", stale));
  EXPECT_THAT(notes("clocks", {{"sm_mhz", 1980}}, {{"sm_mhz", 1925}}), ElementsAre(stale)) << "2.9 %";
  EXPECT_THAT(notes("clocks", {{"sm_mhz", "fast"}}, 3), ElementsAre(stale)) << "a stranger's";
  EXPECT_THAT(notes("clocks", {{"throttled_by", {"software power cap"}}}, nullptr),
              ElementsAre("A was throttled: software power cap", stale));
  EXPECT_THAT(notes("clocks", {{"throttled_by", Json::array()}}, nullptr), ElementsAre(stale))
      << "by nothing";
  EXPECT_THAT(notes("clocks", {{"sm_mhz", 1980}}, {{"sm_mhz", 1980}}), ElementsAre(stale));
  EXPECT_EQ(notes("measured_by", "1234", "5678")[0], "other measuring code, by its version: 1234 and 5678");
  EXPECT_EQ(notes("measured_by", "1234", nullptr)[0], "measuring code, by its version: 1234 and unknown");
  EXPECT_EQ(notes("measured_by", nullptr, nullptr)[0], "measuring code, by its version: unknown of both");
  EXPECT_EQ(notes("input_files", {{"values", "12"}}, {{"values", "34"}})[0],
            R"(other inputs, by the SHA-256 of their files: {"values":"12"} and {"values":"34"})");
}

TEST(CompareRuns, OtherDriversAndToolkitsAreRefused) {
  const Record record = measured("reduce/harris3", around_100);
  const StoredRun a = run_of("a", {record}, session_of("550", "12.4", "g++ 12"));
  const auto refusal = [&](const Json& other) {
    return usage_error([&] { compare_runs(a, run_of("b", {record}, other), {}); });
  };
  EXPECT_EQ(refusal(session_of("560", "12.4", "g++ 12")),
            "a and b cannot be compared: other driver: 550 and 560; --across does it nonetheless");
  EXPECT_THAT(refusal(session_of("550", "13.0", "g++ 12")), HasSubstr("other CUDA toolkit: 12.4 and 13.0"));
  const StoredRun b = run_of("b", {record}, session_of("560", "12.4", "g++ 13"));
  const Comparison across = compare_runs(a, b, {.across = true});
  EXPECT_EQ(verdicts(across), std::vector{Verdict::same});
  EXPECT_EQ(across.cases[0].notes[0], "other driver: 550 and 560");
  EXPECT_THAT(line_of(across.remarks), HasSubstr("driver 550, 560"));

  Record on_host = record;
  on_host["device"] = "host";
  StoredRun host = a;
  host.records = {on_host};
  EXPECT_THAT(usage_error([&] {
                compare_runs(host, run_of("b", {on_host}, session_of("560", "12.4", "g++ 13")), {});
              }),
              HasSubstr("cannot be compared: other compiler: g++ 12 and g++ 13; --across"))
      << "the GPU's driver is nothing to a CPU";
}

TEST(CompareRuns, UnknownDriversAndToolkitsAreRefused) {
  const Record record = measured("reduce/harris3", around_100);
  const StoredRun known = run_of("a", {record});
  StoredRun no_sessions = run_of("b", {record}), out_of_range = no_sessions;
  no_sessions.facts["sessions"] = Json::array();
  out_of_range.records[0]["session"] = 1;
  Json no_build = session_of(), no_driver = session_of();
  no_build["build"] = nullptr;
  no_driver["driver"] = "";
  const auto refusal = [](const StoredRun& a, const StoredRun& b) {
    return usage_error([&] { compare_runs(a, b, {}); });
  };
  EXPECT_EQ(
      refusal(known, no_sessions),
      "a and b cannot be compared: driver: 550 and unknown; CUDA toolkit: 12.4 and unknown; --across does it "
      "nonetheless");
  EXPECT_THAT(refusal(out_of_range, known),
              HasSubstr("driver: unknown and 550; CUDA toolkit: unknown and 12.4"));
  EXPECT_THAT(refusal(no_sessions, no_sessions), HasSubstr("driver: unknown of both"));
  EXPECT_THAT(refusal(known, run_of("b", {record}, no_build)),
              HasSubstr("compared: CUDA toolkit: 12.4 and unknown; --across"));
  EXPECT_THAT(refusal(known, run_of("b", {record}, no_driver)),
              HasSubstr("compared: driver: 550 and unknown; --"));
  EXPECT_EQ(verdicts(compare_runs(known, no_sessions, {.across = true})), std::vector{Verdict::same});

  Record other = measured("reduce/harris7", around_100);
  EXPECT_EQ(verdicts(compare_variants(run_of("a", {record, other}, no_driver), "harris3", "harris7", {})),
            std::vector{Verdict::same})
      << "one session's driver is one, known or not";
}

TEST(CompareRuns, TheClockIsThatOfTheSamples) {
  Record a = measured("reduce/harris3", around_100), b = a;
  a["clocks"] = {{"sm_mhz", 1980}};
  b["clocks"] = {{"sm_mhz", 1500}};
  EXPECT_THAT(usage_error([&] { of_runs(a, b); }), HasSubstr("ran at 1980 and 1500 MHz"));
  a["sm_clock_mhz"] = 1980;
  EXPECT_THAT(usage_error([&] { of_runs(a, b); }), HasSubstr("ran at 1980 and 1500 MHz")) << "of one alone";
  b["sm_clock_mhz"] = 1970;
  EXPECT_EQ(verdicts(of_runs(a, b)), std::vector{Verdict::same});
  b["clocks"] = a["clocks"];
  b["sm_clock_mhz"] = 1500;
  EXPECT_THAT(usage_error([&] { of_runs(a, b); }), HasSubstr("ran at 1980 and 1500 MHz"));
}

TEST(CompareRuns, SamplesOfStrangersAreChecked) {
  const Record good = measured("reduce/harris3", around_100);
  for (const char* samples : {R"([["fast", 3], [4, 5]])", "[3, [4]]", "[[0, 0], [0, 0]]", "{}"}) {
    Record bad = good;
    bad["samples_ns"] = Json::parse(samples);
    const Comparison comparison = of_runs(good, bad);
    EXPECT_EQ(verdicts(comparison), std::vector{Verdict::undecided}) << samples;
    EXPECT_EQ(comparison.cases[0].notes.back(), "its samples are no times") << samples;
  }
  Record none = good;
  none["samples_ns"] = {Json::array(), Json::array()};
  EXPECT_EQ(verdicts(of_runs(good, none)), std::vector{Verdict::undecided});
}

TEST(CompareRuns, ExitCodes) {
  const Record record = measured("reduce/harris3", around_100),
               slow = measured("reduce/harris3", times(1.05)),
               vague = measured("reduce/harris1", {100000, 120000}),
               vague_too = measured("reduce/harris1", {110000, 90000});
  const auto codes = [](const std::vector<Record>& a, const std::vector<Record>& b) {
    const Comparison comparison = compare_runs(run_of("a", a), run_of("b", b), {});
    return std::pair(exit_code_of(comparison, false), exit_code_of(comparison, true));
  };
  EXPECT_EQ(codes({record}, {record}), std::pair(0, 0));
  EXPECT_EQ(codes({record}, {slow}), std::pair(0, 1));
  EXPECT_EQ(codes({slow}, {record}), std::pair(0, 0)) << "faster";
  EXPECT_EQ(codes({record, vague}, {record, vague_too}), std::pair(0, 3));
  EXPECT_EQ(codes({record, vague}, {slow, vague_too}), std::pair(0, 1)) << "a regression is said first";
  EXPECT_EQ(codes({vague}, {vague_too}), std::pair(3, 3)) << "nothing is decided";
  Record wrong = record_of("reduce/harris3", 1024, "wrong");
  wrong["measured_by"] = record["measured_by"];
  EXPECT_EQ(codes({record}, {wrong}).second, 1);
  EXPECT_EQ(codes({wrong}, {record}).second, 3) << "mended, but not compared";
  const Record other = measured("reduce/harris1", around_100),
               untimed = record_of("reduce/harris1", 1024, "wrong");
  EXPECT_EQ(codes({record, other}, {record}), std::pair(0, 1)) << "a case is gone";
  EXPECT_EQ(codes({record, untimed}, {record}), std::pair(0, 0)) << "it had no time";
  EXPECT_EQ(codes({record}, {record, other}), std::pair(0, 0)) << "a new one";
}

TEST(CompareVariants, ByTheDifferencesWithinRounds) {
  // Processes differ by 10 %, the variants by 2 % in each.
  const std::vector<double> levels{100000, 105000, 110000};
  const StoredRun run =
      run_of("a", {measured("reduce/harris3", levels), measured("reduce/harris7", times(0.98, levels))});
  const Comparison comparison = compare_variants(run, "harris3", "reduce/harris7", {});
  EXPECT_EQ(verdicts(comparison), std::vector{Verdict::faster});
  EXPECT_NEAR(std::exp(comparison.cases[0].difference->log_ratio), 0.98, 1e-4);
  EXPECT_EQ(verdicts(compare_variants(run, "harris7", "harris3", {})), std::vector{Verdict::slower});
}

TEST(CompareVariants, OneProcessIsSaidToBeOne) {
  Record a = measured("reduce/harris3", {100000}), b = measured("reduce/harris7", {100000});
  for (int i = 0; i < 20; ++i) {
    a["samples_ns"][0].push_back(100000 + i);
    b["samples_ns"][0].push_back(110000 + i);
  }
  const Comparison comparison = compare_variants(run_of("a", {a, b}), "harris3", "harris7", {});
  EXPECT_EQ(verdicts(comparison), std::vector{Verdict::slower});
  EXPECT_EQ(comparison.cases[0].notes.back(), "of one process");

  b["samples_ns"] = a["samples_ns"];
  const Comparison alike = compare_variants(run_of("a", {a, b}), "harris3", "harris7", {});
  EXPECT_LT(alike.cases[0].judged.interval.high, 0.001);
  EXPECT_EQ(verdicts(alike), std::vector{Verdict::undecided}) << "another process may rank them otherwise";
}

TEST(CompareVariants, AtTheSamePoint) {
  const auto at = [](const char* variant, const char* field, const Json& value, Json parameters) {
    Record record = measured(variant, around_100);
    record[field] = value;
    record["parameters"] = std::move(parameters);
    return record;
  };
  const auto cases = [](const std::vector<Record>& records) {
    return compare_variants(run_of("a", records), "harris3", "harris7", {}).cases;
  };
  EXPECT_EQ(
      cases({at("reduce/harris3", "n", 1, {{"block", 64}}), at("reduce/harris7", "n", 1, {{"block", 128}})})
          .size(),
      1u)
      << "each with its default";
  const std::vector<ComparedCase> swept =
      cases({at("reduce/harris3", "n", 1, {{"block", 64}}), at("reduce/harris3", "n", 1, {{"block", 128}}),
             at("reduce/harris7", "n", 1, {{"block", 128}, {"blocks", 1}}),
             at("reduce/harris7", "n", 2, {{"block", 64}})});
  ASSERT_EQ(swept.size(), 1u);
  EXPECT_EQ(swept[0].record["parameters"]["block"], 128);
  for (const auto& [field, other] : {std::pair("type", Json("f32")),
                                     {"operator", "min"},
                                     {"mode", "warm"},
                                     {"device", "host"},
                                     {"axes", {{"values", "ones"}}},
                                     {"seed", 2}})
    EXPECT_THAT(usage_error([&, field = field, other = other] {
                  cases({at("reduce/harris3", field, other, {}), measured("reduce/harris7", around_100)});
                }),
                HasSubstr("have no case in common"))
        << field;
}

TEST(CompareVariants, MistakesAreExplained) {
  const StoredRun run = run_of("a", {measured("reduce/harris3", around_100)});
  EXPECT_EQ(usage_error([&] { compare_variants(run, "harris3", "haris3", {}); }),
            "a: no record of a variant `haris3`; did you mean `harris3`?");
  EXPECT_THAT(usage_error([&] { compare_variants(run, "harris3", "harris3", {}); }),
              HasSubstr("named twice"));
}

TEST(CompareVariants, OtherSessionsHaveOtherRounds) {
  Record later = measured("reduce/harris7", around_100);
  later["session"] = 1;
  StoredRun run = run_of("a", {measured("reduce/harris3", around_100), later});
  run.facts["sessions"].push_back(session_of());
  const Comparison comparison = compare_variants(run, "harris3", "harris7", {});
  EXPECT_EQ(comparison.cases[0].notes[0], "measured in two sessions, so in other rounds");
  EXPECT_EQ(verdicts(comparison), std::vector{Verdict::undecided});
}

TEST(CompareVariants, OtherPassesHaveOtherRounds) {
  Record before = measured("reduce/harris3", around_100), after = measured("reduce/harris7", around_100);
  before["passes"] = {0, 0, 0, 0, 0};
  after["passes"] = {0, 1, 0, 0, 0};
  const auto compared = [&] {
    return compare_variants(run_of("a", {before, after}), "harris3", "harris7", {});
  };
  EXPECT_THAT(compared().cases[0].notes[0], HasSubstr("two passes of their cell"));
  EXPECT_EQ(verdicts(compared()), std::vector{Verdict::undecided});
  after["passes"] = before["passes"];
  EXPECT_EQ(verdicts(compared()), std::vector{Verdict::same});
}

TEST(ComparisonText, ATableWithBothTimesAndTheRatio) {
  const StoredRun a =
      run_of("a", {measured("reduce/harris3", around_100), record_of("reduce/harris1", 1024, "wrong")});
  const StoredRun b =
      run_of("b", {measured("reduce/harris3", times(1.05)), measured("reduce/harris1", around_100)});
  const Comparison comparison = compare_runs(a, b, {});
  const Table table = comparison_table(comparison);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0],
              ElementsAre("harris3", "100.0", "105.0", "1.0500", HasSubstr(" to "), "slower [1]"));
  EXPECT_THAT(table.rows[1], ElementsAre("harris1", "", "100.0", "", "", "undecided [2]"));
  EXPECT_EQ(table.notes[1], "A wrong");
  EXPECT_THAT(markdown(comparison, 0), HasSubstr("# b against a\n"));

  const Json json = to_json(comparison);
  EXPECT_EQ(json["counts"]["slower"], 1);
  EXPECT_NEAR(json["cases"][0]["ratio"].get<double>(), 1.05, 1e-5);
  EXPECT_LT(json["cases"][0]["ratio_low"], json["cases"][0]["ratio"]);
  EXPECT_LT(json["cases"][0]["p"], 0.001);
  EXPECT_TRUE(json["cases"][1]["ratio"].is_null());
}

TEST(Marks, NameTheOneThatIsMeant) {
  Record good = measured("reduce/harris3", around_100);
  add_provenance(good, *find_variant("reduce/harris3"), Target::cuda);
  Record stale = good, other = good, throttled = good;
  stale["source_hash"] = "another";
  other["measured_by"] = "another";
  throttled["clocks"] = {{"throttled_by", {"heat", "power"}}};
  using Texts = std::vector<std::string>;
  EXPECT_EQ(marks(good, good, "A", "B"), Texts{});
  EXPECT_EQ(marks(stale, good, "A", "B"), Texts{"A is stale: kernel changed"});
  EXPECT_EQ(marks(good, stale, "A", "B"), Texts{"B is stale: kernel changed"});
  EXPECT_EQ(marks(stale, stale, "A", "B"), Texts{"both are stale: kernel changed"});
  EXPECT_EQ(marks(stale, other, "A", "B"),
            (Texts{"A is stale: kernel changed", "B is stale: measured otherwise"}));
  EXPECT_EQ(marks(throttled, good, "A", "B"), Texts{"A was throttled: heat, power"});
  EXPECT_EQ(marks(good, throttled, "A", "B"), Texts{"B was throttled: heat, power"});
}

TEST(ComparisonJson, EachFieldHasItsOwnNumber) {
  Comparison comparison{.first = "results/a", .second = "results/b", .of_variants = true};
  comparison.threshold_percent = 2.5;
  comparison.remarks = {"a remark"};
  comparison.gone = 3;
  const auto add = [&](Json first_ns, Json second_ns, Verdict verdict) {
    ComparedCase one{.record = timed("reduce/harris3", 1024, 1, 1, 1)};
    one.first_ns = std::move(first_ns);
    one.second_ns = std::move(second_ns);
    one.judged.verdict = verdict;
    comparison.cases.push_back(one);
  };
  add(2000, 1000, Verdict::faster);
  const Difference difference{.log_ratio = std::log(0.5), .standard_error = 0.01, .freedom = 4};
  comparison.cases[0].difference = difference;
  comparison.cases[0].judged.interval = {std::log(0.25), std::log(0.75)};
  comparison.cases[0].notes = {"a note", "another"};
  add(1000, nullptr, Verdict::undecided);
  add(1000, 1500, Verdict::slower);
  comparison.cases[2].difference = difference;
  comparison.cases[2].judged.interval = {-INFINITY, INFINITY};
  add(1000, 1000, Verdict::same);
  add(1000, 1000, Verdict::slower);

  Json json = to_json(comparison);
  const Json cases = std::move(json["cases"]);
  json.erase("cases");
  EXPECT_EQ(json, (Json{{"schema", 1},
                        {"first", "results/a"},
                        {"second", "results/b"},
                        {"of_variants", true},
                        {"threshold_percent", 2.5},
                        {"false_discoveries", 0.05},
                        {"differing", 3},
                        {"gone", 3},
                        {"remarks", {"a remark"}},
                        {"counts", {{"faster", 1}, {"slower", 2}, {"same", 1}, {"undecided", 1}}}}));
  ASSERT_EQ(cases.size(), 5u);
  for (const char* field : {"key", "variant", "problem", "n", "type", "operator", "axes", "parameters",
                            "device", "hardware", "mode"})
    EXPECT_EQ(cases[0][field], comparison.cases[0].record[field]) << field;
  EXPECT_EQ(cases[0]["first_ns"], 2000);
  EXPECT_EQ(cases[0]["second_ns"], 1000);
  EXPECT_NEAR(cases[0]["ratio"], 0.5, 1e-12);
  EXPECT_NEAR(cases[0]["ratio_low"], 0.25, 1e-12);
  EXPECT_NEAR(cases[0]["ratio_high"], 0.75, 1e-12);
  EXPECT_EQ(cases[0]["p"], difference.p());
  EXPECT_EQ(cases[0]["verdict"], "faster");
  EXPECT_EQ(cases[0]["notes"], (Json{"a note", "another"}));
  EXPECT_EQ(cases[0].size(), 19u) << "a new field is to be tested";
  EXPECT_EQ(cases[1]["first_ns"], 1000);
  for (const char* field : {"second_ns", "ratio", "ratio_low", "ratio_high", "p"})
    EXPECT_TRUE(cases[1][field].is_null()) << field;
  EXPECT_EQ(cases[1]["notes"], Json::array());
  EXPECT_NEAR(cases[2]["ratio"], 0.5, 1e-12);
  EXPECT_TRUE(cases[2]["ratio_low"].is_null() && cases[2]["ratio_high"].is_null()) << "an end that is none";
}

TEST(ComparisonText, ColumnsOfVariantsAreCalledByThem) {
  std::vector<Record> records;
  for (const Index n : {1024, 2048}) {
    records.push_back(measured("reduce/harris3", around_100, n));
    records.push_back(measured("reduce/harris7", times(2), n));
  }
  const Table table = comparison_table(compare_variants(run_of("a", records), "harris3", "harris7", {}));
  std::vector<std::string> names;
  for (const Table::Column& column : table.columns) names.push_back(column.name);
  EXPECT_THAT(names,
              ElementsAre("n", "harris3 (µs)", "harris7 (µs)", "harris7 / harris3", "interval", "verdict"));
  // Numbers stand at the right, and are never cut.
  std::vector<bool> are_numbers;
  for (const Table::Column& column : table.columns) are_numbers.push_back(column.is_number);
  EXPECT_THAT(are_numbers, ElementsAre(true, true, true, true, true, false));
  EXPECT_THAT(table.rows[1],
              ElementsAre("2Ki", "100.0", "200.0", "2.0000", HasSubstr(" to "), HasSubstr("slower")));
  EXPECT_EQ(table.caption, "problem reduce  ·  type i32  ·  operator sum  ·  values uniform  ·  mode cold");
}

}  // namespace
}  // namespace redbench
