// The rows of tables in full, for programs: each field under its own name.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "src/tables/full_rows.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using Cells = std::vector<std::pair<std::string, std::string>>;

/// A line of CSV, whose quotes are around whole fields.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') fields.back() += line[++i];
    else if (line[i] == '"') quoted = !quoted;
    else if (line[i] == ',' && !quoted) fields.emplace_back();
    else fields.back() += line[i];
  }
  return fields;
}

/// The cells of each row that are not empty, with their columns.
std::vector<Cells> rows_of(const std::string& table) {
  std::istringstream stream(table);
  std::string line;
  std::getline(stream, line);
  const std::vector<std::string> names = fields_of(line);
  std::vector<Cells> rows;
  while (std::getline(stream, line)) {
    const std::vector<std::string> fields = fields_of(line);
    EXPECT_EQ(fields.size(), names.size()) << line;
    Cells& row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i)
      if (!fields[i].empty()) row.emplace_back(names[i], fields[i]);
  }
  return rows;
}

std::vector<PublishedNumber> published_numbers(const std::string& lines) {
  const TemporaryFolder folder;
  const std::string header =
      "figure,variant,device,n,type,operator,block,quantity,unit,relation,value,source\n";
  return read_published(folder.write("paper.csv", header + lines), "t");
}

TEST(FullRows, HaveEveryFieldAndOfListsWhatOneCellHolds) {
  Record first = timed("reduce/a", 16, 1000.0625, 990, 1010);
  first["launches"] = {launch_of(61440), launch_of(120)};
  first["counters"] = {{"block_barriers", 7}};
  first["launches"][0]["counters"] = {{"block_barriers", 5}};
  first["launches"][1]["counters"] = {{"block_barriers", 2}};
  first["launches"][0]["lines"] = Json::array();
  first["clocks"] = {{"sm_mhz", 1980}, {"throttled_by", {"power", "heat"}}};
  first["parameters"]["loads"] = 3;
  Record second = record_of("reduce/b", 32, "wrong");
  second["axes"] = {{"values", {{"file", "x.npy"}}}};
  second["reason"] = "a, \"b\"";
  const std::vector<Record> records{completed(first), completed(second)};
  const std::vector<PublishedNumber> numbers = published_numbers(
      "t,reduce/a,G,16,i32,sum,,time,us,=,1.5,T1\n"
      "t,reduce/b,G,32,i32,sum,,time,us,<,2,T1\n"
      "t,reduce/b,G,32,i32,sum,,blocks,blocks,=,2,T1\n");
  const std::string table = comma_separated(records, numbers);
  EXPECT_EQ(
      table.substr(0, table.find('\n')),
      "schema,case,session,key,variant,problem,n,type,operator,values,block,loads,seed,device,hardware,mode,"
      "outcome,reason,time_ns,time_low_ns,time_high_ns,noise_percent,clock_tick_ns,forks,stopped,graph_"
      "copies,"
      "graph_bytes,graph_beyond_l2,bandwidth_gb_per_s,ns_per_input,percent_of_ceiling,above_ceiling,"
      "ceiling_read_gb_per_s,ceiling_read_by,ceiling_mix_gb_per_s,ceiling_mix_by,ceiling_copy_gb_per_s,"
      "ceiling_write_gb_per_s,clocks_sm_mhz,clocks_throttled_by,empty_sample_ns,energy_nj_per_input,energy_"
      "mj,"
      "energy_runs,energy_missing,launch_gap_hidden,queue_slot_ns,percent_of_scattered,scattered_reads_per_"
      "ns,"
      "scattered_atomics_per_ns,sm_clock_mhz,samples_repeated,samples_slow,bytes_read,bytes_written,error,"
      "error_bound,chain,scratch_bytes,kernel_per_launch,blocks_per_launch,threads_per_launch,"
      "shared_bytes_per_launch,cooperative_per_launch,registers_per_launch,local_bytes_per_launch,"
      "resident_blocks_per_launch,occupancy_per_launch,limiter_per_launch,bytes_read_per_launch,"
      "bytes_written_per_launch,time_ns_per_launch,read_gb_per_s_per_launch,sectors_per_launch,"
      "sectors_per_ideal_per_launch,wavefronts_per_launch,conflicts_per_launch,active_lanes_per_launch,"
      "divergent_percent_per_launch,unpredicable_percent_per_launch,barriers_per_launch,library,block_"
      "barriers,"
      "sectors,sectors_ideal,sectors_per_ideal,wavefronts,conflicts,active_lanes,divergent_percent,"
      "unpredicable_percent,barriers,global_atomic_degree_per_request,shared_atomic_degree_per_request,"
      "lanes_per_request,global_load_lanes_per_request,global_store_lanes_per_request,"
      "global_atomic_lanes_per_request,shared_load_lanes_per_request,shared_store_lanes_per_request,"
      "shared_atomic_lanes_per_request,kernel_file,source_hash,measured_by,measuring_hash,built_by,samples,"
      "stale,"
      "published_time_ns (G)");
  const std::vector<Cells> rows = rows_of(table);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (Cells{{"schema", "1"},
                            {"session", "0"},
                            {"key", "reduce/a n=16"},
                            {"variant", "reduce/a"},
                            {"problem", "reduce"},
                            {"n", "16"},
                            {"type", "i32"},
                            {"operator", "sum"},
                            {"values", "uniform"},
                            {"block", "256"},
                            {"loads", "3"},
                            {"seed", "1"},
                            {"device", "cuda:0"},
                            {"hardware", "NVIDIA Test"},
                            {"mode", "cold"},
                            {"outcome", "passed"},
                            {"time_ns", "1000.0625"},
                            {"time_low_ns", "990.0"},
                            {"time_high_ns", "1010.0"},
                            {"forks", "1"},
                            {"bandwidth_gb_per_s", "0.0679957502656084"},
                            {"ns_per_input", "62.50390625"},
                            {"percent_of_ceiling", "50.0"},
                            {"clocks_sm_mhz", "1980"},
                            {"clocks_throttled_by", "power; heat"},
                            {"bytes_read", "64.0"},
                            {"bytes_written", "4.0"},
                            {"scratch_bytes", "0"},
                            {"kernel_per_launch", "tree; tree"},
                            {"blocks_per_launch", "61440; 120"},
                            {"threads_per_launch", "256; 256"},
                            {"shared_bytes_per_launch", "1024; 1024"},
                            {"cooperative_per_launch", "false; false"},
                            {"resident_blocks_per_launch", "8; 8"},
                            {"occupancy_per_launch", "1.0; 1.0"},
                            {"limiter_per_launch", "warps; warps"},
                            {"bytes_read_per_launch", "4096.0; 4096.0"},
                            {"bytes_written_per_launch", "64.0; 64.0"},
                            {"sectors_per_launch", "0; 0"},
                            {"wavefronts_per_launch", "0; 0"},
                            {"conflicts_per_launch", "0; 0"},
                            {"barriers_per_launch", "5; 2"},
                            {"library", "false"},
                            {"block_barriers", "7"},
                            {"sectors", "0"},
                            {"sectors_ideal", "0"},
                            {"wavefronts", "0"},
                            {"conflicts", "0"},
                            {"barriers", "7"},
                            {"source_hash", "abc"},
                            {"samples", "3"},
                            {"stale", "kernel gone; measured by an unknown version"},
                            {"published_time_ns (G)", "1500.0"}}));
  EXPECT_EQ(rows[1], (Cells{{"schema", "1"},
                            {"session", "0"},
                            {"key", "reduce/b n=32"},
                            {"variant", "reduce/b"},
                            {"problem", "reduce"},
                            {"n", "32"},
                            {"type", "i32"},
                            {"operator", "sum"},
                            {"values", "x.npy"},
                            {"block", "256"},
                            {"seed", "1"},
                            {"device", "cuda:0"},
                            {"hardware", "NVIDIA Test"},
                            {"mode", "cold"},
                            {"outcome", "wrong"},
                            {"reason", "a, \"b\""},
                            {"bytes_read", "128.0"},
                            {"bytes_written", "4.0"},
                            {"scratch_bytes", "0"},
                            {"library", "false"},
                            {"source_hash", "abc"},
                            {"stale", "kernel gone; measured by an unknown version"},
                            {"published_time_ns (G)", "<2000"}}));
  const std::string uncounted = comma_separated({records[1]}, {});
  EXPECT_EQ(
      uncounted.substr(0, uncounted.find('\n')),
      "schema,case,session,key,variant,problem,n,type,operator,values,block,seed,device,hardware,mode,"
      "outcome,"
      "reason,time_ns,time_low_ns,time_high_ns,noise_percent,clock_tick_ns,forks,stopped,graph_copies,"
      "graph_bytes,graph_beyond_l2,bandwidth_gb_per_s,ns_per_input,percent_of_ceiling,above_ceiling,"
      "ceiling_read_gb_per_s,ceiling_read_by,ceiling_mix_gb_per_s,ceiling_mix_by,ceiling_copy_gb_per_s,"
      "ceiling_write_gb_per_s,empty_sample_ns,energy_nj_per_input,energy_mj,energy_runs,energy_missing,"
      "launch_gap_hidden,queue_slot_ns,percent_of_scattered,scattered_reads_per_ns,scattered_atomics_per_ns,"
      "sm_clock_mhz,samples_repeated,samples_slow,bytes_read,bytes_written,error,error_bound,chain,"
      "scratch_bytes,kernel_per_launch,blocks_per_launch,threads_per_launch,shared_bytes_per_launch,"
      "cooperative_per_launch,registers_per_launch,local_bytes_per_launch,resident_blocks_per_launch,"
      "occupancy_per_launch,limiter_per_launch,bytes_read_per_launch,bytes_written_per_launch,"
      "time_ns_per_launch,read_gb_per_s_per_launch,library,kernel_file,source_hash,measured_by,measuring_"
      "hash,built_by,"
      "samples,stale")
      << "without columns of counts and of clocks, which it has not";
  EXPECT_TRUE(json_rows({records[1]}, {})
                  .starts_with("[\n {\n  \"schema\": 1,\n  \"case\": null,\n  \"session\": 0,\n"));
  EXPECT_TRUE(json_rows({records[1]}, {}).ends_with("\n }\n]\n"));
  Record named = records[1];
  named["hardware"] = "Gerät";
  EXPECT_NE(json_rows({named}, {}).find("\"Gerät\""), std::string::npos) << "as it was written";
}

}  // namespace
}  // namespace redbench
