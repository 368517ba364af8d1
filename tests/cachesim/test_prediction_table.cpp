// The tables of redbench cachesim, of predictions whose counts are known.
#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include "src/cachesim/prediction.hpp"
#include "tests/golden.hpp"

namespace redbench {
namespace {

/// Of a machine with two levels of caches, then of one with one.
class PredictionTable : public testing::Test {
 protected:
  PredictionTable() {
    case_.variant = find_variant("multireduce/cpu_sequential");
    PredictedCase big, small;
    big.case_ = small.case_ = &case_;
    big.key = "b,\"x\"";
    big.machine = "big";
    big.model = CacheModel::translated;
    big.loop.n = big.simulated.n = 2048;
    big.loop.m = 1 << 20;
    big.loop.labels = cachesim::LabelDistribution::sorted;
    big.loop.page_bytes = 4096;
    big.measured_ns = 2;
    cachesim::Counts counts;
    counts.stores = 6144;
    counts.misses = {1024, 256};
    counts.write_backs = {512, 64};
    counts.prefetches = 2;
    counts.memory_lines = 4096;
    counts.walks = 8192;
    counts.tlb_load_misses = 3;
    big.simulated.phases = {{"loop", 3072, counts}};
    small.key = "a";
    small.machine = "small";
    small.model = CacheModel::overlapped;
    small.loop.n = small.simulated.n = 4096;
    small.loop.m = 16;
    small.loop.labels = cachesim::LabelDistribution::degenerate;
    small.loop.page_bytes = 8192;
    cachesim::Counts fewer;
    fewer.loads = 1;
    fewer.stores = 2048;
    fewer.misses = {256};
    fewer.write_backs = {0};
    fewer.memory_lines = 4;
    fewer.tlb_load_misses = 0.25;
    small.simulated.phases = {{"clear", 1536, {}}, {"loop", 512, fewer}};
    predictions_.cases = {big, small};
  }

  Case case_;
  Predictions predictions_;
};

TEST_F(PredictionTable, CsvQuotesNamesAndLeavesOpenWhatHasNoLoads) {
  EXPECT_EQ(prediction_csv(predictions_),
            "key,variant,n,m,labels,machine,model,ns_per_input,measured_ns_per_input,error_percent,"
            "loads_per_input,stores_per_input,misses_per_input_l1,misses_per_input_l2,"
            "write_backs_per_input_l1,write_backs_per_input_l2,prefetches_per_input,memory_lines_per_input,"
            "walks_per_input,tlb_load_miss_percent\n"
            "\"b,\"\"x\"\"\",multireduce/cpu_sequential,2048,1048576,sorted,big,translated,1.5,2.0,-25.0,"
            "0.0,3.0,0.5,0.125,0.25,0.03125,0.0009765625,2.0,4.0,\n"
            "a,multireduce/cpu_sequential,4096,16,degenerate,small,overlapped,0.5,,,"
            "0.000244140625,0.5,0.0625,,0.0,,0.0,0.0009765625,0.0,25.0\n");
}

// In a narrow window the misses of the outer levels go first, those of the TLB last.
TEST_F(PredictionTable, ForReadersHasAColumnForEachLevelOfTheMachineWithTheMost) {
  predictions_.left_out = {"b: no loop", "c: no machine"};
  const Table table = prediction_table(predictions_);
  std::string text;
  for (const Table::Column& column : table.columns)
    text += fmt::format("{}, {}, importance {}\n", column.name, column.is_number ? "number" : "text",
                        column.importance);
  for (const auto& row : table.rows) text += fmt::format("{}\n", fmt::join(row, " | "));
  expect_golden("cachesim/table.txt", fmt::format("{}{}\n", text, fmt::join(table.remarks, "\n")));
}

// A sort of several passes has phases of one name: count 10 + 30 of 4096 inputs, move 25 + 35.
TEST_F(PredictionTable, JsonHasAllForPrograms) {
  auto& phases = predictions_.cases[1].simulated.phases;
  phases.insert(phases.begin(), {{"count", 10, {}}, {"move", 25, {}}, {"count", 30, {}}, {"move", 35, {}}});
  predictions_.left_out = {"b: no loop"};
  Config config;
  config.name = "mine/fig1";
  config.title = "A title";
  config.caches = CachesOptions{};
  config.caches->models = {CacheModel::translated, CacheModel::serial};
  config.caches->steps = 77;
  cachesim::Machine big, small;
  big.name = "big";
  big.published_as = "Old PC";
  small.name = "small";
  const Json json = prediction_json(config, {big, small}, predictions_);
  EXPECT_EQ(json["cases"][1]["phases"]["count"], 40.0 / 4096);
  EXPECT_EQ(json["cases"][1]["phases"]["move"], 60.0 / 4096);
  expect_golden("cachesim/predictions.json", json.dump(1) + "\n");
}

}  // namespace
}  // namespace redbench
