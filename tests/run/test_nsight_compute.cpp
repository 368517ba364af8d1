// The counters of a GPU: what Nsight Compute wrote on an H200 (results/h200/counters/raw) becomes a record's.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "src/error.hpp"
#include "src/records/derived.hpp"
#include "src/run/nsight_compute.hpp"
#include "src/simt/counters.hpp"
#include "src/tables/profile_report.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

const std::string header =
    R"("ID","Kernel Name")"
    R"(,"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")"
    R"(,"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")"
    R"(,"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum","l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum")"
    R"(,"l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum","l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum")"
    R"(,"smsp__sass_inst_executed_op_shared_ld.sum","l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")"
    R"(,"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum","smsp__sass_inst_executed_op_shared_st.sum")"
    R"(,"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum")"
    R"(,"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum")"
    R"(,"smsp__sass_inst_executed_op_shared_atom.sum","l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")"
    R"(,"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom.sum")"
    "\n";

/// Two launches of `tree`, and one of another kernel between them.
std::string table() {
  const std::string tree = R"x("void redbench::<unnamed>::tree<redbench::Sum<int>>(const int *, long)")x";
  return "==PROF== Connected to process 7\n" + header +
         "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"\n" +
         "\"0\"," + tree +
         R"(,"1,024","4,096","8","8","2","3","4","5","6","7","0","9","10","11","n/a","13","14")" + "\n" +
         R"("1","fill","1","1","1","1","1","1","1","1","1","1","1","1","1","1","1","1","1")" + "\n\"2\"," +
         tree + R"(,"1","4","1","1","0","0","0","0","1","1","0","1","1","0","1","1","0")" + "\n";
}

Record record_of(const std::vector<std::string>& kernels) {
  Record record{{"key", "reduce/x"}, {"outcome", "passed"}, {"launches", Json::array()}};
  for (const std::string& kernel : kernels) record["launches"].push_back({{"kernel", kernel}});
  return record;
}

TEST(NsightCompute, EachCounterIsOfItsOwnColumns) {
  std::string row = "\"0\",\"f(int)\"";
  for (int i = 1; i <= 17; ++i) row += fmt::format(",\"{}\"", 1 << i);
  std::string blank = "\"\",\"\"";
  for (int i = 1; i <= 17; ++i) blank += ",\"\"";
  const std::vector<MeasuredLaunch> launches = read_ncu_table(header + blank + "\n" + row + "\n", "x.csv");
  ASSERT_EQ(launches.size(), 1u);
  const auto bits = [](std::initializer_list<int> columns) {
    Json sum = 0;
    for (const int column : columns) sum = sum.get<int>() + (1 << column);
    return sum;
  };
  const std::map<std::string, Json> expected{
      {"global_load_requests", bits({1})},      {"global_load_sectors", bits({2})},
      {"global_store_requests", bits({3})},     {"global_store_sectors", bits({4})},
      {"global_atomic_requests", bits({5, 6})}, {"global_atomic_sectors", bits({7, 8})},
      {"shared_load_requests", bits({9})},      {"shared_load_wavefronts", bits({10})},
      {"shared_load_conflicts", bits({11})},    {"shared_store_requests", bits({12})},
      {"shared_store_wavefronts", bits({13})},  {"shared_store_conflicts", bits({14})},
      {"shared_atomic_requests", bits({15})},   {"shared_atomic_wavefronts", bits({16})},
      {"shared_atomic_conflicts", bits({17})}};
  for (const auto& [name, value] : launches[0].counters.items()) {
    const auto found = expected.find(name);
    EXPECT_EQ(value, found == expected.end() ? Json() : found->second) << name;
  }
  EXPECT_EQ(launches[0].counters.size(), counter_names.size());
}

TEST(NsightCompute, ATableHasTheSumsOfEachLaunch) {
  const std::vector<MeasuredLaunch> launches = read_ncu_table(table(), "x.csv");
  ASSERT_EQ(launches.size(), 3u);
  EXPECT_EQ(launches[0].kernel, "tree");
  EXPECT_EQ(launches[1].kernel, "fill");
  const Json& first = launches[0].counters;
  EXPECT_EQ(first["global_load_requests"], 1024);
  EXPECT_EQ(first["global_load_sectors"], 4096);
  EXPECT_EQ(first["global_atomic_requests"], 2 + 3) << "reductions and atomics that return something";
  EXPECT_EQ(first["global_atomic_sectors"], 4 + 5);
  EXPECT_EQ(first["shared_load_wavefronts"], 7);
  EXPECT_EQ(first["shared_load_conflicts"], 0) << "none is a number";
  EXPECT_EQ(first["shared_store_conflicts"], 11);
  EXPECT_TRUE(first["shared_atomic_requests"].is_null()) << "n/a";
  EXPECT_EQ(first["shared_atomic_conflicts"], 14);
  EXPECT_TRUE(first["branches"].is_null()) << "not measured";
}

// Demanglers differ in the space before the arguments, and in what they call a namespace without a name.
TEST(NsightCompute, AKernelIsKnownByItsNameAlone) {
  std::string counts, blank = R"("","")";
  for (int i = 1; i <= 17; ++i) {
    counts += ",\"1\"";
    blank += ",\"\"";
  }
  for (const char* kernel :
       {"tree", "tree(int)", "tree (int)", "void a::tree  <int>(int)", "<unnamed>::tree <1>"}) {
    const std::string row = fmt::format("\"0\",\"{}\"{}\n", kernel, counts);
    const std::vector<MeasuredLaunch> launches = read_ncu_table(header + blank + "\n" + row, "x.csv");
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].kernel, "tree") << kernel;
  }
}

TEST(NsightCompute, LaunchesGoToTheirRecordsInOrder) {
  std::vector<Record> records{record_of({"tree"}), record_of({}), record_of({"tree"})};
  EXPECT_EQ(add_measured_counters(records, read_ncu_table(table(), "x.csv")), "");
  EXPECT_EQ(records[0]["launches"][0]["counters"]["global_load_sectors"], 4096);
  EXPECT_FALSE(records[1].contains("counters")) << "a library's launches are not known";
  EXPECT_EQ(records[2]["counters"]["global_load_sectors"], 4);

  std::vector<Record> both{record_of({"tree", "tree"})};
  EXPECT_EQ(add_measured_counters(both, read_ncu_table(table(), "x.csv")), "");
  EXPECT_EQ(both[0]["counters"]["global_load_sectors"], 4100);
  EXPECT_TRUE(both[0]["counters"]["shared_atomic_requests"].is_null()) << "one of them is not known";
}

TEST(NsightCompute, ARecordWhoseLaunchIsMissingGetsNone) {
  std::vector<Record> records{record_of({"tree", "other"})};
  EXPECT_EQ(add_measured_counters(records, read_ncu_table(table(), "x.csv")),
            "reduce/x: ncu has no launch of other for it");
  EXPECT_FALSE(records[0].contains("counters"));
}

// No ratio is made of what was not measured, and no table says 0 for it.
TEST(NsightCompute, WhatIsNotMeasuredIsNoZero) {
  Record record = record_of({"tree"});
  const Json shape{{"blocks", 4},      {"threads", 32},        {"shared_bytes", 0},
                   {"occupancy", 1.0}, {"resident_blocks", 2}, {"limiter", "blocks"}};
  for (const auto& [name, value] : shape.items()) record["launches"][0][name] = value;
  std::vector<Record> records{record};
  ASSERT_EQ(add_measured_counters(records, read_ncu_table(table(), "x.csv")), "");
  Json& counters = records[0]["counters"];
  add_derived_counts(counters);
  add_derived_counts(records[0]["launches"][0]["counters"]);
  EXPECT_EQ(counters["sectors"], 4096 + 8 + 9);
  for (const char* name :
       {"lanes_per_request", "sectors_per_ideal", "active_lanes", "divergent_percent", "wavefronts"})
    EXPECT_EQ(counters[name].is_null(), std::string(name) != "wavefronts") << name;
  const std::string report = profile_report(records[0], 8, [](const std::string&, int) { return ""; });
  EXPECT_NE(report.find("4096"), std::string::npos) << report;
  EXPECT_EQ(report.find("branches"), std::string::npos) << report;
}

TEST(NsightCompute, WhatIsNoTableIsRefused) {
  const auto error = [](const std::string& text) {
    return message_of<UsageError>([&] { read_ncu_table(text, "x.csv"); });
  };
  EXPECT_EQ(error("==ERROR== no permission"),
            "x.csv: no table of ncu's page `raw`: it starts with a row that has a `Kernel Name`");
  EXPECT_EQ(error("\"ID\",\"Kernel Name\"\n\"\",\"\"\n"),
            "x.csv: no column l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum");
  EXPECT_EQ(error(header + "\"\",\"\"\n\"0\",\"tree\"\n"), "x.csv: a row of 2 fields under a header of 19");
}

}  // namespace
}  // namespace redbench
