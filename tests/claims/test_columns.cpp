// Columns that only claims have: what follows from one record.
#include "src/claims/columns.hpp"

#include <gtest/gtest.h>

#include "tests/claims/claim_support.hpp"

namespace redbench {
namespace {

TEST(ClaimColumns, EachFollowsFromItsRecord) {
  struct {
    const char *changes, *column;
    Json value;
  } const cases[] = {
      {R"({"parameters": {"sets": 8}, "axes": {"m": 1024}})", "words", 8192},
      {R"({"parameters": {"sets": 8}})", "words", nullptr},
      {R"({"parameters": {"sets": 8, "sort_bits": 3}, "axes": {"m": 1024}})", "rest_bits", 10},  // 13 less 3
      {R"({"parameters": {"sets": 8}, "axes": {"m": 1024}})", "rest_bits", nullptr},
      {R"({"launches": [{"bytes_read": 1}, {"bytes_read": 0.5}, {"bytes_read": 0}]})", "passes", 2},
      // Of the accesses that are levels: 10 transfers for 20.
      {R"({"trace": [{"lanes": 32, "cache_lines": 1}, {"lanes": 16, "cache_lines": 6, "level": 0},
                     {"lanes": 4, "cache_lines": 4, "level": 1}]})",
       "transfers_per_access", 0.5},
      {R"({"trace": [{"lanes": 16, "level": 0}]})", "transfers_per_access", nullptr},
      {R"({"trace": [7, {"lanes": "many", "cache_lines": 8, "level": 0}]})", "transfers_per_access", nullptr},
      {R"({"result_digests": [["aa", "bb", "aa"], ["cc", "aa", "bb"]]})", "different_results", 3},
      {R"({"result_digests": [["aa"]]})", "different_results", nullptr},  // nothing to be the same as
      {R"({"predicted_ns_per_input": {"serial": 6, "overlapped": 3}, "ns_per_input": 4})",
       "serial_of_measured", 1.5},
      {R"({"predicted_ns_per_input": {"serial": "6"}, "ns_per_input": 4})", "serial_of_measured", nullptr},
      {R"({"counters": {"block_barriers": 7}})", "block_barriers", 7},
      {R"({"counters": {"branches": 200, "divergent_branches": 5}})", "nsight_divergent_percent", 2.5},
      {R"({"counters": {"branches": 200, "divergent_branches": 5}, "device": "simt:h200"})",
       "nsight_divergent_percent", nullptr},
      {R"({"counters": {"branches": 0, "divergent_branches": 0}})", "nsight_divergent_percent", nullptr},
      {R"({"bandwidth_gb_per_s": 1200, "hardware": "NVIDIA H200"})", "percent_of_data_sheet", 25},
      {R"({"bandwidth_gb_per_s": 1200, "hardware": "a new GPU"})", "percent_of_data_sheet", nullptr},
      {R"({})", "nothing", nullptr}};
  for (const auto& [changes, column, value] : cases) {
    Record record = fresh("reduce/harris3", 1.0);
    record.update(Json::parse(changes));
    EXPECT_EQ(column_of(record, column), value) << column << " of " << changes;
  }
}

// A variant alone is also called without its problem.
TEST(ClaimColumns, ARecordFitsByEachOfItsColumns) {
  Record record = fresh("reduce/harris3", 1.0, 1000);
  record["axes"]["labels"] = "zipf/1";
  record["parameters"] = {{"block", 256}};
  for (const auto& [where, fits] : {std::pair(Json::object(), true),
                                    {Json{{"variant", "reduce/harris3"}}, true},
                                    {Json{{"variant", "harris3"}}, true},
                                    {Json{{"variant", "reduce"}}, false},
                                    {Json{{"variant", {"harris2", "harris3"}}}, true},
                                    {Json{{"labels", "zipf/1"}}, true},
                                    {Json{{"block", {128, 256}}, {"n", 1000}}, true},
                                    {Json{{"block", 256}, {"n", 1001}}, false},
                                    {Json{{"sets", 8}}, false}})
    EXPECT_EQ(fits_where(record, where), fits) << where;
}

TEST(ClaimColumns, WhatFollowsTheTimeHasItsInterval) {
  for (const auto& [column, follows] : {std::pair("time_ns", Follows::time),
                                        {"ns_per_input", Follows::time},
                                        {"bandwidth_gb_per_s", Follows::against},
                                        {"percent_of_ceiling", Follows::against},
                                        {"percent_of_data_sheet", Follows::against},
                                        {"serial_of_measured", Follows::against},
                                        {"overlapped_of_measured", Follows::against},
                                        {"words", Follows::exact},
                                        {"passes", Follows::exact},
                                        {"different_results", Follows::exact},
                                        {"shared_load_conflicts", Follows::exact}})
    EXPECT_EQ(follows_time(column), follows) << column;
  for (const char* column : {"transfers_per_access", "sectors", "shared_load_conflicts", "divergent_percent"})
    EXPECT_TRUE(is_counted(column)) << column;
  for (const char* column : {"time_ns", "words", "passes", "n"}) EXPECT_FALSE(is_counted(column)) << column;
}

}  // namespace
}  // namespace redbench
