// Predictions without loads, of several levels first, by names that a table must quote; and by how many steps
// each is made.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/predict/prediction_table.hpp"
#include "src/records/columns.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

/// Of a machine with two levels of caches, then of one with one.
class PredictionCorners : public testing::Test {
 protected:
  PredictionCorners() {
    case_.variant = find_variant("multireduce/cpu_sequential");
    PredictedCase big, small;
    big.one = small.one = &case_;
    big.key = "b,\"x\"";
    big.machine = "big";
    big.model = CacheModel::translated;
    big.loop.n = big.prediction.n = 2048;
    big.loop.m = 1 << 20;
    big.loop.labels = caches::Labels::sorted;
    big.loop.page_bytes = 4096;
    big.measured_ns = 2;
    caches::Counts counts;
    counts.stores = 6144;
    counts.misses = {1024, 256};
    counts.write_backs = {512, 64};
    counts.prefetches = 2;
    counts.memory_lines = 4096;
    counts.walks = 8192;
    counts.tlb_load_misses = 3;
    big.prediction.phases = {{"loop", 3072, counts}};
    small.key = "a";
    small.machine = "small";
    small.model = CacheModel::overlapped;
    small.loop.n = small.prediction.n = 4096;
    small.loop.m = 16;
    small.loop.labels = caches::Labels::degenerate;
    small.loop.page_bytes = 8192;
    caches::Counts fewer;
    fewer.loads = 1;
    fewer.stores = 2048;
    fewer.misses = {256};
    fewer.write_backs = {0};
    fewer.memory_lines = 4;
    fewer.tlb_load_misses = 0.25;
    small.prediction.phases = {{"clear", 1536, {}}, {"loop", 512, fewer}};
    predictions_.cases = {big, small};
  }

  Case case_;
  Predictions predictions_;
};

TEST_F(PredictionCorners, CsvQuotesNamesAndLeavesOpenWhatHasNoLoads) {
  EXPECT_EQ(prediction_csv(predictions_),
            "key,variant,n,m,labels,machine,model,ns_per_input,measured_ns_per_input,error_percent,"
            "loads_per_input,stores_per_input,misses_per_input_l1,misses_per_input_l2,"
            "write_backs_per_input_l1,write_backs_per_input_l2,prefetches_per_input,memory_lines_per_input,"
            "walks_per_input,tlb_load_miss_percent\n"
            "\"b,\"\"x\"\"\",multireduce/cpu_sequential,2048,1048576,sorted,big,translated,1.5,2.0,-25.0,"
            "0.0,3.0,0.5,0.125,0.25,0.03125,0.0009765625,2.0,4.0,\n"
            "a,multireduce/cpu_sequential,4096,16,degenerate,small,overlapped,0.5,,,"
            "0.000244140625,0.5,0.0625,,0.0,,0.0,0.0009765625,0.0,25.0\n");
  EXPECT_EQ(prediction_csv({}), "\n");
}

TEST_F(PredictionCorners, ATableSaysSizesAndModelsByName) {
  const Table table = prediction_table(predictions_);
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0], ElementsAre("multireduce/cpu_sequential", "2Ki", "1Mi", "sorted", "big",
                                         "translated", "1.50", "2.00", "-25", "0.5000", "0.1250", ""));
  EXPECT_THAT(table.rows[1], ElementsAre("multireduce/cpu_sequential", "4Ki", "16", "degenerate", "small",
                                         "overlapped", "0.500", "", "", "0.0625", "", "25.0"));
  EXPECT_THAT(table.remarks, ElementsAre("big, translated: mean absolute error 25 %",
                                         "misses: per input, all phases together"));
}

std::string phases_of(const caches::Prediction& prediction) {
  std::string text;
  for (const caches::Phase& phase : prediction.phases)
    text += fmt::format("{} {} {} {}; ", phase.name, phase.ns, phase.counts.loads, phase.counts.stores);
  return text;
}

// The bugs: a case was made on another machine or by another model, or by more steps than the config says.
TEST(PredictionSteps, AreThoseOfTheConfigOnEachMachineByEachModel) {
  const std::string machine = R"({"title": "t", "source": "s", "memory_ns": 100,
    "levels": [{"name": "L1", "bytes": 1024, "ways": 4, "ns": )";
  const std::string more = R"(}], "translations": [
      {"page_bytes": 4096, "levels": [{"name": "T", "entries": 8, "ways": 4}], "walk_ns": 20}],
    "core": {"input_ns": 2, "forward_ns": 3, "misses": 4, "store_misses": 5, "window": 6, "stores": 7,
             "walks": 8, "line_ns": 9}})";
  const std::vector<MachineFile> machines{parse_machine("slow", machine + "3" + more, "slow"),
                                          parse_machine("fast", machine + "1" + more, "fast")};
  const TemporaryFolder folder;
  const std::string path = folder.write("c.json", R"({"experiments": [{"problem": "multireduce",
    "variants": "cpu_sequential", "axes": {"n": [5000, 6000], "m": 300}}],
    "caches": {"loops": {"cpu_sequential": "simple"}, "models": ["overlapped", "serial", "translated"],
               "steps": 100}})");
  OpenDevices open{"host"};
  const Config config = load_config(path, Target::host, {}, record_columns());
  const Plan plan = make_plan(config, open.devices());
  const Predictions predictions = predict(config, plan, machines, nullptr);
  ASSERT_EQ(predictions.cases.size(), 12u);
  std::size_t at = 0;
  for (const std::uint64_t n : {5000u, 6000u})
    for (const MachineFile& file : machines)
      for (const CacheModel model : {CacheModel::overlapped, CacheModel::serial, CacheModel::translated}) {
        const PredictedCase& one = predictions.cases[at++];
        EXPECT_EQ(one.machine, file.machine.name);
        EXPECT_EQ(one.model, model);
        EXPECT_EQ(one.loop.n, n);
        EXPECT_EQ(one.loop.page_bytes, model == CacheModel::serial ? 0u : 4096u);
        EXPECT_EQ(one.prediction.n, n);
        const auto kind = model == CacheModel::overlapped ? caches::Model::overlapped : caches::Model::serial;
        EXPECT_EQ(phases_of(one.prediction), phases_of(caches::predict(file.machine, kind, one.loop, 100)));
        EXPECT_NE(phases_of(one.prediction), phases_of(caches::predict(file.machine, kind, one.loop, 101)));
      }
}

}  // namespace
}  // namespace redbench
