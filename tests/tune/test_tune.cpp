// redbench tune on the CPU, and a run that takes what it found.
#include "src/tune/tune.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "src/config/tuned.hpp"
#include "src/device/devices.hpp"
#include "src/records/stored_run.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

TEST(Tune, IsRefusedWhereNothingIsTimed) {
  EXPECT_THAT(redbench("tune reduce/harris3 -d simt").text, HasSubstr("has no times"));
  EXPECT_THAT(redbench("tune reduce/cpu_serial -d host").text,
              HasSubstr("no variant with launch parameters"));
  EXPECT_THAT(redbench("tune reduce/cpu_openpm -d host").text, HasSubstr("did you mean `reduce/cpu_openmp`"));
  EXPECT_THAT(redbench("tune configs/tuned.json reduce/harris3 -d host").text, HasSubstr("is tuned alone"));
  EXPECT_THAT(redbench("tune -d host").text, HasSubstr("a config or variants"));
  EXPECT_THAT(redbench("tune reduce/cpu_openmp -d host --budget 5").text, HasSubstr("as 90s, 5m or 1h"));
}

TEST(Tune, WritesPointsThatARunTakes) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/tuned.json";
  const auto tune = [&](const std::string& n) {
    return redbench(
               "tune gather/cpu_sorted -d host --set measure.mode=warm --set measure.timeout_s=0.01 -o " +
               file + " -a n=" + n)
        .exit_code;
  };
  ASSERT_EQ(tune("1Ki"), 0);
  ASSERT_EQ(tune("4Ki"), 0);
  ASSERT_EQ(tune("1Ki"), 0) << "a point that is there is replaced";
  const Tuned tuned = read_tuned(file);
  ASSERT_EQ(tuned.points.size(), 2u);
  EXPECT_EQ(tuned.points[1].n, 1024);
  EXPECT_THAT(tuned.points[0].parameters, testing::Contains(testing::Key("sort_bits")));

  const std::string config = folder.write("c.json", R"({"experiments": [{"problem": "gather",
      "variants": ["cpu_sorted", "cpu_sequential"], "axes": {"n": "2000"}, "parameters": ["printed", "tuned"]}],
      "measure": {"mode": "warm"}})");
  ASSERT_EQ(
      redbench("run " + config + " -d host --tuned " + file + " -o " + folder.path() + "/run").exit_code, 0);
  const StoredRun run = read_stored_run(folder.path() + "/run");
  ASSERT_EQ(run.records.size(), 3u) << "a variant without parameters has no second form";
  EXPECT_EQ(run.records[0]["tuned"], false);
  EXPECT_EQ(run.records[1]["tuned"], true);
  EXPECT_EQ(run.records[1]["tuned_at"], "n=1024 m=256 of " + tuned.sha256.substr(0, 16));
  EXPECT_EQ(run.records[1]["parameters"]["sort_bits"], tuned.points[1].parameters.at("sort_bits"));
  EXPECT_THAT(
      redbench("run " + config + " -d host --resume --tuned " + file + " -o " + folder.path() + "/run").text,
      HasSubstr("0 are to be made"));
}

// 2^36 inputs are more than the memory. The output is a pipe, which no earlier points can be read from.
TEST(Tune, APointThatNothingRanAtIsNoneOfTheFile) {
  const std::string text =
      redbench(
          "tune gather/cpu_sorted -d host --set measure.mode=warm --set measure.timeout_s=0.01 -a n=1Ki,2^36 "
          "-o /dev/stdout")
          .text;
  EXPECT_THAT(text, HasSubstr("\"n\": 1024"));
  EXPECT_THAT(text, testing::Not(HasSubstr("\"n\": 68719476736")));
  EXPECT_THAT(text, HasSubstr("1 points are in /dev/stdout"));
}

TEST(Tune, ABudgetIsOverWithWholePointsAndTheSameCommandGoesOnWithTheRest) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/tuned.json";
  const auto tune = [&](const std::string& budget) {
    return redbench("tune gather/cpu_sorted -d host -a n=1Ki,2Ki,4Ki --set measure.mode=warm --budget " +
                    budget + " -o " + file);
  };
  const auto points = [&] {
    return std::filesystem::exists(file) ? read_tuned(file).points : std::vector<TunedPoint>();
  };
  Answer answer = tune("0.001s");
  EXPECT_THAT(answer.text, HasSubstr("the same command goes on with the 3 points that are left"));
  EXPECT_TRUE(points().empty());
  std::vector<TunedPoint> before;
  for (int turn = 0; turn < 50 && answer.exit_code == exit_interrupted; ++turn) {
    answer = tune(fmt::format("{}s", 2 + turn));  // a busy machine takes longer for the last round
    const std::vector<TunedPoint> now = points();
    ASSERT_GE(now.size(), before.size());
    for (std::size_t i = 0; answer.exit_code == exit_interrupted && i < before.size(); ++i)
      EXPECT_EQ(now[i].found, before[i].found) << "no point is searched again before each has a result";
    for (std::size_t left = now.size(); answer.exit_code == exit_interrupted && left < 3; ++left)
      EXPECT_THAT(answer.text, HasSubstr(fmt::format("\n  gather/cpu_sorted n={} type", 1024 << left)));
    before = now;
  }
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_EQ(before.size(), 3u);
}

// The bugs: of a search that went on, a file that was deleted lacked what had been done, and what somebody had put there
// since was replaced by it.
TEST(Tune, ASearchThatGoesOnWritesWhatTheFileLacksAndLeavesWhatItHas) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/tuned.json";
  const auto tune = [&](const std::string& budget) {
    return redbench("tune gather/cpu_sorted -d host -a n=1Ki,64Mi --set measure.mode=warm --budget " +
                    budget + " -o " + file)
        .exit_code;
  };
  for (int turn = 0; turn < 20 && !std::filesystem::exists(file); ++turn)
    ASSERT_EQ(tune(fmt::format("{}s", 2 + turn)), exit_interrupted);
  Tuned tuned = read_tuned(file);
  std::filesystem::remove(file);
  EXPECT_EQ(tune("0.001s"), exit_interrupted);
  EXPECT_EQ(read_tuned(file).points[0].found, tuned.points[0].found);
  tuned.points[0].parameters["threshold_log2"] = 27;
  folder.write("tuned.json", text_of(tuned));
  EXPECT_EQ(tune("0.001s"), exit_interrupted);
  EXPECT_EQ(read_tuned(file).points[0].parameters.at("threshold_log2"), 27);
}

TEST(Tune, ADryRunSaysWhatASearchTriesAndLeavesNothing) {
  TemporaryFolder folder;
  const std::string out = folder.path() + "/new/tuned.json";
  const std::string text = redbench("tune reduce/harris3 -d simt -a n=1Ki --dry-run -o " + out).text;
  EXPECT_THAT(text, testing::ContainsRegex("reduce/harris3 +1Ki +0 +i32 +sum +[0-9]+"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/new"));
}

// The bug: under a budget a search of 8 candidates put six times slower parameters in place of those of 504.
TEST(Tune, WhatTheFileHasForTheVariantIsACandidateWhereTheCardTakesIt) {
  TemporaryFolder folder;
  const auto expect_candidates = [&](const std::string& parameters, const std::string& count) {
    const std::string file = folder.write("tuned.json", R"({"schema": 1, "hardware": "h200", "points": [
        {"variant": "multireduce/global_transposed", "type": "i32", "operator": "sum", "n": 1024, "m": 16,
         "axes": {"values": "uniform", "labels": "uniform", "m": 16}, "parameters": {)" +
                                                            parameters + R"(}, "found": {}}]})");
    for (const char* m : {"16", "64"}) {
      const std::string command =
          fmt::format("tune multireduce/global_transposed -d simt:h200 -a n=1Ki -a m={} --dry-run -o ", m);
      EXPECT_THAT(redbench(command + file).text, HasSubstr(" " + count + "\n")) << m << ": " << parameters;
    }
  };
  expect_candidates(R"("block": 128, "blocks": 16, "items": 8, "loads": 8)", "448");
  expect_candidates(R"("block": 96, "blocks": 16, "items": 8, "loads": 8)", "449");
  expect_candidates(R"("block": 128, "blocks": 16)", "448");  // made before the card had the others
  expect_candidates(R"("block": 100, "blocks": 16, "items": 8, "loads": 8)", "448");
  expect_candidates(R"("block": 96, "rows": 16)", "448");
}

TEST(Tune, AConfigThatShowsSomePointsTunedAsksForThese) {
  TemporaryFolder folder;
  const std::string text = redbench("tune -d simt --dry-run " + folder.write("c.json", R"({"experiments": [
      {"problem": "reduce", "variants": ["harris2", "harris3"], "axes": {"n": [1000, 2000]}},
      {"problem": "reduce", "variants": ["harris3"], "axes": {"n": 2000}, "parameters": "tuned"}]})"))
                               .text;
  EXPECT_THAT(text, testing::ContainsRegex("reduce/harris3 +2000"));
  EXPECT_THAT(text, testing::Not(testing::AnyOf(HasSubstr("harris2"), HasSubstr(" 1000"))));
}

TEST(Tune, RefusesBeforeItMeasuresWhatItWouldIgnoreOrCannotWrite) {
  TemporaryFolder folder;
  EXPECT_THAT(redbench("tune gather/cpu_sorted -d host -a sort_bits=5 -o " + folder.path() + "/x.json").text,
              HasSubstr("-a sort_bits=5: a launch parameter of gather/cpu_sorted"));
  redbench("tune reduce/cpu_serial -d host -o " + folder.path() + "/new/deeper/x.json");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THAT(redbench("tune gather/cpu_sorted -d host -o /proc/none/x.json").text,
              HasSubstr("there is no folder /proc/none"));
  EXPECT_THAT(redbench("tune gather/cpu_sorted -d host --from nowhere -o " + folder.path() + "/x.json").text,
              HasSubstr("nowhere: no such folder"));
  EXPECT_THAT(redbench("tune gather/cpu_sorted -d host --tuned x.json").text, HasSubstr("no flag `--tuned`"));
}

TunedPoint of_cpu_sorted(const std::string& labels, const std::map<std::string, Index>& parameters) {
  return {.variant = "gather/cpu_sorted",
          .type = "i32",
          .op = "right",
          .n = 2048,
          .m = 256,
          .axes = {{"labels", labels}, {"m", 256}},
          .parameters = parameters};
}

TEST(Tune, ARowTellsWhichPointItsParametersAreOfAndWhichFile) {
  TemporaryFolder folder;
  const std::string hardware = OpenDevices("host").kernels->facts().name;
  const auto file = [&](const std::string& name, const TunedPoint& point) {
    return folder.write(name, text_of(Tuned{"", hardware, "", {point}}));
  };
  const std::string five = file("five.json", of_cpu_sorted("sorted", {{"sort_bits", 5}})),
                    seven = file("seven.json", of_cpu_sorted("uniform", {{"sort_bits", 7}})),
                    other = file("other.json", of_cpu_sorted("uniform", {{"blocks", 7}}));
  const std::string config = folder.write("c.json", R"({"experiments": [{"problem": "gather",
      "variants": "cpu_sorted", "axes": {"n": "2Ki"}, "parameters": ["printed", "tuned"]}],
      "measure": {"mode": "warm", "min_samples": 9, "max_samples": 9}})");
  const std::string out = " -d host -o " + folder.path() + "/run --tuned ";
  ASSERT_EQ(redbench("run " + config + out + five).exit_code, 0);
  const Record tuned = read_stored_run(folder.path() + "/run").records[1];
  EXPECT_THAT(tuned["tuned_at"].get<std::string>(), testing::StartsWith("n=2048 m=256 labels=sorted of "));
  EXPECT_THAT(redbench("run " + config + out + seven + " --resume").text, HasSubstr("tuned.path is"));
  EXPECT_THAT(redbench("plan " + config + " -d host --tuned " + seven).text,
              HasSubstr("sort_bits=7 threshold_log2=21 (tuned)"));
  EXPECT_THAT(redbench("plan " + config + " -d host --tuned " + other).text,
              HasSubstr("it has no parameter `blocks`, which the tuned file gives it"));
}

// 255 candidates: three rounds at n / 16 leave 32, which are measured at n.
TEST(Tune, WhatIsHalvedAtFewerInputsIsDecidedAtAll) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/tuned.json";
  const Answer answer = redbench(
      "tune gather/cpu_sorted -d host -a n=1Mi --set measure.mode=warm --set measure.timeout_s=0.01 -o " +
      file);
  ASSERT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("point 1 of 1: 255 candidates in 5 rounds"));
  const Tuned tuned = read_tuned(file);
  ASSERT_EQ(tuned.points.size(), 1u);
  EXPECT_EQ(tuned.points[0].n, 1 << 20);
  EXPECT_EQ(tuned.points[0].found["candidates"], 255);
}

TEST(Tune, WithoutAPointARowIsRefusedWithTheCommandThatMakesIt) {
  TemporaryFolder folder;
  const std::string config = folder.write("c.json", R"({"experiments": [{"problem": "reduce",
      "variants": ["harris3", "diffwarps"], "axes": {"n": "2000"}}]})");
  EXPECT_THAT(redbench("plan " + config + " -d simt:gtx480 --parameters tuned").text,
              HasSubstr("no parameters of it are tuned for gtx480: a modelled device has no times"));
  EXPECT_THAT(redbench("plan " + config + " -d simt:gtx480 --parameters tuned -a block=64").text,
              HasSubstr("the axis `block` would change nothing"));
  EXPECT_THAT(redbench("plan " + config + " -d simt:gtx480 --tuned x.json").text,
              HasSubstr("no experiment asks for tuned parameters"));
}

}  // namespace
}  // namespace redbench
