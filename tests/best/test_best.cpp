// Which variant is fastest at the nearest measured point, of hand-made records.
#include "src/best/best.hpp"

#include <gmock/gmock.h>

#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// On an H200, in one run: at 1Ki harris7 and cub are as fast, at 4Ki cub is slower by a tenth.
std::vector<StoredRun> runs() {
  std::vector<Record> records{
      measured("reduce/harris3", times(2)),       measured("reduce/harris7", times(1)),
      measured("reduce/cub", times(1)),           measured("reduce/matrix", times(1.05)),
      measured("reduce/harris7", times(1), 4096), measured("reduce/cub", times(1.1), 4096)};
  for (Record& record : records) record.update({{"hardware", "NVIDIA H200"}, {"scratch_bytes", 64}});
  records[2]["scratch_bytes"] = 0;
  return {run_of("results/x", records)};
}

std::vector<PackedRun> packed(const std::vector<StoredRun>& stored) { return {stored.begin(), stored.end()}; }

Ranking best(const std::vector<StoredRun>& stored, const Question& question) {
  return redbench::best(packed(stored), question);
}

std::vector<Ranking> best_over(const std::vector<StoredRun>& stored, const Question& question,
                               const std::string& axis) {
  return redbench::best_over(packed(stored), question, axis);
}

std::vector<std::string> names(const Ranking& answer, bool tied = false) {
  std::vector<std::string> all;
  for (const Ranked& ranked : answer.ranked)
    if (ranked.is_tied || !tied) all.push_back(ranked.record["variant"]);
  return all;
}

TEST(Best, IsWhatNothingTellsFromTheFastest) {
  const Ranking answer = best(runs(), {.problem = "reduce", .sizes = {{"n", 1024}}});
  EXPECT_THAT(names(answer, true), testing::UnorderedElementsAre("reduce/harris7", "reduce/cub"));
  EXPECT_THAT(names(answer), testing::SizeIs(4));
  EXPECT_EQ(names(answer).back(), "reduce/harris3");
  EXPECT_EQ(answer.library()->record["variant"], "reduce/cub");
  EXPECT_EQ(answer.away.at("n"), 1);
  EXPECT_THAT(answer.not_measured, testing::Contains("harris1"));
  EXPECT_THAT(names(best(runs(), {.problem = "reduce"}), true), ElementsAre("reduce/harris7"))
      << "the largest n";
}

// By the logarithm 2Ki - 1 is nearer to 1Ki, and 2Ki + 1 to 4Ki.
TEST(Best, IsOfTheNearestPointAndSaysHowFarItIs) {
  const auto away = [](Index n) {
    return best(runs(), {.problem = "reduce", .sizes = {{"n", n}}}).away.at("n") * double(n);
  };
  EXPECT_EQ(away(2047), 1024);
  EXPECT_EQ(away(2049), 4096);
}

TEST(Best, HasThePromisesThatAreAskedFor) {
  Question question{.problem = "reduce", .sizes = {{"n", 1024}}, .keeps_order = true};
  EXPECT_THAT(names(best(runs(), question)), ElementsAre("reduce/matrix"));
  question.keeps_order = false;
  question.most_scratch_bytes = 0;
  const Ranking answer = best(runs(), question);
  EXPECT_THAT(names(answer), ElementsAre("reduce/cub"));
  EXPECT_THAT(answer.left_out, testing::Contains("harris7 takes 64 bytes of scratch memory"));
  question.keeps_order = true;
  EXPECT_THAT(usage_error([&] { best(runs(), question); }), HasSubstr("the order of its inputs kept"));
}

// Atomics give sums of integers the same bits in each run, sums of floats not.
TEST(Best, WhatIsReproducibleDependsOnTheOperator) {
  std::vector<StoredRun> all{run_of("results/x", {measured("reduce/shuffle_block_atomic", times(1)),
                                                  measured("reduce/harris7", times(2))})};
  const Question question{.problem = "reduce", .reproducible = true};
  EXPECT_THAT(names(best(all, question)), testing::SizeIs(2));
  for (Record& record : all[0].records) record["type"] = "f32";
  EXPECT_THAT(names(best(all, question)), ElementsAre("reduce/harris7"));
}

// A record of other rounds, though faster, is no rival.
TEST(Best, OnlyWhatWasMeasuredInTheSameRoundsIsRanked) {
  std::vector<StoredRun> all = runs();
  all[0].facts["sessions"].push_back(session_of());
  Record other = measured("reduce/diffwarps", times(0.5));
  other.update({{"hardware", "NVIDIA H200"}, {"session", 1}});
  all[0].records.push_back(other);
  EXPECT_EQ(names(best(all, {.problem = "reduce", .sizes = {{"n", 1024}}})).size(), 4u)
      << "of the point with most variants";
  for (Record& record : all[0].records) record["hardware"] = "NVIDIA H100";
  all.push_back(runs()[0]);
  all.push_back(runs()[0]);
  EXPECT_EQ(best(all, {.problem = "reduce"}).hardware, "NVIDIA H200") << "as near, by more records";
  EXPECT_EQ(best(all, {.problem = "reduce", .hardware = "H100"}).hardware, "NVIDIA H100");
  EXPECT_THAT(best(all, {.problem = "reduce"}).elsewhere, Contains("hardware: NVIDIA H100, NVIDIA H200"));
}

// Records of a CPU are the most, those of the H200 more than those of the H100, which alone has n = 16Ki.
TEST(Best, WithoutHardwareIsOfTheGpuWithTheNearestPoint) {
  std::vector<StoredRun> all = runs();
  const auto add = [&](const char* device, const char* hardware, Index n, int count) {
    std::vector<Record> records(count, measured("reduce/harris3", times(1), n));
    for (Record& record : records) record.update({{"device", device}, {"hardware", hardware}});
    all.push_back(run_of(hardware, records));
  };
  add("host", "Xeon", 16384, 9);
  add("cuda:0", "NVIDIA H100", 16384, 2);
  const auto hardware = [&](Index n) {
    return best(all, {.problem = "reduce", .sizes = {{"n", n}}}).hardware;
  };
  EXPECT_EQ(hardware(16384), "NVIDIA H100");
  EXPECT_EQ(hardware(4096), "NVIDIA H200");
  EXPECT_EQ(best(all, {.problem = "reduce", .sizes = {{"n", 16384}}, .hardware = "Xeon"}).hardware, "Xeon");
}

// Its few variants at few sizes would be the richest run of an input.
TEST(Best, ASelfTestIsNoAnswer) {
  EXPECT_THAT(runs_of_problem({REDBENCH_SOURCE_DIR "/results/h100/selftest"}, "reduce"), IsEmpty());
}

TEST(Best, SaysWhichKernelsHaveChangedSince) {
  EXPECT_THAT(ranking_table(best(runs(), {.problem = "reduce"})).remarks,
              testing::Contains(AllOf(HasSubstr("has changed since: "), HasSubstr("harris7"))))
      << "hand-made records name no source";
}

TEST(Best, TheMapHasARowForEachSize) {
  const std::vector<Ranking> map = best_over(runs(), {.problem = "reduce"}, "n");
  ASSERT_EQ(map.size(), 2u);
  EXPECT_THAT(names(map[1], true), ElementsAre("reduce/harris7"));
  EXPECT_THAT(map_table(map).rows[1], testing::Contains("1.10x"));
  for (const std::string axis : {"values", "block"})  // variants without a parameter would be left out
    EXPECT_THAT(usage_error([&] { best_over(runs(), {.problem = "reduce"}, axis); }),
                HasSubstr("--over " + axis));
}

// At 1Ki the run of 4 variants with cub answers, not that of 5 without; whose kernel has changed is told.
TEST(Best, TheMapOfAllIsOfTheRichestRunAtEachInput) {
  std::vector<StoredRun> all = runs();
  std::vector<Record> without_library;
  for (const char* name : {"harris1", "harris2", "harris3", "harris4", "harris5"}) {
    without_library.push_back(measured(std::string("reduce/") + name, times(0.1)));
    without_library.back()["hardware"] = "NVIDIA H200";
  }
  all.push_back(run_of("results/y", without_library));
  const std::vector<Ranking> map = best_everywhere(packed(all), {.problem = "reduce"});
  ASSERT_EQ(map.size(), 2u);
  for (const Ranking& ranking : map) EXPECT_EQ(ranking.run, "results/x");
  EXPECT_NE(to_json(map[0])["ranked"][0]["stale"], "");
  EXPECT_THAT(map_table(map).remarks, testing::Contains(HasSubstr("has changed since: ")));
  EXPECT_THAT(map[0].not_measured, testing::Not(testing::Contains("cpu_serial")));
}

// The bug: a run of two kernels, one of them faster than all before it, was never named beside one of four.
TEST(Best, IsOfTheRunWhoseFastestIsMostAheadOfTheLibrary) {
  std::vector<StoredRun> all = runs();
  std::vector<Record> ahead{measured("reduce/packed_atomic", times(3)), measured("reduce/cub", times(4))};
  for (Record& record : ahead) record["hardware"] = "NVIDIA H200";
  all.push_back(run_of("results/y", ahead));
  EXPECT_EQ(best(all, {.problem = "reduce", .sizes = {{"n", 1024}}}).run, "results/y");
  // Another run is less ahead of the same library, and lacks that library's fastest mode.
  all.back().records.push_back(measured("reduce/cub_not_guaranteed", times(3.1)));
  ahead[1] = measured("reduce/cub", times(3.6));
  all.push_back(run_of("results/z", ahead));
  for (StoredRun& run : all)
    for (Record& record : run.records) record["hardware"] = "NVIDIA H200";
  EXPECT_EQ(best(all, {.problem = "reduce", .sizes = {{"n", 1024}}}).run, "results/y");
}

TEST(Best, IsOfConfigsBestElseWithoutALibraryOfTheRunThatIsFasterByMoreThanRunsDiffer) {
  const auto run = [](const std::string& path, double factor, const std::vector<std::string>& variants) {
    std::vector<Record> records;
    for (const std::string& variant : variants) {
      records.push_back(measured("reduce/" + variant, times(factor)));
      records.back()["hardware"] = "NVIDIA H200";
    }
    return run_of(path, records);
  };
  const StoredRun many = run("results/many", 2, {"harris1", "harris2", "harris3"});
  EXPECT_EQ(best({many, run("results/two", 1, {"matrix", "tb2"})}, {.problem = "reduce"}).run, "results/two");
  EXPECT_EQ(best({run("results/two", 2, {"matrix", "tb2"}), many}, {.problem = "reduce"}).run,
            "results/many");
  StoredRun all = run("results/best", 3, {"harris1", "harris2", "harris3"});
  all.facts["name"] = "best/reduce";
  EXPECT_EQ(best({many, all}, {.problem = "reduce"}).run, "results/best");
  StoredRun one = run("results/one", 3, {"harris1"});
  one.facts["name"] = "best/reduce";
  EXPECT_EQ(best({many, one}, {.problem = "reduce"}).run, "results/many");
}

TEST(Best, FormsForSeveralGpusAreNoAnswerOnOneNorThoseOfOneMissedOnSeveral) {
  std::vector<Record> records{measured("reduce/nccl_reduce", times(1)), measured("reduce/harris3", times(2))};
  const Ranking one = best({run_of("results/x", records)}, {.problem = "reduce"});
  EXPECT_THAT(names(one), ElementsAre("reduce/harris3"));
  EXPECT_THAT(one.not_measured, testing::Not(testing::Contains("nccl_allreduce")));
  records.pop_back();
  records[0]["axes"]["gpus"] = 4;
  const Ranking four = best({run_of("results/x", records)}, {.problem = "reduce", .exact = {{"gpus", "4"}}});
  EXPECT_THAT(names(four), ElementsAre("reduce/nccl_reduce"));
  EXPECT_THAT(four.not_measured, testing::Contains("nccl_allreduce"));
  EXPECT_THAT(four.not_measured, testing::Not(testing::Contains("harris1")));
}

// The bug: sums of halves were answered by kernels whose sums are floats.
TEST(Best, IsOfTheValuesTypeWhereNoAccumulatorIsNamed) {
  std::vector<Record> records{measured("reduce/last_block", times(2)),
                              measured("reduce/waiting_block", times(1))};
  records[1]["axes"]["accumulator"] = "f32";
  const std::vector<StoredRun> all{run_of("results/x", records)};
  EXPECT_THAT(names(best(all, {.problem = "reduce"})), ElementsAre("reduce/last_block"));
  EXPECT_THAT(names(best(all, {.problem = "reduce", .exact = {{"accumulator", "own"}}})),
              ElementsAre("reduce/last_block"));
  EXPECT_THAT(names(best(all, {.problem = "reduce", .exact = {{"accumulator", "f32"}}})),
              ElementsAre("reduce/waiting_block"));
}

TEST(Best, WhereNothingAnswersItSaysWhatThereIs) {
  const auto why = [](const Question& question) { return usage_error([&] { best(runs(), question); }); };
  EXPECT_THAT(why({.problem = "reduce", .exact = {{"type", "f64"}}}), HasSubstr("type f64 (measured: i32)"));
  EXPECT_THAT(why({.problem = "reduce", .sizes = {{"m", 3}}}), HasSubstr("an axis m (measured: nothing)"));
  EXPECT_THAT(why({.problem = "reduce", .hardware = "A100"}), HasSubstr("A100 (measured: NVIDIA H200)"));
  EXPECT_THAT(usage_error([] { runs_of_problem({"."}, "reduze"); }), HasSubstr("did you mean `reduce`"));
}

TEST(BestCommand, AnswersFromTheCommittedRecords) {
  const std::string from = " --from " + std::string(REDBENCH_SOURCE_DIR) + "/results/h200/quick";
  const Answer answer = redbench("best reduce --n 256Mi --type i32" + from);
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("cub"));
  EXPECT_THAT(answer.text, testing::Not(HasSubstr("has changed since")));
  EXPECT_EQ(redbench("best reduce --n 0" + from).exit_code, 2);
  EXPECT_EQ(redbench("best reduce -a labels" + from).exit_code, 2);
  EXPECT_EQ(redbench("best").exit_code, 2);
  for (const char* over : {"n", "all"})
    EXPECT_THAT(redbench(std::string("best reduce --n 1Mi --over ") + over + from).text,
                HasSubstr("so --n is not taken"));
}

// At 1Ki harris7 is fastest, measured with the parameters of its card alone; at 4Ki harris3, tuned.
TEST(Best, TunedAndPrintedFormsAreRankedTogetherAndTold) {
  std::vector<StoredRun> all = runs();
  Record tuned = measured("reduce/harris3", times(0.5), 4096);
  tuned.update({{"hardware", "NVIDIA H200"}, {"tuned", true}});
  all[0].records.insert(all[0].records.begin(), tuned);
  const std::vector<Ranking> map = best_over(all, {.problem = "reduce"}, "n");
  ASSERT_EQ(map.size(), 2u);
  EXPECT_THAT(names(map[0]), testing::Contains("reduce/harris7"));
  EXPECT_THAT(names(map[1], true), ElementsAre("reduce/harris3"));
  EXPECT_EQ(to_json(map[1])["ranked"][0]["tuned"], true);
  EXPECT_THAT(names(best(all, {.problem = "reduce", .exact = {{"tuned", "false"}}}), true),
              ElementsAre("reduce/harris7"));
}

}  // namespace
}  // namespace redbench
