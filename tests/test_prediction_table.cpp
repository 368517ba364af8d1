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
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_THAT(table.rows[0], ElementsAre("multireduce/cpu_sequential", "100", "16", "uniform", "small",
                                         "serial", "3.00", "4.00", "-25", "0.0500", "", ""));
  EXPECT_THAT(table.rows[1], ElementsAre("multireduce/cpu_sequential", "100", "16", "uniform", "large",
                                         "serial", "2.00", "", "", "0.0400", "0.0200", "25.0"));
}

}  // namespace
}  // namespace redbench
