// Two runs from hand-made records: which cases are compared, what keeps them from being compared, the verdicts, and
// the exit codes.
#include "src/compare/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/records/provenance.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using enum Verdict;

Comparison of_runs(const Record& a, const Record& b, const CompareOptions& options = {}) {
  return compare_runs(run_of("a", {a}), run_of("b", {b}), options);
}

const Record harris3 = measured("reduce/harris3", around_100),
             harris7 = measured("reduce/harris7", around_100);
TEST(CompareRuns, EachCaseHasItsVerdict) {
  const auto variant = [](const char* name, double factor) { return measured(name, times(factor)); };
  const StoredRun a =
      run_of("a", {variant("reduce/harris1", 1), variant("reduce/harris2", 1), variant("reduce/harris3", 1),
                   measured("reduce/harris4", {100000, 150000})});
  const StoredRun b =
      run_of("b", {variant("reduce/harris1", 1.05), variant("reduce/harris2", 0.95),
                   variant("reduce/harris3", 1.001), measured("reduce/harris4", {101000, 152000})});
  const Comparison comparison = compare_runs(a, b, {});
  EXPECT_EQ(verdicts(comparison), (std::vector{slower, faster, same, undecided}));
  EXPECT_EQ(comparison.summary(), "1 faster, 1 slower, 1 same, 1 undecided: 2 of 4 pairs differ");
  EXPECT_NEAR(std::exp(comparison.cases[0].difference->log_ratio), 1.05, 1e-5);

  const Comparison turned = compare_runs(b, a, {});
  EXPECT_EQ(verdicts(turned), (std::vector{faster, slower, same, undecided}));
  EXPECT_NEAR(turned.cases[0].difference->log_ratio, -comparison.cases[0].difference->log_ratio, 1e-12);
}

TEST(CompareRuns, AThresholdIsTheUsers) {
  const auto against = [](double factor, double percent) {
    const Comparison comparison =
        of_runs(harris3, measured("reduce/harris3", times(factor)), {.threshold_percent = percent});
    EXPECT_EQ(comparison.threshold_percent, percent) << "what tables and JSON have";
    return verdicts(comparison);
  };
  EXPECT_EQ(against(1.05, 10), std::vector{same});
  EXPECT_EQ(against(1.05, 4), std::vector{slower});
  EXPECT_EQ(against(1.0495, 5), std::vector{undecided}) << "its interval goes beyond";
}

TEST(CompareRuns, WhatTellsTheirMachinesApartComesFirst) {
  const auto on_board = [](const char* hash, int power_mw, double empty_ns, double ceiling) {
    Record record = with(with(harris3, "empty_sample_ns", empty_ns), "ceiling_read_gb_per_s", ceiling);
    record["device"] = "cuda:0";
    Json session = session_of();
    session["board"] = Json::object();
    if (hash) session["board"] = {{"uuid_hash", hash}, {"power_limit_mw", power_mw}};
    return run_of("run", {record}, session);
  };
  const StoredRun first = on_board("aa", 700'000, 2940, 4400);
  const Comparison other = compare_runs(first, on_board("bb", 600'000, 1250, 4300), {.across = true});
  EXPECT_THAT(other.machines,
              ElementsAre("A and B ran on two boards.", "The power limit is 700 W in A and 600 W in B.",
                          "Two events cost 2.94 µs in A and 1.25 µs in B, and are in no time.",
                          "The median ceiling of reading is 4400 GB/s in A and 4300 GB/s in B."));
  EXPECT_THAT(other.cases[0].notes, Contains("other board, by the hash of its UUID: aa and bb"));
  EXPECT_THAT(usage_error([&] { compare_runs(first, on_board("bb", 700'000, 2940, 4400), {}); }),
              HasSubstr("other board, by the hash of its UUID: aa and bb; and no library's time"));
  EXPECT_THAT(compare_runs(first, on_board("aa", 700'000, 2700, 4330), {}).machines, IsEmpty());
  EXPECT_THAT(compare_runs(first, on_board(nullptr, 0, 2940, 4400), {.across = true}).machines,
              ElementsAre("It is not known whether A and B ran on one board."));
}

TEST(CompareRuns, NamesThatTheGpusOfACaseWereOfThreadsAndOfProcesses) {
  const auto with = [](int gpus, const Json& session) {
    Record record = measured("reduce/host", times(2));
    record["device"] = "cuda:0";
    record["axes"]["gpus"] = gpus;
    return run_of("run", {record}, session);
  };
  Json shared = session_of();
  shared["processes"] = 2;
  const auto notes = [&](int gpus) {
    return compare_runs(with(gpus, session_of()), with(gpus, shared), {.across = true}).cases[0].notes;
  };
  EXPECT_THAT(notes(2), Contains("processes: 1 and 2"));
  EXPECT_THAT(notes(1), testing::Not(Contains("processes: 1 and 2")));
}

// On board B all takes 1.1 times as long, and harris7 a twentieth more.
TEST(CompareRuns, OfTwoBoardsTheQuotientsWithALibraryInTheSameRoundsAreCompared) {
  const auto on_board = [](const Json& hash, double factor, double of_harris7) {
    Record cub = measured("reduce/cub", times(2 * factor));
    cub["library"] = true;
    Json session = session_of();
    session["board"]["uuid_hash"] = hash;
    StoredRun run = run_of("run",
                           {cub, measured("reduce/harris3", times(factor)),
                            measured("reduce/harris7", times(factor * of_harris7))},
                           session);
    run.facts["sessions"].push_back(session);
    return run;
  };
  const StoredRun a = on_board("aa", 1, 1);
  for (const Json& hash : {Json("bb"), Json()}) {
    const Comparison comparison = compare_runs(a, on_board(hash, 1.1, 1.05), {});
    EXPECT_EQ(verdicts(comparison), (std::vector{same, slower})) << hash;
    EXPECT_EQ(comparison.cases[1].reference, "cub");
    EXPECT_NEAR(std::exp(comparison.cases[1].difference->log_ratio), 1.05, 1e-4);
    EXPECT_EQ(comparison.references, 1u) << "it would be compared with itself";
  }
  const StoredRun b = on_board("bb", 1.1, 1.05);
  EXPECT_EQ(verdicts(compare_runs(a, b, {.one_machine = true})), (std::vector{slower, slower, slower}));
  const Comparison by_name = compare_runs(a, b, {.reference = "harris7"});
  EXPECT_EQ(verdicts(by_name), (std::vector{faster, faster})) << "cub and harris3, by harris7";
  EXPECT_THROW(compare_runs(a, b, {.reference = "harris9"}), UsageError);
  const auto cub_alone = [&](const CompareOptions& options) {
    StoredRun first = a, second = b;
    first.records.resize(1);
    second.records.resize(1);
    return usage_error([&] { compare_runs(first, second, options); });
  };
  EXPECT_THAT(cub_alone({}), HasSubstr("cases by which times are divided; --across"));
  EXPECT_THAT(cub_alone({.reference = "cub"}), HasSubstr("name another --reference"));
  StoredRun apart = b;
  apart.records[0]["session"] = 1;
  const std::string why = usage_error([&] { compare_runs(a, apart, {}); });
  EXPECT_THAT(why, HasSubstr("no library's time at its point in the same rounds of both"));
  apart = b;
  apart.records[0]["passes"] = {1};
  EXPECT_EQ(usage_error([&] { compare_runs(a, apart, {}); }), why);
}

// Of two boards only what is beyond the self-test's 6 %, of one board what is beyond the threshold.
TEST(CompareRuns, TimesOfTwoBoardsAreCalledByTheLeastDifferenceOfASelfTest) {
  Json other_board = session_of();
  other_board["board"]["uuid_hash"] = "bb";
  const StoredRun a = run_of("a", {harris3, harris7}),
                  b = run_of(
                      "b", {measured("reduce/harris3", times(1.05)), measured("reduce/harris7", times(1.07))},
                      other_board);
  CompareOptions options{.across = true};
  options.least_across.add("NVIDIA Test", "st", {{1024, 0.06}});
  const Comparison tested = compare_runs(a, b, options);
  EXPECT_EQ(verdicts(tested), (std::vector{undecided, slower}));
  EXPECT_THAT(tested.remarks, Contains(HasSubstr("beyond what st found across machines: 6 % at n = 1Ki")));
  const Comparison untested = compare_runs(a, b, {.across = true});
  EXPECT_EQ(verdicts(untested), (std::vector{undecided, undecided}));
  EXPECT_THAT(untested.remarks,
              Contains(HasSubstr("where no self-test of several machines is of their model")));
  StoredRun here = b;
  here.facts = a.facts;
  EXPECT_EQ(verdicts(compare_runs(a, here, options)), (std::vector{slower, slower}));
}

// The bug: one config by its absolute path and by its name had no case in common, though its file held the
// same.
TEST(CompareRuns, AFileIsKnownByWhatItHolds) {
  const auto of_file = [](const std::string& path, const char* digest) {
    Record record = harris3;
    record["key"] = "reduce/harris3 n=1024 values=" + path + " block=256";
    record["axes"] = {{"values", {{"file", path}}}};
    record["input_files"] = {{"values", digest}};
    return record;
  };
  EXPECT_EQ(verdicts(of_runs(of_file("x.npy", "12"), of_file("/data/x.npy", "12"))), std::vector{same});
  EXPECT_THAT(of_runs(of_file("x.npy", "12"), of_file("x.npy", "34"), {.across = true}).cases[0].notes,
              Contains(HasSubstr("other inputs, by the SHA-256 of their files")));
  EXPECT_THROW(of_runs(of_file("x.npy", "12"), of_file("/data/x.npy", "34")), UsageError);
}

// The bug: samples that are all alike have no step, and two times of 1600 ns were `same` to a part of a tick
// of 32 ns, which is 2 %.
TEST(CompareRuns, AnIntervalIsNoNarrowerThanTheTickThatTheClockHas) {
  Record record = harris3;
  record["samples_ns"] = std::vector<std::vector<double>>(5, std::vector<double>(3, 1600));
  EXPECT_EQ(verdicts(of_runs(record, record)), std::vector{same});
  record["clock_tick_ns"] = 32;
  EXPECT_EQ(verdicts(of_runs(record, record)), std::vector{undecided});
}

// The bug: an exception of the distribution.
TEST(CompareRuns, TimesThatNoArithmeticHoldsAreNotCompared) {
  Record strange = harris3;
  strange["samples_ns"] = {{1e-100, 1e-100, 5}, {1e-100, 1e-100, 7}};
  const Comparison comparison = of_runs(strange, harris3);
  EXPECT_EQ(verdicts(comparison), std::vector{undecided});
  EXPECT_THAT(comparison.cases[0].notes, Contains("the distance of its times is no finite number"));
}

TEST(CompareRuns, LevelsOfProcessesAreNoDifference) {
  // 40 samples each that hardly scatter, of processes that are 2 % apart: pooled they would differ.
  const Record a = measured("reduce/harris3", {100000, 102000, 100100, 102100, 100200});
  const Record b = measured("reduce/harris3", {102000, 100300, 102200, 102100, 101900});
  EXPECT_EQ(verdicts(of_runs(a, b)), std::vector{undecided});
}

TEST(CompareRuns, CasesThatOnlyOneHasAreCounted) {
  const Record warm = with(harris3, "mode", "warm"),
               untimed = record_of("reduce/harris4", 1024, "unsupported");
  const auto remarks = [&](const std::vector<Record>& a, const std::vector<Record>& b) {
    const Comparison comparison = compare_runs(run_of("a", a), run_of("b", b), {});
    EXPECT_EQ(comparison.cases.size(), 1u) << "those without a time in either are not listed";
    return comparison.remarks;
  };
  EXPECT_THAT(remarks({harris3, untimed}, {with(harris3, "device", "cuda:1"), untimed}), IsEmpty())
      << "on one kind of device";
  EXPECT_THAT(remarks({harris3, harris7}, {harris3, warm}),
              ElementsAre("Cases of A alone: 1, 1 with a time.", "Cases of B alone: 1."));
  EXPECT_THAT(remarks({harris3, untimed}, {harris3}), ElementsAre("Cases of A alone: 1, 0 with a time."));
  EXPECT_THAT(usage_error([&] { of_runs(harris3, warm); }),
              HasSubstr("a and b: no case that both have in one mode"));
  const Record counted = with(with(harris3, "device", "simt:h200"), "time_ns", Json());
  EXPECT_THAT(usage_error([&] { of_runs(counted, counted); }), HasSubstr("A modelled device has no times"));
}

TEST(CompareRuns, WhatWasNotMeasuredAlikeIsNotCompared) {
  const Json null;
  struct {
    const char* field;
    Json first, second;
    std::string obstacle;  // empty: none
  } const cases[] = {
      {"hardware", "NVIDIA H100", "NVIDIA H200", "other hardware: NVIDIA H100 and NVIDIA H200"},
      {"seed", 1, 2, "other inputs, by their seed: 1 and 2"},
      {"input_files",
       {{"values", "12"}},
       {{"values", "34"}},
       R"(other inputs, by the SHA-256 of their files: {"values":"12"} and {"values":"34"})"},
      {"measured_by", "1234", "5678", "other measuring code, by its version: 1234 and 5678"},
      {"measured_by", null, "1234", "measuring code, by its version: unknown and 1234"},
      {"measured_by", null, null, "measuring code, by its version: unknown of both"},
      {"openmp_threads", 1, 2, "other number of OpenMP threads: 1 and 2"},
      {"openmp_threads", null, 2, ""},
      {"sm_clock_mhz", 1980, 1500, "other clock: the SMs ran at 1980 and 1500 MHz"},
      {"clocks", {{"sm_mhz", 1031}}, {{"sm_mhz", 1000}}, "other clock: the SMs ran at 1031 and 1000 MHz"},
      {"clocks", {{"sm_mhz", 1000}}, {{"sm_mhz", 1030}}, ""},  // 3 %
      {"clocks", 3, {{"sm_mhz", 0}}, ""}};
  for (const auto& row : cases) {
    const Record a = with(harris3, row.field, row.first), b = with(harris3, row.field, row.second);
    const Comparison across = of_runs(a, b, {.across = true});
    EXPECT_EQ(verdicts(across), std::vector{same});
    if (row.obstacle.empty()) {
      EXPECT_EQ(verdicts(of_runs(a, b)), std::vector{same}) << row.field << row.first;
      continue;
    }
    EXPECT_EQ(across.cases[0].notes[0], row.obstacle);
    EXPECT_EQ(usage_error([&] { of_runs(a, b); }),
              "a and b cannot be compared: " + row.obstacle + "; --across compares times nonetheless");
    // Beside a case that can be compared, the runs are not refused.
    const Record other = measured("reduce/harris3", around_100, 2048);
    const Comparison mixed = compare_runs(run_of("a", {a, other}), run_of("b", {b, other}), {});
    EXPECT_EQ(verdicts(mixed), (std::vector{undecided, same}));
    EXPECT_EQ(mixed.cases[0].notes[0], row.obstacle);
  }
}

TEST(CompareRuns, DriversToolkitsAndCompilersMustBeKnownAndTheSame) {
  Json no_driver = session_of();
  no_driver["driver"] = "";
  const auto refusal = [](const Json& session, const char* device = "cuda:0") {
    StoredRun a = run_of("a", {with(harris3, "device", device)}), b = a;
    b.facts["sessions"] = Json::array({session});
    if (session.is_null()) b.facts["sessions"] = Json::array();
    EXPECT_EQ(verdicts(compare_runs(a, b, {.across = true})), std::vector{same});
    const std::string text = usage_error([&] { compare_runs(a, b, {}); }),
                      start = "a and a cannot be compared: ";
    return text.substr(start.size(), text.find("; --across") - start.size());
  };
  EXPECT_EQ(refusal(session_of("560", "12.4", "g++ 13")), "other driver: 550 and 560");
  EXPECT_EQ(refusal(session_of("550", "13.0", "g++ 12")), "other CUDA toolkit: 12.4 and 13.0");
  EXPECT_EQ(refusal(session_of("560", "12.4", "g++ 13"), "host"), "other compiler: g++ 12 and g++ 13");
  EXPECT_THAT(refusal(nullptr), StartsWith("driver: 550 and unknown; CUDA toolkit: 12.4 and unknown"));
  EXPECT_EQ(refusal(no_driver), "driver: 550 and unknown");
  EXPECT_THAT(line_of(compare_runs(run_of("a", {harris3}), run_of("b", {harris3}, session_of("560")),
                                   {.across = true})
                          .remarks),
              HasSubstr("Measured otherwise: driver 550, 560."));
  EXPECT_EQ(verdicts(compare_variants(run_of("a", {harris3, harris7}, no_driver), "harris3", "harris7", {})),
            std::vector{same})
      << "one session has one driver, known or not";
}

TEST(CompareRuns, AStaleOrThrottledRecordIsNamed) {
  Record good = measured("reduce/harris3", around_100);
  add_provenance(good, *find_variant("reduce/harris3"), Target::cuda);
  Record stale = good, other = good, throttled = good;
  stale["source_hash"] = "another";
  other["measured_by"] = "another";
  throttled["clocks"] = {{"throttled_by", {"heat", "power"}}};
  using Texts = std::vector<std::string>;
  EXPECT_EQ(marks(good, good, "A", "B"), Texts{});
  EXPECT_EQ(marks(stale, good, "A", "B"), Texts{"A is stale: kernel changed"});
  EXPECT_EQ(marks(stale, stale, "A", "B"), Texts{"both are stale: kernel changed"});
  EXPECT_EQ(marks(stale, other, "A", "B"),
            (Texts{"A is stale: kernel changed", "B is stale: measured otherwise"}));
  EXPECT_EQ(marks(good, throttled, "A", "B"), Texts{"B was throttled: heat, power"});
}

TEST(CompareRuns, SamplesOfStrangersAreChecked) {
  for (const char* samples : {R"([["fast", 3], [4, 5]])", "[3, [4]]", "[[0, 0], [0, 0]]", "{}"}) {
    const Comparison comparison = of_runs(harris3, with(harris3, "samples_ns", Json::parse(samples)));
    EXPECT_EQ(verdicts(comparison), std::vector{undecided}) << samples;
    EXPECT_EQ(comparison.cases[0].notes.back(), "its samples are no times") << samples;
  }
}

TEST(CompareRuns, ExitCodes) {
  const Record record = harris3, slow = measured("reduce/harris3", times(1.05)),
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
  EXPECT_EQ(codes({record, vague}, {slow, vague_too}), std::pair(0, 1)) << "a regression is reported first";
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

TEST(CompareRuns, OneProcessEachIsNotCompared) {
  const Comparison comparison =
      of_runs(measured("reduce/harris3", {100000}), measured("reduce/harris3", {200000}));
  EXPECT_EQ(verdicts(comparison), std::vector{undecided});
  EXPECT_THAT(line_of(comparison.cases[0].notes), HasSubstr("--set measure.forks=5"));
  EXPECT_EQ(exit_code_of(comparison, false), exit_undecided);
}

TEST(CompareRuns, TheClockIsThatOfTheSamples) {
  Record a = harris3, b = a;
  a["clocks"] = {{"sm_mhz", 1980}};
  b["clocks"] = {{"sm_mhz", 1500}};
  EXPECT_THAT(usage_error([&] { of_runs(a, b); }), HasSubstr("ran at 1980 and 1500 MHz"));
  a["sm_clock_mhz"] = 1980;
  EXPECT_THAT(usage_error([&] { of_runs(a, b); }), HasSubstr("ran at 1980 and 1500 MHz")) << "of one alone";
  b["sm_clock_mhz"] = 1970;
  EXPECT_EQ(verdicts(of_runs(a, b)), std::vector{same});
  b["clocks"] = a["clocks"];
  b["sm_clock_mhz"] = 1500;
  EXPECT_THAT(usage_error([&] { of_runs(a, b); }), HasSubstr("ran at 1980 and 1500 MHz"));
}

}  // namespace
}  // namespace redbench
