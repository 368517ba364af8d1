// Tables from records: what is shown, in which unit and in how many digits, and that a case that is not right
// shows no time.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/records/fields.hpp"
#include "src/records/provenance.hpp"
#include "src/simt/counters.hpp"
#include "src/tables/case_table.hpp"
#include "src/tables/full_rows.hpp"
#include "src/tables/level_table.hpp"
#include "src/tables/marks.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/run_tables.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using Texts = std::vector<std::string>;

Texts names_of(const Table& table) {
  Texts names;
  for (const Table::Column& column : table.columns) names.push_back(column.name);
  return names;
}

/// The cell of a row under a heading.
std::string cell(const Table& table, std::size_t row, const std::string& heading) {
  const Texts names = names_of(table);
  const auto found = std::find(names.begin(), names.end(), heading);
  if (found == names.end()) return "no column `" + heading + "`";
  return table.rows[row][std::size_t(found - names.begin())];
}

Record counted(const std::string& variant, const Json& counters) {
  Record record = record_of(variant);
  record["device"] = "simt:h200";
  record["counters"] = counters;
  return completed(record);
}

/// What the paper's file says of the figure.
std::vector<PublishedNumber> published(const std::string& lines, const std::string& header_axes = "") {
  const TemporaryFolder folder;
  const std::string header =
      "figure,variant,device,n,type,operator," + header_axes + "quantity,unit,relation,value,source\n";
  return read_published(folder.write("paper.csv", header + lines), "t");
}

TEST(Numbers, FourDigitsWithoutPowersOfTen) {
  EXPECT_EQ(significant(1234567), "1234567");
  EXPECT_EQ(significant(3456.789), "3457");
  EXPECT_EQ(significant(12.3456), "12.35");
  EXPECT_EQ(significant(9.99996), "10.00") << "as many digits after rounding up";
  EXPECT_EQ(significant(0.0123456), "0.01235");
  EXPECT_EQ(significant(0.00001), "1.00e-05");
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(4382, 2), "4400");
}

TEST(Numbers, NoMoreDigitsThanTheIntervalBearsOut) {
  EXPECT_EQ(last_place(8.672, 8.224, 8.736), -2) << "0.512 wide";
  EXPECT_EQ(last_place(200.336, 200.16, 200.672), -1) << "four digits are enough";
  EXPECT_EQ(last_place(13253, 13053, 13599), 1) << "546 wide";
  EXPECT_EQ(last_place(13253, 13252, 13254), 0) << "whole digits stay";
  EXPECT_EQ(last_place(86.72, 81, 93), 0) << "12 wide, half of which has a digit less";
  EXPECT_EQ(last_place(5, 1, 900), 0) << "never less than the first digit";
  EXPECT_EQ(last_place(50, 45, 54.96), 0) << "9.96 wide, which is 10 in two digits";
  EXPECT_EQ(last_place(12.54, 0, 0), -1) << "no interval: three digits";
  EXPECT_EQ(last_place(13253, 0, 0), 2) << "no interval";
  EXPECT_EQ(rounded(13253, 1), "13250");
  EXPECT_EQ(rounded(8.672, -2), "8.67");
  EXPECT_EQ(digits_to(13253, 1), 4);
  EXPECT_EQ(digits_to(8.672, -2), 3);
}

TEST(Numbers, ThePapersOwnDigits) {
  EXPECT_EQ(as_printed(5280), "5280");
  EXPECT_EQ(as_printed(25.53), "25.53");
  EXPECT_EQ(as_printed(0.1 + 0.2), "0.3");
  EXPECT_EQ(as_printed(31457280), "31457280");
}

TEST(CaseTable, TimesIntervalsAndTheAxesThatVary) {
  const Table table = case_table(
      {timed("reduce/a", 1 << 20, 200336, 200160, 200672), timed("reduce/a", 1 << 21, 8672, 8224, 8736)}, {});
  EXPECT_EQ(names_of(table),
            (Texts{"variant", "n", "time (µs)", "interval (µs)", "effective bandwidth (GB/s)",
                   "time per input (ns)", "share of the measured ceiling (%)"}));
  EXPECT_EQ(table.rows[0], (Texts{"a", "1Mi", "200.3", "200.2 to 200.7", "20.94", "0.1911", "50.00"}));
  EXPECT_EQ(table.rows[1], (Texts{"a", "2Mi", "8.67", "8.22 to 8.74", "967", "0.00414", "50.0"}))
      << "three digits: the interval bears out no more";
  EXPECT_NE(table.caption.find("problem reduce  ·  type i32  ·  operator sum"), std::string::npos)
      << table.caption;
}

// What others imply goes first from a table that is too wide, what a paper prints late, the time never.
TEST(CaseTable, ColumnsGoInTheOrderOfWhatTheySay) {
  Record record = timed("reduce/a", 1 << 20, 200336, 200160, 200672);
  record["percent_of_scattered"] = 40.0;
  record["energy_nj_per_input"] = 0.5;
  record["error"] = 1e-9;
  record["error_bound"] = 1e-8;
  PublishedNumber number;
  number.field = &*std::ranges::find(case_fields(), "time_ns", &Field::name);
  number.variant = "reduce/a";
  number.device = "G";
  number.of_launch = false;
  number.relation = "=";
  number.value = 1e6;
  Record counted = record_of("reduce/a", 1 << 20);
  Json counters = Json::object();
  for (const std::string_view name : counter_names) counters[std::string(name)] = 8;
  counted["counters"] = counters;
  std::map<std::string, int> importance;
  for (const std::vector<Record>& records : {std::vector{record}, std::vector{completed(counted)}})
    for (const Table::Column& column : case_table(records, {number}).columns)
      importance[column.name] = column.importance;
  const std::vector<std::string> order{"unpredicable divergent branches (%)",
                                       "error bound",
                                       "error",
                                       "barriers (waits of warps)",
                                       "time per input (ns)",
                                       "interval (µs)",
                                       "active lanes (of 32)",
                                       "shared memory (wavefronts)",
                                       "divergent branches (%)",
                                       "bank conflicts (wavefronts)",
                                       "sectors touched (per ideal sector)",
                                       "time (µs), G, published",
                                       "energy per input (nJ)",
                                       "against an atomic per input (%)",
                                       "share of the measured ceiling (%)",
                                       "effective bandwidth (GB/s)",
                                       "variant",
                                       "time (µs)"};
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_TRUE(importance.contains(order[i])) << order[i];
    if (i > 0) {
      EXPECT_LT(importance[order[i - 1]], importance[order[i]]) << order[i];
    }
  }
}

TEST(CaseTable, NanosecondsAreShownAsMicroseconds) {
  const Table table =
      case_table({timed("reduce/a", 16, 800, 799.9, 800.1), timed("reduce/b", 16, 1000, 999.9, 1000.1),
                  timed("reduce/c", 16, 2000, 1999.9, 2000.1)},
                 {});
  EXPECT_EQ(cell(table, 0, "time (µs)"), "0.8000");
  EXPECT_EQ(cell(table, 1, "time (µs)"), "1.000");
  EXPECT_EQ(cell(table, 2, "interval (µs)"), "2.000 to 2.000");
}

TEST(CaseTable, WithoutAnIntervalThreeDigits) {
  Record record = timed("reduce/a", 1024, 2000, 0, 0);
  record["time_low_ns"] = record["time_high_ns"] = nullptr;
  const Table table = case_table({record}, {});
  EXPECT_EQ(cell(table, 0, "time (µs)"), "2.00");
  EXPECT_EQ(names_of(table)[2], "effective bandwidth (GB/s)") << "an interval that no case has is no column";
}

TEST(CaseTable, AParameterIsAColumnWhereOneVariantTakesItAtSeveralValues) {
  Record a = timed("reduce/a", 16, 1, 1, 1), b = timed("reduce/b", 16, 1, 1, 1);
  b["parameters"]["block"] = 512;
  EXPECT_EQ(case_table({a, b}, {}).columns[1].name, "time (µs)") << "two defaults are no axis";
  Record swept = a;
  swept["parameters"]["block"] = 128;
  EXPECT_EQ(case_table({a, swept}, {}).columns[1].name, "block");
}

TEST(CaseTable, AWrongCaseHasItsReasonAndNoTime) {
  Record wrong = timed("reduce/b", 16, 777, 700, 800);  // whatever its record says
  wrong["counters"] = {{"block_barriers", 777}};
  wrong["launches"] = {launch_of(1)};
  wrong["launches"][0]["time_ns"] = 777;
  wrong["outcome"] = "wrong";
  wrong["reason"] = "result[0] is 0";
  const std::vector<Record> records{timed("reduce/a", 16, 1000, 990, 1010), completed(wrong)};
  const Table table = case_table(records, {});
  EXPECT_EQ(table.rows[1], (Texts{"b", "", "", "", "", "", "wrong [1]"}));
  EXPECT_EQ(table.notes, Texts{"result[0] is 0"});
  StoredRun run{"", Json::object(), records};
  const RunTables tables = make_tables(run, {});
  for (const std::string& text : {tables.csv, tables.markdown, tables.json, tables.terminal})
    EXPECT_EQ(text.find("777"), std::string::npos) << text;
}

// What stands in a trace is not checked when records are read.
TEST(LevelTable, AnAccessThatDoesNotTellItsLanesIsNone) {
  Record record = record_of("reduce/a");
  record["trace"] = {{{"level", 0}, {"lanes", 32}, {"cache_lines", 2}},
                     {{"level", 1}, {"cache_lines", 2}},
                     {{"level", 2}, {"lanes", 32}},
                     {{"lanes", 32}, {"cache_lines", 2}},
                     "level"};
  EXPECT_EQ(level_table({record}).rows, (std::vector<Texts>{{"reduce/a", "0", "32", "2"}}));
  EXPECT_EQ(markdown(level_table({record})),
            "| variant | level | accesses | transfers |\n"
            "| --- | ---: | ---: | ---: |\n"
            "| reduce/a | 0 | 32 | 2 |\n");
  record["trace"] = {{"first", {{"level", 0}, {"lanes", 32}, {"cache_lines", 2}}}};
  EXPECT_TRUE(level_table({record}).rows.empty()) << "no list of accesses";
}

/// Rows with all marks.
Table marked(const std::vector<Record>& records) {
  Table table = case_table(records, {});
  mark_rows(table, records);
  return table;
}

/// A row that is not stale, of two forks, without a mark.
Record clean(const std::string& variant) {
  Record record = timed(variant, 16, 1000, 999, 1001);
  add_provenance(record, *find_variant(variant), Target::cuda);
  record["forks"] = 2;
  record["stopped"] = "precise";
  record["launch_gap_hidden"] = true;
  record["queue_slot_ns"] = 950;
  record["samples_slow"] = 0;
  record["clocks"] = {{"sm_mhz", 1980}, {"throttled_by", Json::array()}};
  return record;
}

TEST(MarkedTable, MoreThanTheCeilingIsSaid) {
  Record above = clean("reduce/harris1");
  above["percent_of_ceiling"] = 103.21;
  const Table table = marked({above, clean("reduce/harris2")});
  EXPECT_EQ(cell(table, 0, "share of the measured ceiling (%)"), "103.2 [1]");
  EXPECT_EQ(cell(table, 1, "share of the measured ceiling (%)"), "50.00");
  EXPECT_EQ(table.notes, Texts{"above the measured ceiling: one of the two numbers is off"});
}

TEST(MarkedTable, AMissingEnergyHasItsReason) {
  std::vector<Record> records(3, clean("reduce/harris1"));
  records[0]["energy_nj_per_input"] = 0.0123456;
  records[1]["energy_missing"] = "the counter did not move";
  records[2]["energy_nj_per_input"] = 0.0678;
  const Table table = marked(records);
  EXPECT_EQ(cell(table, 0, "energy per input (nJ)"), "0.0123") << "known to 2 %";
  EXPECT_EQ(cell(table, 2, "energy per input (nJ)"), "0.068");
  EXPECT_EQ(cell(table, 1, "energy per input (nJ)"), " [1]");
  EXPECT_EQ(table.notes, Texts{"no energy: the counter did not move"});
}

TEST(MarkedTable, WhatDisturbedATimeStandsBesideIt) {
  std::vector<Record> records(9, clean("reduce/harris1"));
  records[1]["clocks"]["throttled_by"] = {"software power cap", "hardware slowdown"};
  records[2]["launch_gap_hidden"] = false;
  records[3]["samples_slow"] = 1;
  records[4]["stopped"] = "timeout";
  records[5]["stopped"] = "timeout";
  records[5]["clocks"]["throttled_by"] = {"software power cap", "hardware slowdown"};
  records[0]["graph_beyond_l2"] = true;
  records[6]["graph_beyond_l2"] = false;
  records[7]["queue_slot_ns"] = nullptr;
  records[8]["stopped"] = "forks_differ";
  const Table table = marked(records);
  std::vector<std::string> times;
  for (std::size_t i = 0; i < records.size(); ++i) times.push_back(cell(table, i, "time (µs)"));
  EXPECT_EQ(times, (Texts{"1.000", "1.000 [1]", "1.000 [3]", "1.000 [2]", "1.000 [5]", "1.000 [1] [5]",
                          "1.000 [7]", "1.000 [4]", "1.000 [6]"}));
  EXPECT_EQ(table.notes,
            (Texts{"the GPU was throttled: software power cap, hardware slowdown",
                   "some samples at less than 97 % of the cell's clock",
                   "with the host's launches: they could not be hidden",
                   "no costly place in the GPU's queue was found, so launches may be at it: up to 1 µs each",
                   "out of time before it was precise",
                   "each fork is as precise as asked, and they differ by more than that",
                   "the copies of the inputs are not more than five times the L2, which may hold some"}));
  EXPECT_EQ(table.remarks, Texts{});
}

// Whatever a case without a time says, there is nothing for it to stand beside.
TEST(MarkedTable, ACaseWithoutATimeHasNoMarkBesideIt) {
  Record wrong = clean("reduce/harris1"), stale = wrong;
  for (const char* field : {"time_ns", "time_low_ns", "time_high_ns"}) wrong[field] = nullptr;
  wrong["outcome"] = "wrong";
  wrong.update({{"stopped", "timeout"},
                {"launch_gap_hidden", false},
                {"samples_slow", 1},
                {"graph_beyond_l2", false},
                {"energy_missing", "the counter did not move"},
                {"percent_of_ceiling", 103.5}});
  wrong["clocks"]["throttled_by"] = {"software power cap"};
  stale = wrong;
  stale["source_hash"] = "0123456789abcdef";
  Record timed_one = clean("reduce/harris2");
  timed_one["energy_nj_per_input"] = 0.0123456;
  const Table table = marked({timed_one, wrong, stale});
  EXPECT_EQ(cell(table, 1, "time (µs)"), "");
  EXPECT_EQ(cell(table, 1, "energy per input (nJ)"), "");
  EXPECT_EQ(cell(table, 1, "share of the measured ceiling (%)"), "103.5");
  EXPECT_EQ(table.rows[1][0], "harris1");
  EXPECT_EQ(table.rows[2][0], "harris1 [1]") << "stale it may be";
  EXPECT_EQ(table.notes, Texts{"stale: kernel changed"});
}

TEST(MarkedTable, WhatManyRowsShareIsCountedUnderThem) {
  std::vector<Record> records(4, clean("reduce/harris1"));
  records[0]["stopped"] = records[1]["stopped"] = "max_samples";
  records[0]["noise_percent"] = 2.14;
  records[1]["noise_percent"] = 0.7;
  records[2]["noise_percent"] = 9;
  for (int i : {1, 2, 3}) records[std::size_t(i)]["forks"] = 1;
  records.push_back(record_of("reduce/harris1", 16, "unsupported"));
  const Table table = marked(records);
  EXPECT_EQ(table.remarks, (Texts{"Stopped at max_samples: 2 of 4 rows, noise up to 2.1 %.",
                                  "One fork: 3 of 4 rows, whose intervals speak of their process alone."}));
  Record alone = clean("reduce/harris1");
  alone["forks"] = 1;
  EXPECT_EQ(marked({alone, clean("reduce/harris2")}).remarks,
            Texts{"One fork: 1 of 2 rows, whose intervals speak of their process alone."});
}

TEST(MarkedTable, AStaleRowIsMarkedAtItsName) {
  Record stale = clean("reduce/harris1");
  stale["source_hash"] = "0123456789abcdef";
  const Table table = marked({clean("reduce/harris2"), stale});
  EXPECT_EQ(table.rows[0][0], "harris2");
  EXPECT_EQ(table.rows[1][0], "harris1 [1]");
  EXPECT_EQ(table.notes, Texts{"stale: kernel changed"});
}

TEST(CaseTable, ErrorsWhereRoundingExplainsAny) {
  Record exact = timed("reduce/a", 16, 1000, 999, 1001), rounding = timed("reduce/b", 16, 1000, 999, 1001);
  exact["error"] = exact["error_bound"] = 0.0;
  rounding["error"] = 0.25;
  rounding["error_bound"] = 1.5;
  EXPECT_EQ(names_of(case_table({exact}, {})).back(), "share of the measured ceiling (%)");
  const Table table = case_table({exact, rounding}, {});
  EXPECT_EQ(cell(table, 0, "error bound"), "");
  EXPECT_EQ(cell(table, 1, "error bound"), "1.500");
}

TEST(CaseTable, CountsAreColumnsWhereAnyCaseHasThem) {
  const Table table = case_table({counted("reduce/a", {{"shared_load_wavefronts", 616950},
                                                       {"shared_load_conflicts", 431865},
                                                       {"block_barriers", 296},
                                                       {"warp_basic_blocks", 4},
                                                       {"warp_basic_block_lanes", 105}}),
                                  timed("reduce/b", 1024, 2000, 1990, 2010)},
                                 {});
  EXPECT_EQ(cell(table, 0, "global memory (sectors)"), "0");
  EXPECT_EQ(cell(table, 0, "shared memory (wavefronts)"), "616950");
  EXPECT_EQ(cell(table, 0, "bank conflicts (wavefronts)"), "431865");
  EXPECT_EQ(cell(table, 0, "active lanes (of 32)"), "26.25");
  EXPECT_EQ(cell(table, 0, "barriers (waits of warps)"), "296");
  EXPECT_EQ(cell(table, 0, "ideal (sectors)"), "0");
  EXPECT_TRUE(cell(table, 0, "outcome").starts_with("no column")) << "the caption says that all passed";
  EXPECT_TRUE(table.caption.ends_with("all passed")) << table.caption;
  EXPECT_EQ(cell(table, 1, "barriers (waits of warps)"), "");
  EXPECT_TRUE(cell(table, 0, "divergent branches (%)").starts_with("no column")) << "a ratio over nothing";
}

TEST(CaseTable, ThePapersNumbersStandBesideWithTheirRelation) {
  const std::vector<PublishedNumber> numbers = published(
      "t,reduce/a,Old GPU,16Mi,i32,sum,time,ms,=,5.28,T1\n"
      "t,reduce/b,Old GPU,,i32,sum,bandwidth,GB/s,~,104,T1\n"
      "t,reduce/a,Old GPU,16Mi,f32,sum,time,ms,=,7,T1\n"
      "u,reduce/a,Old GPU,16Mi,i32,sum,time,ms,=,8,T1\n"
      "t,reduce/a,Old GPU,16Mi,i32,sum,active_warps,per cycle,=,46,T1\n");
  const std::vector<Record> records{timed("reduce/a", 1 << 24, 8e4, 7.99e4, 8.01e4),
                                    timed("reduce/a", 1 << 25, 8e4, 7.99e4, 8.01e4),
                                    timed("reduce/b", 1 << 24, 8e4, 7.99e4, 8.01e4)};
  const Table table = case_table(records, numbers);
  const std::string time = "time (µs), Old GPU, published";
  EXPECT_EQ(cell(table, 0, time), "5280") << "5.28 ms in the unit of the column";
  EXPECT_TRUE(std::ranges::find(table.columns, time, &Table::Column::name)->is_number)
      << "aligned as numbers";
  EXPECT_EQ(cell(table, 1, time), "") << "another n";
  EXPECT_EQ(cell(table, 2, time), "") << "another variant";
  EXPECT_EQ(cell(table, 2, "effective bandwidth (GB/s), Old GPU, published"), "~ 104");
  const std::string csv = comma_separated(records, numbers);
  EXPECT_NE(csv.find("published_time_ns (Old GPU),published_bandwidth_gb_per_s (Old GPU)\n"),
            std::string::npos);
  EXPECT_NE(csv.find(",5280000.0,\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",,~104\n"), std::string::npos) << csv;
}

TEST(LaunchTable, LaunchesInTheirUnitsWithThePapersBeside) {
  Record record = timed("reduce/a", 30 << 20, 6e4, 5.9e4, 6.1e4);
  record["launches"] = {launch_of(1, 0), launch_of(61440, 1.25e8), launch_of(120)};
  record["launches"][1]["time_ns"] = 5e4;
  const std::vector<PublishedNumber> numbers = published(
      "t,reduce/a,Old GPU,31457280,i32,sum,1,blocks,blocks,<=,61440,T1\n"
      "t,reduce/a,Old GPU,31457280,i32,sum,2,blocks,blocks,=,120,T1\n"
      "t,reduce/a,Old GPU,31457280,i32,sum,,occupancy,%,=,94,T1\n"
      "t,reduce/a,Old GPU,31457280,i32,sum,,time,ms,=,5,T1\n",
      "launch,");
  const Table table = launch_table({completed(record)}, numbers);
  Texts launches, blocks, occupancies;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    launches.push_back(cell(table, row, "launch"));
    blocks.push_back(cell(table, row, "grid (blocks), Old GPU, published"));
    occupancies.push_back(cell(table, row, "occupancy (%), Old GPU, published"));
  }
  EXPECT_EQ(launches, (Texts{"0", "1", "2"})) << "one that reads nothing is none of the paper's";
  EXPECT_EQ(blocks, (Texts{"", "<= 61440", "120"}));
  EXPECT_EQ(occupancies, (Texts{"", "94", "94"}));
  EXPECT_EQ(cell(table, 1, "grid (blocks)"), "61440");
  EXPECT_EQ(cell(table, 1, "occupancy (%)"), "100.0");
  EXPECT_EQ(cell(table, 1, "time (µs)"), "50.00");
  EXPECT_EQ(cell(table, 1, "read (GB/s)"), "2500");
  EXPECT_EQ(cell(table, 2, "read (GB/s)"), "");
  EXPECT_TRUE(cell(table, 1, "time (µs), Old GPU, published").starts_with("no column"))
      << "that is the case's";
}

TEST(LaunchTable, AParameterDoesNotPassForAFieldOfTheLaunch) {
  Record seven = record_of("reduce/a"), eight = record_of("reduce/a");
  for (const auto& [record, threads] : {std::pair(&seven, 7), {&eight, 8}}) {
    (*record)["parameters"] = {{"threads", threads}};
    (*record)["launches"] = {launch_of(1)};
  }
  const Table table = launch_table({completed(seven), completed(eight)}, {});
  EXPECT_EQ(cell(table, 0, "threads"), "7");
  EXPECT_EQ(cell(table, 1, "threads"), "8");
  EXPECT_EQ(cell(table, 0, "block (threads)"), "256");
}

TEST(Tables, TextCannotBreakOne) {
  Record failed = record_of("reduce/a", 16, "failed");
  failed["axes"]["values"] = "x|y\nz.npy";
  failed["reason"] = "a | b\n# c";
  Record other = record_of("reduce/a", 16);
  const std::string text = markdown(case_table({failed, other}, {}));
  EXPECT_NE(text.find("| a | x\\|y\\nz.npy | failed [1] |\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n1. a | b\\n# c\n"), std::string::npos) << text;
}

TEST(Tables, ColumnsLineUpThoughUnitsAreNotAscii) {
  const Table table{.columns = {{"variant", false}, {"time (µs)", true}, {"± %", true}},
                    .rows = {{"reduce/a", "1.000", "0.12"}, {"b", "20.00", "0.50"}}};
  EXPECT_EQ(aligned(table, false),
            "           time\n"
            "variant    (µs)   ± %\n"
            "--------  -----  ----\n"
            "reduce/a  1.000  0.12\n"
            "b         20.00  0.50\n");
}

TEST(FullRows, EveryFieldInFull) {
  Record odd = timed("reduce/a", 16, 1000.0625, 990, 1010);
  odd["reason"] = "a, \"b\"";
  odd["launches"] = {launch_of(61440), launch_of(120)};
  odd["clocks"] = {{"sm_mhz", 1980}, {"throttled_by", {"power", "heat"}}};
  Record file = record_of("reduce/b", 16, "wrong");
  file["axes"] = {{"values", {{"file", "x.npy"}}}};
  const std::vector<Record> records{completed(odd), file};
  const std::string csv = comma_separated(records, {});
  EXPECT_NE(csv.find("1000.0625"), std::string::npos);
  EXPECT_NE(csv.find("\"a, \"\"b\"\"\""), std::string::npos) << csv;
  EXPECT_NE(csv.find(",61440; 120,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("power; heat"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",x.npy,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",samples,stale\n"), std::string::npos) << "their number, not the samples";
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);

  const Json rows = Json::parse(json_rows(records, {}));
  std::string header;
  for (const auto& [name, value] : rows[0].items()) header += (header.empty() ? "" : ",") + name;
  EXPECT_EQ(csv.substr(0, csv.find('\n')), header) << "the same columns";
  EXPECT_EQ(rows[0]["blocks_per_launch"], Json({61440, 120}));
  EXPECT_EQ(rows[0]["time_ns"], 1000.0625);
  EXPECT_EQ(rows[0]["samples"], 3);
  EXPECT_EQ(rows[1]["time_ns"], nullptr);
}

TEST(Published, MistakesAreNamedByLine) {
  for (const auto& [line, said] :
       {std::pair("t,reduce/a,G,16Mi,i32,sum,time,ms,=,fast,T1\n", ":2: value: a number"),
        {"t,reduce/a,G,16Mi,i32,sum,time,ms,=,12x,T1\n", ":2: value: a number is expected, not `12x`"},
        {"t,reduce/a,G,16Mi,i32,sum,time,ms,=,,T1\n", ":2: value: a number is expected, not ``"},
        {"t,reduce/a,G,16Mi,i32,sum,time,ms,=,1\n", ":2: 10 fields"},
        {"t,reduce/a,G,16Mi,i32,sum,time,ms,=,1,T1,x\n", ":2: 12 fields"},
        {"t,reduce/a,G,16Mi,i32,sum,time,ms,is,1,T1\n", ":2: relation: `=`"},
        {"t,reduce/a,G,16M,i32,sum,time,ms,=,1,T1\n", ":2: n: `16M` is not a size"},
        {"t,reduce/a,G,1,i32,sum,time,ms,=,1,\n", ":2: source"}}) {
    const std::string message = usage_error([&, text = line] { published(text); });
    EXPECT_NE(message.find(said), std::string::npos) << message;
  }
  const TemporaryFolder folder;
  const std::string path = folder.write("paper.csv", "figure,variant\n");
  EXPECT_NE(usage_error([&] { read_published(path, "t"); }).find("paper.csv:1: no column `device`"),
            std::string::npos);
}

TEST(Published, FieldsAreQuotedAsCsvHasIt) {
  const TemporaryFolder folder;
  const std::string path = folder.write(
      "p.csv",
      "figure,variant,device,n,type,operator,quantity,unit,relation,value,source\r\n"
      "1,reduce/a,\"the \"\"old\"\" GPU, of 2010\",16,i32,sum,time,us,=,\"5\",\"Table 1, \"\"left\"\"\"\r\n"
      "2,reduce/a,a GPU,\"\",i32,sum,time,ms,=,7,Table 1\n"
      "1,reduce/a,another,1Ki,i32,sum,time,ns,~,6,Table 1\n");
  const std::vector<PublishedNumber> numbers = read_published(path, "1");
  ASSERT_EQ(numbers.size(), 2u) << "of that figure";
  EXPECT_EQ(numbers[0].device, "the \"old\" GPU, of 2010");
  EXPECT_EQ(numbers[0].value, 5000) << "in ns";
  EXPECT_EQ(numbers[0].text(), "5") << "as it is printed";
  EXPECT_EQ(numbers[1].value, 6);
  EXPECT_EQ(numbers[1].text(), "~ 0.006");
  const PublishedNumber any_size = read_published(path, "2").at(0);
  EXPECT_EQ(any_size.value, 7e6);
  EXPECT_EQ(any_size.axes.size(), 2u) << "an empty field in quotes is empty";
}

TEST(Published, TheSlidesNumbersAsPrinted) {
  std::vector<std::pair<std::string, std::string>> printed;
  for (const PublishedNumber& number : published_for("slides/table"))
    printed.emplace_back(number.variant, number.text());
  EXPECT_EQ(printed, (std::vector<std::pair<std::string, std::string>>{{"reduce/harris1", "5280"},
                                                                       {"reduce/harris2", "2520"},
                                                                       {"reduce/harris3", "1880"},
                                                                       {"reduce/harris4", "990"},
                                                                       {"reduce/harris5", "650"},
                                                                       {"reduce/cpu_openmp", "2340"}}));
  EXPECT_TRUE(published_for("quick").empty());
  EXPECT_TRUE(published_for("nobody/fig1").empty());
}

TEST(RunTables, WhereAndWhenAndTwoFiles) {
  const TemporaryFolder folder;
  Record modelled = record_of("reduce/a"), host = timed("reduce/cpu", 1024, 2000, 1990, 2010);
  modelled["device"] = "simt:h200";
  modelled["hardware"] = "h200";
  host["device"] = "host";
  host["hardware"] = "Xeon";
  host["launches"] = {launch_of(1)};
  const StoredRun run{
      folder.path(),
      {{"name", "paper/fig1"}, {"started", "2024-05-06T07:08:09Z"}, {"config", {{"title", "A run"}}}},
      {modelled, completed(host)}};
  const RunTables tables = make_tables(run, {});
  EXPECT_TRUE(
      tables.markdown.starts_with("# A run\n\nsimt:h200, Xeon  ·  2024-05-06  ·  paper/fig1\n\n"
                                  "## simt:h200\n\nproblem reduce  ·  n 1Ki"))
      << tables.markdown;
  EXPECT_NE(tables.markdown.find("\n### Launches\n"), std::string::npos);
  EXPECT_EQ(write_tables(run, tables, false),
            (Texts{folder.path() + "/tables/fig1.csv", folder.path() + "/tables/fig1.md"}));
  EXPECT_EQ(write_tables(run, tables, true).back(), folder.path() + "/tables/fig1.json");
}

}  // namespace
}  // namespace redbench
