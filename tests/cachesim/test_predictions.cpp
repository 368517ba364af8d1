// What the cache simulator says of a config's cases: which loop each is, on which machines and by which
// models, with which measured numbers, and what is left out.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "src/cachesim/prediction.hpp"
#include "src/records/columns.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

cachesim::Machine machine(const std::string& name, const std::string& more = "") {
  return parse_machine(name,
                       R"({"title": "t", "source": "s", "memory_ns": 100,
    "levels": [{"name": "L1", "bytes": 65536, "ways": 16, "ns": 1}])" +
                           more + "}",
                       name);
}

const std::string pages = R"(, "translations": [
  {"page_bytes": 4096, "levels": [{"name": "T", "entries": 8, "ways": 4}], "walk_ns": 20},
  {"page_bytes": 2097152, "levels": [{"name": "T", "entries": 8, "ways": 4}], "walk_ns": 30}])";
const std::string core =
    R"(, "core": {"input_ns": 2, "forward_ns": 3, "misses": 4, "store_misses": 5, "window": 6,
  "stores": 7, "walks": 8, "line_ns": 9})";

class PredictionOf : public testing::Test {
 protected:
  /// Of an experiment on the host.
  void plan(const std::string& problem, const std::string& variants, const std::string& axes,
            const std::string& caches) {
    const std::string path = folder_.write("c.json", R"({"experiments": [{"problem": ")" + problem +
                                                         R"(", "variants": )" + variants + R"(, "axes": {)" +
                                                         axes + R"(}}], "caches": {)" + caches + "}}");
    config_ = load_config(path, Target::host, {}, record_columns());
    plan_ = make_plan(config_, open_.devices());
  }
  /// A line for each case.
  std::vector<std::string> lines_of(const Predictions& predictions) const {
    std::vector<std::string> lines;
    for (const PredictedCase& predicted : predictions.cases) {
      std::string line = fmt::format("{} m={} {} {}", predicted.case_->variant->short_name, predicted.loop.m,
                                     predicted.machine, cache_model_names[std::size_t(predicted.model)]);
      if (predicted.loop.page_bytes) line += fmt::format(" in pages of {}", predicted.loop.page_bytes);
      if (predicted.model != CacheModel::overlapped)
        line += fmt::format(": {:.5g} ns", predicted.simulated.ns_per_input());
      lines.push_back(line);
      EXPECT_EQ(predicted.key, predicted.case_->key());
    }
    return lines;
  }
  /// The measured or published time of each case.
  std::vector<std::optional<double>> measured(const Predictions& predictions) const {
    std::vector<std::optional<double>> numbers;
    for (const PredictedCase& predicted : predictions.cases) numbers.push_back(predicted.measured_ns);
    return numbers;
  }

  TemporaryFolder folder_;
  OpenDevices open_{"host"};
  Config config_;
  Plan plan_;
};

// By hand, in ns: a serial loop has 4 accesses for each of 1000 inputs and one for each of 16 buckets to
// clear, all of 1 but those of the first line of labels, values and buckets, which are of 100: 4016 + 3 * 99
// = 4313. In small pages each of the three needs a walk of 20 and an entry of a page table, 100; the entries
// of their directory are in one line, 100 + 1 + 1: 462. In huge ones a walk of 30; their entries of one table
// are in one line, 100 + 1 + 1, and that of the directory, 100, is read once: 292.
TEST_F(PredictionOf, EachCaseIsMadeOnEachMachineByEachModelInThePagesOfItsVariant) {
  plan("multireduce", R"(["cpu_sequential", "cpu_huge_pages"])", R"("n": 1000, "m": 16)",
       R"("loops": {"cpu_sequential": "simple", "cpu_huge_pages": "simple"},
          "models": ["serial", "translated", "overlapped"])");
  const Predictions predictions = predict(
      config_, plan_, {machine("bare"), machine("paged", pages), machine("whole", pages + core)}, nullptr);
  EXPECT_THAT(
      lines_of(predictions),
      ElementsAre("cpu_sequential m=16 bare serial: 4.313 ns", "cpu_sequential m=16 paged serial: 4.313 ns",
                  "cpu_sequential m=16 paged translated in pages of 4096: 4.775 ns",
                  "cpu_sequential m=16 whole serial: 4.313 ns",
                  "cpu_sequential m=16 whole translated in pages of 4096: 4.775 ns",
                  "cpu_sequential m=16 whole overlapped in pages of 4096",
                  "cpu_huge_pages m=16 bare serial: 4.313 ns", "cpu_huge_pages m=16 paged serial: 4.313 ns",
                  "cpu_huge_pages m=16 paged translated in pages of 2097152: 4.605 ns",
                  "cpu_huge_pages m=16 whole serial: 4.313 ns",
                  "cpu_huge_pages m=16 whole translated in pages of 2097152: 4.605 ns",
                  "cpu_huge_pages m=16 whole overlapped in pages of 2097152"));
  // Accesses that overlap take less than one after the other, and no less than the loop alone, 2 for each
  // input.
  for (const std::size_t i : {5u, 11u}) {
    EXPECT_GE(predictions.cases.at(i).simulated.ns_per_input(), 2);
    EXPECT_LT(predictions.cases.at(i).simulated.ns_per_input(), 4.313);
  }
  EXPECT_THAT(predictions.left_out, ElementsAre("bare: `overlapped` needs its `translations`",
                                                "bare: `translated` needs its `translations`",
                                                "paged: `overlapped` needs its `core`"));
  for (const std::optional<double>& number : measured(predictions)) EXPECT_FALSE(number);
}

TEST_F(PredictionOf, WhatIsNotPredictedIsLeftOutForAReasonOnceAndInOrder) {
  plan("multireduce", R"(["cpu_sequential", "cpu_presorted", "global_atomic"])",
       R"("n": 1000, "m": [64, 32], "labels": ["uniform", "reversed"])",
       R"("loops": {"cpu_presorted": "presorted", "global_atomic": "simple"})");
  const Predictions predictions = predict(config_, plan_, {machine("one")}, nullptr);
  EXPECT_THAT(lines_of(predictions), ElementsAre("cpu_presorted m=64 one serial: 4.361 ns",
                                                 "cpu_presorted m=32 one serial: 4.329 ns"));
  const std::string input = " n=1000 type=i32 operator=sum values=uniform labels=";
  const std::string presorted = "multireduce/cpu_presorted" + input,
                    atomic = "multireduce/global_atomic" + input;
  const std::string no_labels =
      " sort_bits=0 threshold_log2=21 digit_bits=9: the simulator has no labels `reversed`: `uniform`, "
      "`degenerate`, `sequential` or `sorted`";
  const std::string no_gpu = " block=256: needs a GPU or a modelled one (-d cuda, -d simt)";
  EXPECT_THAT(predictions.left_out,
              ElementsAre(presorted + "reversed m=32" + no_labels, presorted + "reversed m=64" + no_labels,
                          "multireduce/cpu_sequential: not among the config's `loops`",
                          atomic + "reversed m=32" + no_gpu, atomic + "reversed m=64" + no_gpu,
                          atomic + "uniform m=32" + no_gpu, atomic + "uniform m=64" + no_gpu));
}

// Of a loop of 5000 inputs 100 steps stand for all, or 101 in their place.
TEST_F(PredictionOf, EachIsMadeByAsManyStepsAsTheConfigSays) {
  plan("multireduce", R"("cpu_sequential")", R"("n": 5000, "m": 300)",
       R"("loops": {"cpu_sequential": "simple"}, "steps": 100)");
  cachesim::Machine file = machine("one");
  file.levels[0].bytes = 1024;
  const PredictedCase predicted = predict(config_, plan_, {file}, nullptr).cases.at(0);
  const auto ns = [&](std::uint64_t steps) {
    return cachesim::simulate(file, cachesim::Timing::serial, predicted.loop, steps).ns_per_input();
  };
  EXPECT_EQ(predicted.simulated.ns_per_input(), ns(100));
  EXPECT_NE(predicted.simulated.ns_per_input(), ns(101));
}

// Of two records of a case the first mode's stands first.
TEST_F(PredictionOf, ARunStandsBesideTheMachinesThatNoPaperHas) {
  plan("multireduce", R"("cpu_sequential")", R"("n": 1000, "m": [16, 32])",
       R"("loops": {"cpu_sequential": "simple"})");
  cachesim::Machine published = machine("published");
  published.published_as = "Old PC";
  StoredRun run;
  const std::string key = plan_.cells.at(1).cases.at(0).key();
  run.records = {{{"key", "another"}, {"ns_per_input", 7}},
                 {{"key", key}, {"ns_per_input", nullptr}},
                 {{"key", key}, {"ns_per_input", 2.5}},
                 {{"key", key}, {"ns_per_input", 9}}};
  const auto none = std::nullopt;
  EXPECT_THAT(measured(predict(config_, plan_, {machine("host"), published}, &run)),
              ElementsAre(none, none, std::optional(2.5), none));
  EXPECT_THAT(measured(predict(config_, plan_, {machine("host"), published}, nullptr)),
              ElementsAre(none, none, none, none));
}

// Of a paper's machine the numbers that are printed as such, of this device, in ns for each input.
TEST_F(PredictionOf, APapersNumberStandsBesideItsMachine) {
  folder_.write("results/papers/mine.csv",
                "figure,variant,device,n,type,operator,m,quantity,unit,relation,value,source\n"
                "fig1,multireduce/cpu_sequential,Old PC,1000,i32,sum,16,time_per_input,ns,<,9,page 1\n"
                "fig1,multireduce/cpu_sequential,Old PC,1000,i32,sum,16,time_per_input,ns,=,5,page 2\n"
                "fig1,multireduce/cpu_sequential,Old PC,1000,i32,sum,32,time,ms,=,7,page 3\n"
                "fig1,multireduce/cpu_sequential,Old PC,1000,i32,sum,32,time_per_input,ns,~,6,page 4\n"
                "fig1,multireduce/cpu_sequential,Old PC,1000,i32,sum,64,time_per_input,ns,>,8,page 5\n"
                "fig1,multireduce/cpu_sequential,New PC,1000,i32,sum,128,time_per_input,ns,=,4,page 6\n"
                "fig2,multireduce/cpu_sequential,Old PC,1000,i32,sum,64,time_per_input,ns,=,3,page 7\n");
  plan("multireduce", R"("cpu_sequential")", R"("n": 1000, "m": [16, 32, 64, 128])",
       R"("loops": {"cpu_sequential": "simple"})");
  config_.name = "mine/fig1";
  cachesim::Machine old = machine("old");
  old.published_as = "Old PC";
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder_.path());
  const Predictions predictions = predict(config_, plan_, {old, machine("host")}, nullptr);
  std::filesystem::current_path(before);
  const auto none = std::nullopt;
  EXPECT_THAT(measured(predictions),
              ElementsAre(std::optional(5.0), none, std::optional(6.0), none, none, none, none, none));
}

Case case_of(const std::string& variant, const Json& axes) {
  Case case_;
  case_.variant = find_variant(variant);
  case_.input.axes = axes;
  case_.input.n = 3000;
  case_.input.pair = &find_problem(case_.variant->problem)->pairs.front();
  case_.sizes.m = 700;
  for (const auto& [name, value] : std::vector<std::pair<const char*, Index>>{
           {"sort_bits", 4}, {"threshold_log2", 21}, {"digit_bits", 3}})
    if (variant.find("presorted") != variant.npos) case_.parameters.emplace_back(name, value);
  return case_;
}

TEST(PredictedLoop, HasTheCasesSizesAndTheKindsOrder) {
  const auto loop = [](const std::string& variant, const std::string& labels, LoopKind kind) {
    const cachesim::Loop loop = loop_of(case_of(variant, {{"labels", labels}}), kind);
    return fmt::format("{} {} n={} m={} bytes={} sorted by {} in {} dependent={} pages={}",
                       cachesim::loop_problem_names[std::size_t(loop.problem)],
                       cachesim::label_distribution_names[std::size_t(loop.labels)], loop.n, loop.m,
                       loop.value_bytes, loop.sort_bits, loop.digit_bits, loop.dependent, loop.page_bytes);
  };
  EXPECT_EQ(loop("multireduce/cpu_sequential", "uniform", LoopKind::simple),
            "multireduce uniform n=3000 m=700 bytes=4 sorted by 0 in 9 dependent=false pages=0");
  EXPECT_EQ(loop("multireduce/cpu_presorted", "sequential", LoopKind::presorted),
            "multireduce sequential n=3000 m=700 bytes=4 sorted by 4 in 3 dependent=false pages=0");
  EXPECT_EQ(loop("multiscan/cpu_presorted", "sorted", LoopKind::dependent_presorted),
            "multiscan sorted n=3000 m=700 bytes=4 sorted by 4 in 3 dependent=true pages=0");
  EXPECT_EQ(loop("gather/cpu_sequential", "degenerate", LoopKind::dependent),
            "gather degenerate n=3000 m=700 bytes=4 sorted by 0 in 9 dependent=true pages=0");
}

TEST(PredictedLoop, ThereMustBeOneInTheSimulator) {
  const std::string known = ": `uniform`, `degenerate`, `sequential` or `sorted`";
  const std::string simple = "multireduce/cpu_sequential";
  Case empty = case_of(simple, {{"labels", "sorted"}}),
       gather = case_of("gather/cpu_sequential", empty.input.axes);
  empty.input.n = 0;
  gather.parameters = case_of("multireduce/cpu_presorted", {}).parameters;
  const struct {
    Case case_;
    LoopKind kind;
    std::string why;
  } rows[] = {{case_of("reduce/cpu_openmp", {}), LoopKind::simple,
               "the simulator has no problem `reduce`: `multireduce`, `multiscan`, `scatter` or `gather`"},
              {case_of(simple, {{"labels", "reversed"}}), LoopKind::simple,
               "the simulator has no labels `reversed`" + known},
              {case_of(simple, {{"labels", {{"file", "my.pgm"}}}}), LoopKind::simple,
               "the simulator has no labels `{\"file\":\"my.pgm\"}`" + known},
              {case_of(simple, {{"labels", "sorted"}}), LoopKind::presorted,
               "a presorted loop has the parameter `sort_bits`, which multireduce/cpu_sequential has not"},
              {empty, LoopKind::simple, "the simulator has no loop without inputs"},
              {gather, LoopKind::presorted, "the simulator has no gather after a sort"}};
  for (const auto& row : rows) EXPECT_EQ(usage_error([&] { loop_of(row.case_, row.kind); }), row.why);
}

// Labels below m have ceil(log2 m) bits.
TEST(PredictedLoop, SortByAsManyBitsAsAreAskedForAndThere) {
  const Index threshold = Index(1) << 21;
  const auto bits = [](Index m, Index asked, Index threshold_log2 = 21) {
    Case case_ = case_of("multireduce/cpu_presorted", {{"labels", "degenerate"}});
    case_.sizes.m = m;
    case_.parameters = {{"digit_bits", 7}, {"threshold_log2", threshold_log2}, {"sort_bits", asked}};
    return loop_of(case_, LoopKind::presorted).sort_bits;
  };
  // None is asked for: none below the threshold, and from there on all but 18.
  EXPECT_EQ(bits(1, 0), 0);
  EXPECT_EQ(bits(threshold - 1, 0), 0);
  EXPECT_EQ(bits(threshold, 0), 3);
  EXPECT_EQ(bits(threshold + 1, 0), 4);
  EXPECT_EQ(bits(threshold, 0, 22), 0);
  EXPECT_EQ(bits(Index(1) << 19, 0, 19), 1);
  // So many are asked for, at any m.
  EXPECT_EQ(bits(700, 1), 1);
  EXPECT_EQ(bits(700, 11), 10);
  EXPECT_EQ(bits(513, 32), 10);
  EXPECT_EQ(bits(1, 5), 0);
  EXPECT_EQ(bits(threshold + 1, 22), 22);
}

// In percent of what was measured, and their mean without signs over the cases of a machine and a model.
TEST(PredictionError, IsOfWhatWasMeasured) {
  const auto predicted = [](const char* machine, CacheModel model, double ns,
                            std::optional<double> measured) {
    PredictedCase case_;
    case_.machine = machine;
    case_.model = model;
    case_.simulated.n = 100;
    case_.simulated.phases = {{"clear", 10 * ns, {}}, {"loop", 90 * ns, {}}};
    case_.measured_ns = measured;
    return case_;
  };
  const CacheModel serial = CacheModel::serial, translated = CacheModel::translated;
  Predictions predictions;
  predictions.cases = {predicted("a", serial, 3, 4),  predicted("a", serial, 6, 4),
                       predicted("a", serial, 8, {}), predicted("a", translated, 9, 10),
                       predicted("b", serial, 1, 5),  predicted("b", translated, 1, {}),
                       predicted("b", serial, 1, 0.0)};
  EXPECT_NEAR(predictions.cases[0].error_percent().value(), -25, 1e-9);
  EXPECT_NEAR(predictions.cases[1].error_percent().value(), 50, 1e-9);
  std::string text;
  for (const MeanError& mean : mean_errors(predictions))
    text +=
        fmt::format("{} {} {:.6g}\n", mean.machine, cache_model_names[std::size_t(mean.model)], mean.percent);
  EXPECT_EQ(text, "a serial 37.5\na translated 10\nb serial 80\n");
}

}  // namespace
}  // namespace redbench
