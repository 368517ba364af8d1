// The tables of redbench cachesim, of predictions whose counts are known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/predict/prediction_table.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;

/// Of 100 inputs on a machine with one level, which was measured, and on one with two levels and translation.
class PredictionTable : public testing::Test {
 protected:
  PredictionTable() {
    case_.variant = find_variant("multireduce/cpu_sequential");
    PredictedCase small;
    small.one = &case_;
    small.key = "a";
    small.machine = "small";
    small.loop.n = small.prediction.n = 100;
    small.loop.m = 16;
    PredictedCase large = small;
    caches::Counts counts;
    counts.loads = 300;
    counts.stores = 100;
    counts.misses = {5};
    counts.write_backs = {2};
    counts.memory_lines = 7;
    counts.prefetches = 1;
    small.prediction.phases = {{"clear", 50, {}}, {"loop", 250, counts}};
    small.measured_ns = 4;
    large.key = "b";
    large.machine = "large";
    large.loop.page_bytes = 4096;
    counts.loads = 200;
    counts.misses = {4, 2};
    counts.write_backs = {1, 0};
    counts.tlb_load_misses = 50;
    counts.walks = 3;
    large.prediction.phases = {{"loop", 200, counts}};
    predictions_.cases = {small, large};
  }

  Case case_;
  Predictions predictions_;
};

TEST_F(PredictionTable, CsvHasAColumnForEachLevelOfTheMachineWithTheMost) {
  EXPECT_EQ(prediction_csv(predictions_),
            "key,variant,n,m,labels,machine,model,ns_per_input,measured_ns_per_input,error_percent,"
            "loads_per_input,stores_per_input,misses_per_input_l1,misses_per_input_l2,"
            "write_backs_per_input_l1,write_backs_per_input_l2,prefetches_per_input,memory_lines_per_input,"
            "walks_per_input,tlb_load_miss_percent\n"
            "a,multireduce/cpu_sequential,100,16,uniform,small,serial,3.0,4.0,-25.0,"
            "3.0,1.0,0.05,,0.02,,0.01,0.07,0.0,\n"
            "b,multireduce/cpu_sequential,100,16,uniform,large,serial,2.0,,,"
            "2.0,1.0,0.04,0.02,0.01,0.0,0.01,0.07,0.03,25.0\n");
}

TEST_F(PredictionTable, EachNumberStandsBelowItsColumn) {
  const Table table = prediction_table(predictions_);
  std::vector<std::string> titles;
  for (const Table::Column& column : table.columns) titles.push_back(column.name);
  EXPECT_THAT(titles, ElementsAre("variant", "n", "m", "labels", "machine", "model", "predicted (ns)",
                                  "measured (ns)", "error (%)", "misses of level 1", "misses of level 2",
                                  "TLB misses (% of loads)"));
  std::vector<bool> numeric;
  for (const Table::Column& column : table.columns) numeric.push_back(column.is_number);
  EXPECT_THAT(numeric,
              ElementsAre(false, true, true, false, false, false, true, true, true, true, true, true));
  // In a narrow window the misses of the outer levels go first, those of the TLB last.
  std::vector<int> importance;
  for (const Table::Column& column : table.columns) importance.push_back(column.importance);
  EXPECT_THAT(importance, ElementsAre(1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 2, 1, 3));
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0], ElementsAre("multireduce/cpu_sequential", "100", "16", "uniform", "small",
                                         "serial", "3.00", "4.00", "-25", "0.0500", "", ""));
  EXPECT_THAT(table.rows[1], ElementsAre("multireduce/cpu_sequential", "100", "16", "uniform", "large",
                                         "serial", "2.00", "", "", "0.0400", "0.0200", "25.0"));
}

TEST_F(PredictionTable, ErrorsAndWhatIsLeftOutStandBelow) {
  predictions_.left_out = {"b: no loop", "c: no machine"};
  predictions_.cases[0].measured_ns = 4.2;  // 3 are 28.57 % less
  predictions_.cases[1].measured_ns = 0.625;
  EXPECT_THAT(error_lines(predictions_), ElementsAre("small, serial: mean absolute error 29 %",
                                                     "large, serial: mean absolute error 220 %"));
  predictions_.cases.push_back(predictions_.cases[0]);  // of the same machine and model
  predictions_.cases[1].model = CacheModel::translated;
  EXPECT_THAT(
      prediction_table(predictions_).remarks,
      ElementsAre("small, serial: mean absolute error 29 %", "large, translated: mean absolute error 220 %",
                  "misses: per input, all phases together", "left out: b: no loop",
                  "left out: c: no machine"));
}

TEST_F(PredictionTable, HasNoLevelsWithoutCases) {
  const Table table = prediction_table({});
  ASSERT_EQ(table.columns.size(), 10u);
  EXPECT_EQ(table.columns.back().name, "TLB misses (% of loads)");
  EXPECT_EQ(table.columns.back().importance, 1);
  EXPECT_TRUE(table.rows.empty());
  EXPECT_THAT(table.remarks, ElementsAre("misses: per input, all phases together"));
}

// A sort of several passes has phases of one name.
TEST_F(PredictionTable, JsonHasAllForPrograms) {
  PredictedCase& sorted = predictions_.cases[0];
  sorted.prediction.phases.insert(sorted.prediction.phases.begin(),
                                  {{"count", 10, {}}, {"move", 25, {}}, {"count", 30, {}}, {"move", 35, {}}});
  predictions_.left_out = {"b: no loop"};
  Config config;
  config.name = "mine/fig1";
  config.title = "A title";
  config.caches = CachesOptions{};
  config.caches->models = {CacheModel::overlapped, CacheModel::serial};
  config.caches->steps = 77;
  MachineFile small, large;
  small.machine.name = "small";
  small.published_as = "Old PC";
  large.machine.name = "large";
  const std::string empty =
      R"({"title":"","source":"","line_bytes":64,"levels":[],"memory_ns":0.0,"prefetch":"next_line",)"
      R"("scattered_frames":false,"translations":[],"unsure":[]})";
  EXPECT_EQ(prediction_json(config, {small, large}, predictions_).dump(),
            R"({"schema":1,"name":"mine/fig1","title":"A title","steps":77,"machines":[)"
            R"({"name":"small","published_as":"Old PC","machine":)" +
                empty + R"(},{"name":"large","published_as":"","machine":)" + empty +
                R"(}],"errors":[{"machine":"small","model":"serial","mean_absolute_percent":0.0}],"cases":[)"
                R"({"key":"a","variant":"multireduce/cpu_sequential","n":100,"m":16,"labels":"uniform",)"
                R"("machine":"small","model":"serial","ns_per_input":4.0,)"
                R"("phases":{"count":0.4,"move":0.6,"clear":0.5,"loop":2.5},)"
                R"("measured_ns_per_input":4.0,"error_percent":0.0,"loads_per_input":3.0,)"
                R"("stores_per_input":1.0,"misses_per_input":[0.05],"write_backs_per_input":[0.02],)"
                R"("prefetches_per_input":0.01,"memory_lines_per_input":0.07,"walks_per_input":0.0,)"
                R"("tlb_load_miss_percent":null},)"
                R"({"key":"b","variant":"multireduce/cpu_sequential","n":100,"m":16,"labels":"uniform",)"
                R"("machine":"large","model":"serial","ns_per_input":2.0,"phases":{"loop":2.0},)"
                R"("measured_ns_per_input":null,"error_percent":null,"loads_per_input":2.0,)"
                R"("stores_per_input":1.0,"misses_per_input":[0.04,0.02],"write_backs_per_input":[0.01,0.0],)"
                R"("prefetches_per_input":0.01,"memory_lines_per_input":0.07,"walks_per_input":0.03,)"
                R"("tlb_load_miss_percent":25.0}],"left_out":["b: no loop"]})");
}

}  // namespace
}  // namespace redbench
