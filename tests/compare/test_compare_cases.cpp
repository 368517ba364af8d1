// Which samples, points and facts of records decide how two are compared, and the table of it as it is shown.
#include <gmock/gmock.h>

#include <cmath>
#include <tuple>

#include "src/compare/comparison_text.hpp"
#include "src/compare/self_test.hpp"
#include "src/tables/fit.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ComparedClocks, OfWhichOneIsNoClockSayNothing) {
  const auto clocks = [](const Json& first, const Json& second) {
    Record a = measured("reduce/harris3", around_100), b = a;
    a["clocks"] = {{"sm_mhz", first}};
    b["clocks"] = {{"sm_mhz", second}};
    const StoredRun one = run_of("a", {a}), other = run_of("b", {b});
    return obstacles({one, one.records[0]}, {other, other.records[0]});
  };
  EXPECT_THAT(clocks(1980, 1900), ElementsAre("other clock: the SMs ran at 1980 and 1900 MHz"));
  EXPECT_THAT(clocks(1000, 1030), IsEmpty()) << "3 %";
  EXPECT_THAT(clocks(1031, 1000), ElementsAre("other clock: the SMs ran at 1031 and 1000 MHz"));
  for (const Json& none : {Json(), Json("fast"), Json(0), Json(-5), Json::array({1})}) {
    EXPECT_THAT(clocks(none, 1980), IsEmpty()) << none;
    EXPECT_THAT(clocks(1980, none), IsEmpty()) << none;
    EXPECT_THAT(clocks(none, none), IsEmpty()) << none;
  }
}

TEST(ComparedSamples, OfLessThanANanosecondAreTimes) {
  Record a = measured("reduce/harris3", around_100), b = a;
  a["samples_ns"] = {{0.25, 0.25, 0.5}, {0.25, 0.25, 0.5}};
  b["samples_ns"] = {{0.5, 0.5, 1}, {0.5, 0.5, 1}};
  const Comparison comparison = compare_runs(run_of("a", {a}), run_of("b", {b}), {});
  ASSERT_TRUE(comparison.cases[0].difference);
  EXPECT_NEAR(comparison.cases[0].difference->log_ratio, std::log(2), 1e-12);
}

TEST(ComparedCases, ThoseOfOneRunAreCountedAndThoseWithoutTimesLeftOut) {
  const Record shared = measured("reduce/harris1", around_100),
               alone = measured("reduce/harris2", around_100),
               untimed = record_of("reduce/harris4", 1024, "unsupported");
  const auto remarks = [&](const std::vector<Record>& a, const std::vector<Record>& b) {
    const Comparison comparison = compare_runs(run_of("a", a), run_of("b", b), {});
    EXPECT_EQ(comparison.cases.size(), 1u) << "of those without a time in either nothing is said";
    return comparison.remarks;
  };
  EXPECT_THAT(remarks({shared, untimed}, {shared, untimed}), IsEmpty());
  EXPECT_THAT(remarks({shared}, {shared, alone}), ElementsAre("Cases of B alone: 1."));
  EXPECT_THAT(remarks({shared, alone}, {shared}), ElementsAre("Cases of A alone: 1, 1 with a time."));
  EXPECT_THAT(remarks({shared, untimed}, {shared, alone}),
              ElementsAre("Cases of A alone: 1, 0 with a time.", "Cases of B alone: 1."));
}

TEST(ComparedVariants, EitherThatHasNoRecordIsNamed) {
  const StoredRun run = run_of("a", {measured("reduce/harris3", around_100)});
  EXPECT_EQ(usage_error([&] { compare_variants(run, "haris3", "harris3", {}); }),
            "a: no record of a variant `haris3`; did you mean `harris3`?");
  EXPECT_EQ(usage_error([&] { compare_variants(run, "harris3", "harris3", {}); }),
            "--variants harris3 harris3: one variant, named twice");
}

// Where either is swept, those are compared whose common parameters agree; others of the run are no matter.
TEST(ComparedVariants, AreSweptWhereEitherIs) {
  const auto with = [](const char* variant, int block) {
    Record record = measured(variant, around_100);
    record["parameters"] = {{"block", block}};
    return record;
  };
  const auto blocks = [](const std::vector<Record>& records) {
    std::vector<int> found;
    for (const ComparedCase& one : compare_variants(run_of("a", records), "harris3", "harris7", {}).cases)
      found.push_back(one.record["parameters"]["block"]);
    return found;
  };
  const Record three_64 = with("reduce/harris3", 64), three_128 = with("reduce/harris3", 128),
               seven_64 = with("reduce/harris7", 64), seven_128 = with("reduce/harris7", 128),
               other_32 = with("reduce/harris1", 32), other_64 = with("reduce/harris1", 64);
  EXPECT_THAT(blocks({three_64, seven_64, seven_128}), ElementsAre(64));
  EXPECT_THAT(blocks({three_64, three_128, seven_128}), ElementsAre(128));
  EXPECT_THAT(blocks({three_64, three_128, seven_64, seven_128}), ElementsAre(64, 128));
  EXPECT_THAT(blocks({three_64, seven_128}), ElementsAre(64));
  EXPECT_THAT(blocks({three_64, seven_128, other_32, other_64}), ElementsAre(64)) << "a third is swept";
}

// Processes differ by 10 %, the records by 2 % in each: paired, the error is that of the rounds.
TEST(CompareRecords, AreOfTheSameRoundsInOnePassOfASessionOfARun) {
  const std::vector<double> levels{100000, 105000, 110000};
  const Record first = measured("reduce/harris3", levels),
               second = measured("reduce/harris7", times(0.98, levels));
  const auto is_paired = [&](const char* field, const Json& value) {
    Record other = second;
    if (field) other[field] = value;
    StoredRun run = run_of("a", {first, other});
    run.facts["sessions"].push_back(session_of());
    const ComparedCase one = compare_records({run, run.records[0]}, {run, run.records[1]}, "A", "B", true);
    EXPECT_NEAR(one.difference->log_ratio, std::log(0.98), 1e-4);
    return one.difference->standard_error < 1e-4;
  };
  EXPECT_TRUE(is_paired(nullptr, {}));
  EXPECT_TRUE(is_paired("parameters", {{"block", 64}}));
  EXPECT_FALSE(is_paired("session", 1));
  EXPECT_FALSE(is_paired("passes", {0, 1, 0}));
  EXPECT_FALSE(is_paired("n", 2048));
  EXPECT_FALSE(is_paired("mode", "warm"));
  const StoredRun run = run_of("a", {first}), other = run_of("b", {second});
  const ComparedCase apart =
      compare_records({run, run.records[0]}, {other, other.records[0]}, "A", "B", true);
  EXPECT_GT(apart.difference->standard_error, 0.01);
}

TEST(ComparisonTable, StandsInColumns) {
  Comparison comparison{.first = "runs/a", .second = "runs/b"};
  const auto add = [&](const char* variant, Index n, double first_ns, Json second_ns, Verdict verdict) {
    comparison.cases.push_back(ComparedCase{.record = timed(variant, n, 1, 1, 1),
                                            .first_ns = first_ns,
                                            .second_ns = std::move(second_ns),
                                            .judged = {verdict, {std::log(0.75), std::log(1.25)}}});
  };
  add("reduce/harris3", 1024, 2500, 2000, Verdict::faster);
  comparison.cases[0].difference = Difference{.log_ratio = std::log(0.8)};
  add("reduce/cpu_openmp", 1 << 20, 123456, nullptr, Verdict::undecided);
  comparison.cases[1].notes = {"B wrong", "both are stale: kernel changed"};
  add("reduce/cub", 512, 1, 10, Verdict::slower);
  comparison.cases[2].difference = Difference{.log_ratio = std::log(10)};
  comparison.cases[2].judged.interval = {-INFINITY, INFINITY};
  comparison.cases[2].notes = {"both are stale: kernel changed"};
  comparison.remarks = {"Cases of B alone: 7."};
  EXPECT_EQ(aligned(comparison_table(comparison), false, 0),
            "problem reduce  ·  type i32  ·  operator sum  ·  values uniform  ·  mode cold\n"
            "variant       n    A (µs)   B (µs)    B / A          interval  verdict\n"
            "----------  ---  --------  -------  -------  ----------------  -----------------\n"
            "harris3     1Ki     2.500    2.000   0.8000  0.7500 to 1.2500  faster\n"
            "cpu_openmp  1Mi     123.5                                      undecided [1] [2]\n"
            "cub         512  0.001000  0.01000  10.0000            - to -  slower [2]\n"
            "[1] B wrong\n"
            "[2] both are stale: kernel changed\n"
            "Cases of B alone: 7.\n");
  EXPECT_EQ(comparison.summary(), "1 faster, 1 slower, 0 same, 1 undecided: 2 of 3 pairs differ");
}

/// Sampled twice, with an interval of its own.
Record twice(Index n, const Json& low, const Json& high) {
  Record record = measured("reduce/harris3", around_100, n);
  record["again_ns"] = record["samples_ns"];
  record["time_low_ns"] = low;
  record["time_high_ns"] = high;
  return record;
}

TEST(SelfTestOfRuns, AnIntervalWithoutAnEndIsDisjointOfNone) {
  const auto disjoint = [](const Record& first, const Record& second) {
    return self_test({run_of("a", {first}), run_of("b", {second})}, 1).disjoint;
  };
  EXPECT_EQ(disjoint(twice(1024, 1, 2), twice(1024, 3, 4)), 1u);
  EXPECT_EQ(disjoint(twice(1024, 1, nullptr), twice(1024, 3, 4)), 0u);
  EXPECT_EQ(disjoint(twice(1024, nullptr, 2), twice(1024, 3, 4)), 0u);
  EXPECT_EQ(disjoint(twice(1024, 1, 2), twice(1024, 3, nullptr)), 0u);
  EXPECT_EQ(disjoint(twice(1024, 1, 2), twice(1024, nullptr, 4)), 0u);
}

TEST(SelfTestOfRuns, ProcessesAreTheMostThatAnyCaseHas) {
  const auto processes = [](const std::vector<Json>& forks) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < forks.size(); ++i) {
      records.push_back(twice(Index(1024) << i, 1, 2));
      records.back()["forks"] = forks[i];
    }
    return self_test({run_of("a", records)}, 2).processes;
  };
  EXPECT_EQ(processes({3, 5, 4}), 5u);
  EXPECT_EQ(processes({nullptr, 2}), 2u);
  EXPECT_EQ(processes({nullptr}), 0u);
}

TEST(SelfTestOfRuns, TheThresholdIsTheGiven) {
  EXPECT_EQ(self_test({run_of("a", {twice(1024, 1, 2)})}, 2.5).threshold_percent, 2.5);
}

// Thirty pairs half as far apart as they are wide, and twenty-two within runs.
TEST(SelfTestText, IsWhole) {
  SelfTest test;
  test.runs = {"one", "two", "three"};
  test.threshold_percent = 1.5;
  test.processes = 12;
  test.disjoint = 5;
  const auto against = [](std::size_t differing, std::size_t count, double half_width) {
    return AgainstItself{differing, std::vector<double>(count, 0.0), std::vector<double>(count, half_width)};
  };
  test.between = against(4, 50, 0.02);
  test.within = against(3, 20, 0.04);
  test.sizes = {{1 << 18, against(1, 30, std::log(1.03)), against(2, 21, std::log(1.05))},
                {1 << 20, against(0, 2, std::log(1.07)), against(0, 22, std::log(1.11))}};
  const std::string explanation =
      "Least difference called: a true one of this size is called faster or slower with 80 % power by one "
      "comparison alone, which is how many of the pairs, moved apart by it, are beyond 1.5 % and half their "
      "own "
      "95 % interval; among many cases it takes more. Of fewer than 20 pairs none is told. Half interval: "
      "half "
      "the 95 % interval of a ratio, in the median.\n";
  const std::string pairs =
      "50 pairs of the same kernel, input and machine between 3 runs, 20 within one, from 12 processes, each "
      "of "
      "which measured all cases of its run.\n";
  const std::string verdicts =
      "Verdicts that two of them differ: 4 of 50 between runs (8.0 %), 3 of 20 within one.\n";
  const std::string disjoint = "Intervals of two runs that are disjoint: 5 of 50.\n";
  EXPECT_EQ(text_of(test, 0),
            "                                                least\n"
            "                                    pairs  difference      half\n"
            "       pairs       least      half     of      called  interval\n"
            "          of  difference  interval    one    within a  within a\n"
            "    n   runs  called (%)       (%)    run     run (%)   run (%)\n"
            "-----  -----  ----------  --------  -----  ----------  --------\n"
            "256Ki     30         3.0       3.0     21         5.0       5.0\n"
            "  1Mi      2           -       7.0     22          11        11\n" +
                explanation + '\n' + pairs + verdicts + disjoint);
  EXPECT_EQ(
      markdown(test, "A | title"),
      "# A | title\n\n- " + pairs + "- " + verdicts + "- " + disjoint +
          "\n| n | pairs of runs | least difference called (%) | half interval (%) | pairs of one run | "
          "least difference called within a run (%) | half interval within a run (%) |\n"
          "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
          "| 256Ki | 30 | 3.0 | 3.0 | 21 | 5.0 | 5.0 |\n"
          "| 1Mi | 2 | - | 7.0 | 22 | 11 | 11 |\n\n" +
          explanation);
}

// What was taken out of the lists again counts no more.
TEST(LeastCalled, IsOfThePairsThatThereAre) {
  AgainstItself pairs;
  for (int percent = 0; percent < 20; ++percent) pairs.log_ratios.push_back(percent / 100.0);
  pairs.half_widths.assign(20, 0.5);
  pairs.log_ratios.push_back(0);
  pairs.half_widths.push_back(9);
  pairs.log_ratios.pop_back();
  pairs.half_widths.pop_back();
  EXPECT_NEAR(*pairs.least_called(1), 0.5 + 0.11, 1e-12) << "as in LeastDifferenceCalled";
}

/// A folder with runs in it, whose names are of more than ASCII.
class CompareText : public testing::Test {
 protected:
  void write(const std::string& name, const std::vector<Record>& records) {
    std::string lines;
    for (const Record& record : records) lines += line_of(record) + '\n';
    folder_.write(name + "/records.jsonl", lines);
    folder_.write(name + "/run.json", line_of(run_of(name, {}, session_of()).facts));
  }
  Answer compare(const std::string& arguments) { return redbench("compare " + arguments, folder_.path()); }
  std::string read(const std::string& name) const {
    std::ifstream file(folder_.path() + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  TemporaryFolder folder_;
};

TEST_F(CompareText, OfRunsSaysWhichTheyAre) {
  write("a", {measured("reduce/harris3", around_100), measured("reduce/harris7", around_100, 2048)});
  write("µ", {measured("reduce/harris3", times(1.05)), measured("reduce/harris7", times(0.9), 2048)});
  const Answer answer = compare("a µ --json c.json --md c.md");
  EXPECT_EQ(answer.exit_code, exit_fine);
  // Logarithms of five processes have a deviation of 0.00158, so their difference an error of 0.001, and
  // Student's quantile of eight degrees is 2.306.
  EXPECT_EQ(answer.text,
            "A: a  ·  B: µ\n"
            "problem reduce  ·  type i32  ·  operator sum  ·  values uniform  ·  mode cold\n"
            "                  A      B\n"
            "variant    n   (µs)   (µs)   B / A          interval  verdict\n"
            "-------  ---  -----  -----  ------  ----------------  ----------\n"
            "harris3  1Ki  100.0  105.0  1.0500  1.0476 to 1.0524  slower [1]\n"
            "harris7  2Ki  100.0  90.00  0.9000  0.8979 to 0.9021  faster [1]\n"
            "[1] both are stale: kernel changed; measured otherwise\n"
            "\n"
            "1 faster, 1 slower, 0 same, 0 undecided: 2 of 2 pairs differ\n");
  const std::string json = read("c.json");
  EXPECT_THAT(json, testing::StartsWith("{\n \"schema\": 1,\n \"first\": \"a\",\n \"second\": \"µ\",\n"));
  EXPECT_EQ(json, Json::parse(json).dump(1) + '\n');
  EXPECT_THAT(read("c.md"), testing::StartsWith("# µ against a\n\n"));
  // Narrower, texts are on more lines, and of the table two columns stay.
  EXPECT_THAT(compare("a µ --width 40").text,
              HasSubstr("\n1 faster, 1 slower, 0 same, 0 undecided:\n2 of 2 pairs "));
}

TEST_F(CompareText, OfVariantsHasTheirNamesInTheTable) {
  write("a", {measured("reduce/harris3", around_100), measured("reduce/harris7", times(0.9))});
  EXPECT_EQ(compare("a --variants harris3 harris7").text,
            "problem reduce  ·  n 1Ki  ·  type i32  ·  operator sum  ·  values uniform  ·  mode cold\n"
            "harris3  harris7  harris7 /\n"
            "   (µs)     (µs)    harris3          interval  verdict\n"
            "-------  -------  ---------  ----------------  ----------\n"
            "  100.0    90.00     0.9000  0.9000 to 0.9000  faster [1]\n"
            "[1] both are stale: kernel changed; measured otherwise\n"
            "\n"
            "1 faster, 0 slower, 0 same, 0 undecided: 1 of 1 pairs differ\n");
}

// By whichever path: the message has both as they were given.
TEST_F(CompareText, OneRunIsNotHeldAgainstItself) {
  write("a", {measured("reduce/harris3", around_100)});
  const Answer twice = compare("a ./a");
  EXPECT_EQ(twice.exit_code, exit_usage);
  EXPECT_EQ(twice.text, "redbench: redbench compare a ./a: one run, named twice\n");
  EXPECT_EQ(
      compare("a").text,
      "redbench: redbench compare: 1 run is given; two are compared, or two variants of one: compare A B, "
      "or compare A --variants x y\n");
  EXPECT_EQ(
      compare("a a a").text,
      "redbench: redbench compare: 3 runs are given; two are compared, or two variants of one: compare A "
      "B, or compare A --variants x y\n");
  EXPECT_EQ(
      compare("a a --variants harris3 harris7").text,
      "redbench: redbench compare: 2 runs are given; two are compared, or two variants of one: compare A "
      "B, or compare A --variants x y\n");
  EXPECT_EQ(compare("a nowhere").text, "redbench: nowhere/run.json: missing, or not redbench's\n");
  write("b", {measured("reduce/harris3", times(1.05))});
  EXPECT_EQ(compare("a b --threshold 99.5").exit_code, exit_fine);
  EXPECT_EQ(compare("a b --threshold 0").exit_code, exit_fine);
  EXPECT_EQ(compare("a b --threshold 100").text, "redbench: --threshold 100: 0 or more, and less than 100\n");
}

// A regression ends in 1, what is undecided in 3, where that is asked for.
TEST_F(CompareText, ItsExitCodeIsOfTheWorst) {
  write("a", {measured("reduce/harris3", around_100), measured("reduce/harris7", around_100)});
  write("slower", {measured("reduce/harris3", times(1.05)), measured("reduce/harris7", times(0.9))});
  write("faster", {measured("reduce/harris3", times(0.9)), measured("reduce/harris7", times(0.9))});
  write("less", {measured("reduce/harris3", times(0.9))});
  for (const auto& [runs, plain, asked] : {std::tuple("a slower", exit_fine, exit_failed),
                                           {"a faster", exit_fine, exit_fine},
                                           {"a less", exit_fine, exit_failed}}) {
    EXPECT_EQ(compare(runs).exit_code, plain) << runs;
    EXPECT_EQ(compare(std::string(runs) + " --fail-on-regression").exit_code, asked) << runs;
  }
  const Answer other = compare("a less --json less/records.jsonl");
  EXPECT_EQ(other.exit_code, exit_usage);
  EXPECT_THAT(other.text, HasSubstr("less/records.jsonl"));
}

// What a table has no use for is most of a record.
TEST(ComparedCases, AreToldWithoutTheirSamples) {
  Record record = measured("reduce/harris3", around_100);
  record["again_ns"] = record["samples_ns"];
  record["trace"] = {{{"level", 0}}};
  Record other = measured("reduce/harris7", times(2)), brief = record;
  for (const char* field : {"samples_ns", "again_ns", "trace"}) brief.erase(field);
  const StoredRun run = run_of("a", {record, other});
  EXPECT_EQ(compare_runs(run, run_of("b", {record}), {}).cases.at(0).record, brief);
  EXPECT_EQ(compare_variants(run, "harris3", "harris7", {}).cases.at(0).record, brief);
  const Comparison again = compare_again(run, {});
  EXPECT_EQ(again.first, "a");
  EXPECT_EQ(again.second, "a, again");
  ASSERT_EQ(again.cases.size(), 1u) << "one was sampled twice";
  EXPECT_EQ(again.cases[0].record, brief);
  EXPECT_EQ(again.cases[0].first_ns, record["time_ns"]);
  EXPECT_EQ(again.cases[0].second_ns, nullptr);
}

TEST(ComparedSamples, OfASecondTimeThatAreNoTimesAreNotCompared) {
  Record record = measured("reduce/harris3", around_100),
         other = measured("reduce/harris3", around_100, 2048);
  record["again_ns"] = Json::parse(R"([["fast", 3]])");
  other["again_ns"] = other["samples_ns"];
  other["samples_ns"] = {{0, 3}};
  const Comparison comparison = compare_again(run_of("a", {record, other}), {});
  ASSERT_EQ(comparison.cases.size(), 2u);
  for (const ComparedCase& one : comparison.cases) EXPECT_FALSE(one.difference);
  EXPECT_EQ(comparison.summary(), "0 faster, 0 slower, 0 same, 2 undecided: 0 of 2 pairs differ");
}

// The bug: a variant that fails where the other has a time was not said to.
TEST(ComparedVariants, ACaseOfWhichOneHasATimeIsTold) {
  Record wrong = record_of("reduce/harris3", 2048, "wrong");
  wrong["reason"] = "result[0] is 0";
  const Comparison comparison = compare_variants(
      run_of("a", {measured("reduce/harris3", around_100), wrong, record_of("reduce/harris3", 4096, "wrong"),
                   record_of("reduce/harris7", 1024, "failed"), measured("reduce/harris7", times(2), 2048),
                   record_of("reduce/harris7", 4096, "wrong")}),
      "harris3", "harris7", {});
  ASSERT_EQ(comparison.cases.size(), 2u) << "of neither there is nothing to say";
  const ComparedCase &lost = comparison.cases[0], &won = comparison.cases[1];
  EXPECT_EQ(lost.first_ns, 100000);
  EXPECT_EQ(lost.second_ns, nullptr);
  EXPECT_THAT(lost.notes, ElementsAre("harris7 failed"));
  EXPECT_TRUE(lost.is_lost);
  EXPECT_EQ(won.first_ns, nullptr);
  EXPECT_EQ(won.second_ns, 200000);
  EXPECT_THAT(won.notes, ElementsAre("harris3 wrong: result[0] is 0"));
  EXPECT_FALSE(won.is_lost);
  EXPECT_EQ(comparison.summary(), "0 faster, 0 slower, 0 same, 2 undecided: 0 of 2 pairs differ");
}

}  // namespace
}  // namespace redbench
