// The tables of a run: what is in which, where they are written, and how wide they are.
#include "src/tables/run_tables.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <sstream>

#include "src/records/fields.hpp"
#include "src/tables/case_table.hpp"
#include "src/tables/text.hpp"
#include "src/text/csv.hpp"
#include "tests/golden.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"
#include "tests/tables/table_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

Json access(int level, int lanes, int cache_lines) {
  return {{"level", level}, {"lanes", lanes}, {"cache_lines", cache_lines}};
}

/// On a GPU a case with a time, one with a paper's number and a wrong one; on the modelled GPU one that is
/// counted and traced.
StoredRun every_table(const std::string& path) {
  Record first = timed("reduce/a", 1 << 20, 200336, 200160, 200672), second = first,
         wrong = record_of("reduce/b", 1 << 20, "wrong"), counted = record_of("reduce/b", 1 << 20);
  first["launches"] = {launch_of(61440), launch_of(120)};
  first["launches"][0]["time_ns"] = 5e4;
  first["clocks"] = {{"sm_mhz", 1980}, {"throttled_by", {"power", "heat"}}};
  second["parameters"] = {{"block", 512}, {"loads", 3}};
  second.update({{"time_low_ns", nullptr}, {"time_high_ns", nullptr}, {"error", 0.25}, {"error_bound", 1.5}});
  wrong["axes"] = {{"values", {{"file", "x.npy"}}}};
  wrong["reason"] = "a, \"b\"";
  counted.update(
      {{"device", "simt:h200"}, {"hardware", "h200"}, {"trace", {access(0, 32, 2), access(1, 16, 3)}}});
  counted["counters"] = {{"global_load_sectors", 30},
                         {"global_load_sectors_ideal", 12},
                         {"shared_load_wavefronts", 77},
                         {"shared_store_conflicts", 9},
                         {"warp_basic_blocks", 8},
                         {"warp_basic_block_lanes", 100},
                         {"branches", 40},
                         {"divergent_branches", 6},
                         {"predicable_divergent_branches", 4},
                         {"block_barriers", 7}};
  counted["launches"] = {launch_of(5)};
  counted["launches"][0]["counters"] = {{"block_barriers", 7}};
  return {path,
          {{"name", "p/f"}, {"started", "2024-05-06T07:08:09Z"}, {"config", {{"title", "A run"}}}},
          {completed(first), completed(second), completed(wrong), completed(counted)}};
}

/// A value of JSON as the CSV has it.
std::string cell_of(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value;
  if (!value.is_array()) return value.dump();
  Texts cells;
  for (const Json& entry : value) cells.push_back(cell_of(entry));
  return fmt::format("{}", fmt::join(cells, "; "));
}

// The columns of tables stand in this file alone.
TEST(RunTables, AreThoseOfTheGoldenFile) {
  const TemporaryFolder folder;
  const StoredRun run = every_table(folder.path());
  const std::vector<PublishedNumber> numbers = published(
      "t,reduce/a,G,1Mi,i32,sum,512,time,us,~,1.5,T1\nt,reduce/a,G,1Mi,i32,sum,,blocks,blocks,=,2,T1\n");
  const RunTables tables = make_tables(run, numbers, {.in_files = 0, .is_asked = true}, true);
  expect_golden("tables/run.txt", "== terminal\n" + tables.terminal + "\n== NAME.md\n" + tables.markdown +
                                      "\n== NAME.csv\n" + tables.levels_csv + "\n== NAME_cases.csv\n" +
                                      tables.csv);
  std::istringstream lines(tables.csv);
  const auto next_line = [&] {
    std::string line;
    std::getline(lines, line);
    return csv_fields(line);
  };
  const Texts columns = next_line();
  for (const Json& row : Json::parse(tables.json)) {
    Texts names, cells;
    for (const auto& [name, value] : row.items()) {
      names.push_back(name);
      cells.push_back(cell_of(value));
    }
    EXPECT_EQ(names, columns);
    EXPECT_EQ(cells, next_line());
  }
  const std::string in = folder.path() + "/tables/f", report = folder.path() + "/tables/report.json";
  EXPECT_EQ(write_tables(run, numbers, {}, true),
            (Texts{in + ".csv", in + "_cases.csv", in + ".md", in + ".json", report}));
  EXPECT_EQ(write_tables(StoredRun{folder.path(), run.facts, {run.records[0]}}, {}),
            (Texts{in + ".csv", in + ".md", report}))
      << "without levels";
}

TEST(RunTables, AreTheSameOfCountedSamples) {
  StoredRun run = every_table("");
  const std::string csv = make_tables(run, {}).csv;
  for (Record& record : run.records)
    for (Json& fork : record["samples_ns"]) fork = fork.size();
  EXPECT_EQ(make_tables(run, {}).csv, csv);
}

// Scripts find the texts and notes of a record by its key, mode and device.
TEST(RunTables, TheReportHasTheTextsOfTheTablesAndTheNotesOfEachRecord) {
  Record first = timed("reduce/a", 1 << 20, 200336, 200160, 200672), second = first;
  first["clocks"] = {{"throttled_by", {"power"}}};
  first["forks"] = second["forks"] = 1;
  second["n"] = 1 << 21;
  second.update({{"key", "other"}, {"stopped", "max_samples"}});
  const StoredRun run{"", {{"started", "2024-05-06T07:08:09Z"}}, {completed(first), completed(second)}};
  const Json report = Json::parse(make_tables(run, {}).report);
  EXPECT_EQ(report["date"], "2024-05-06");
  ASSERT_EQ(report["sections"].size(), 1u);
  const Json& section = report["sections"][0];
  EXPECT_EQ(section["records"], Json({{first["key"], "cold", "cuda:0"}, {"other", "cold", "cuda:0"}}));
  const char* const alone = "measured in one process";
  EXPECT_EQ(section["notes"][0], Json({"the GPU was throttled: power", alone}));
  EXPECT_EQ(section["notes"][1], Json({"stopped at max_samples", alone}));
  EXPECT_EQ(section["cases"]["columns"][2], Json({"time (µs)", true}));
  EXPECT_EQ(section["cases"]["rows"][0][2], "200.3") << "without a mark";
  EXPECT_EQ(section["launches"]["rows"].size() + section["levels"]["rows"].size(), 0u);
}

TEST(RunTables, OnlyLaunchesWhereThatIsAllThereIs) {
  Record record = record_of("reduce/a");
  record["launches"] = {launch_of(61440)};
  const auto shown = [&] {
    return make_tables(StoredRun{"", Json::object(), {completed(record)}}, {}).terminal;
  };
  EXPECT_THAT(shown(), HasSubstr("61440"));
  record["counters"] = {{"block_barriers", 7}};
  EXPECT_THAT(shown(), testing::Not(HasSubstr("61440"))) << "launches are in the file";
}

// What stands in a trace is not checked when records are read.
TEST(LevelTable, AnAccessWithoutItsLanesIsNone) {
  Record record = record_of("reduce/a");
  record["trace"] = {{{"level", 0}, {"lanes", 32}, {"cache_lines", 2}},
                     {{"level", 1}, {"cache_lines", 2}},
                     {{"level", 2}, {"lanes", 32}},
                     {{"lanes", 32}, {"cache_lines", 2}},
                     "level"};
  EXPECT_EQ(level_table(TableRecords(PackedRecords(std::vector{record})), {}).rows,
            (std::vector<Texts>{{"reduce/a", "0", "32", "2"}}));
  const std::vector<PublishedNumber> printed = published(
      "t,reduce/a,G,,,,1,transfers,transfers,=,3,T1\n"
      "t,reduce/a,G,,,,0,transfers,transfers,=,7,T1\n"
      "t,reduce/b,G,,,,0,transfers,transfers,=,8,T1\n",
      "level");
  EXPECT_EQ(level_table(TableRecords(PackedRecords(std::vector{record})), printed).rows,
            (std::vector<Texts>{{"reduce/a", "0", "32", "2", "7"}}));
  record["trace"] = {{"first", {{"level", 0}, {"lanes", 32}, {"cache_lines", 2}}}};
  EXPECT_TRUE(level_table(TableRecords(PackedRecords(std::vector{record})), {}).rows.empty())
      << "no list of accesses";
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, width_of(line));
  return widest;
}

TEST(WidthFlag, OfRunAndTables) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/out";
  const std::string run = "run configs/martin2012/table4.json -d simt:gtx480 -a n=1Ki -o " + out;
  EXPECT_LE(widest_line(redbench(run).text), 140u);
  const Answer narrow = redbench(run + " --replace --width 60");
  EXPECT_LE(widest_line(narrow.text.substr(0, narrow.text.find("passed;"))), 60u) << narrow.text;
  EXPECT_THAT(redbench("results --width 60 " + out).text, HasSubstr("Left out for a width of 60:"));
  EXPECT_EQ(redbench("tables --width=-1 " + out).exit_code, exit_usage);
}

}  // namespace
}  // namespace redbench
