// Tables of cases and launches: what is shown, in which unit and in how many digits, and that a case that is
// not right shows no time.
#include "src/tables/case_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/tables/run_tables.hpp"
#include "tests/record_support.hpp"
#include "tests/support.hpp"
#include "tests/tables/table_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

const std::string time_us = "time (µs)", interval_us = "interval (µs)",
                  bandwidth = "effective bandwidth (GB/s)", share = "share of the measured ceiling (%)";

TEST(CaseTable, ATimeHasTheDigitsThatItsIntervalBearsOut) {
  struct {
    double time, low, high;
    const char *text, *interval, *bandwidth;
  } const cases[] = {{200336, 200160, 200672, "200.3", "200.2 to 200.7", "20.94"},
                     {8672, 8224, 8736, "8.67", "8.22 to 8.74", "484"},
                     {800, 799.9, 800.1, "0.8000", "0.7999 to 0.8001", "5243"},
                     {2000, 0, 0, "2.00", "", "2100"}};  // no interval: three digits
  for (const auto& case_ : cases) {
    Record record = timed("reduce/a", 1 << 20, case_.time, case_.low, case_.high);
    if (case_.low == 0) record["time_low_ns"] = nullptr;  // half an interval is none
    const Table table = case_table({record}, {});
    EXPECT_EQ(cell(table, 0, time_us), case_.text);
    EXPECT_EQ(cell(table, 0, interval_us), *case_.interval ? case_.interval : no_column(interval_us));
    EXPECT_EQ(cell(table, 0, bandwidth), case_.bandwidth);
  }
}

TEST(CaseTable, AParameterIsAColumnWhereOneVariantTakesItAtSeveralValues) {
  Record a = timed("reduce/a", 16, 1, 1, 1), b = timed("reduce/b", 16, 1, 1, 1);
  b["parameters"]["block"] = 512;
  EXPECT_EQ(case_table({a, b}, {}).columns[1].name, "time (µs)") << "two defaults are no axis";
  Record swept = a;
  swept["parameters"]["block"] = 128;
  EXPECT_EQ(case_table({a, swept}, {}).columns[1].name, "block");
}

// An axis that some records lack is one of numbers where all that have it say so.
TEST(CaseTable, AnAxisThatSomeRecordsLackIsADash) {
  Record first = record_of("reduce/a"), second = record_of("reduce/b"), third = record_of("reduce/c");
  first["axes"].update({{"m", 16}, {"layout", "flat"}});
  third["axes"].update({{"m", 32768}, {"layout", 7}});
  EXPECT_EQ(markdown(case_table({first, second, third}, {})),
            "problem reduce  ·  n 1Ki  ·  type i32  ·  operator sum  ·  values uniform  ·  all passed\n\n"
            "| variant | m | layout |\n"
            "| --- | ---: | --- |\n"
            "| a | 16 | flat |\n"
            "| b | - | - |\n"
            "| c | 32Ki | 7 |\n");
}

TEST(CaseTable, AWrongCaseHasItsReasonAndNoTime) {
  Record wrong = timed("reduce/b", 16, 777, 700, 800);  // whatever its record says
  wrong["counters"] = {{"block_barriers", 777}};
  wrong["launches"] = {launch_of(1)};
  wrong["launches"][0]["time_ns"] = 777;
  wrong.update({{"outcome", "wrong"}, {"reason", "result[0] is 0"}});
  const std::vector<Record> records{timed("reduce/a", 16, 1000, 990, 1010), completed(wrong)};
  const Table table = case_table(records, {});
  EXPECT_EQ(cell(table, 0, "outcome"), "passed");
  EXPECT_EQ(cell(table, 1, "outcome"), "wrong [1]");
  for (const std::string& column : {time_us, interval_us, bandwidth}) EXPECT_EQ(cell(table, 1, column), "");
  EXPECT_EQ(table.notes, Texts{"result[0] is 0"});
  const RunTables tables = make_tables(StoredRun{"", Json::object(), records}, {}, {}, true);
  for (const std::string& text : {tables.csv, tables.markdown, tables.json, tables.terminal})
    EXPECT_EQ(text.find("777"), std::string::npos) << text;
}

TEST(CaseTable, ErrorsWhereRoundingExplainsAny) {
  Record exact = timed("reduce/a", 16, 1000, 999, 1001), rounding = timed("reduce/b", 16, 1000, 999, 1001);
  exact["error"] = exact["error_bound"] = 0.0;
  rounding["error"] = 0.25;
  rounding["error_bound"] = 1.5;
  EXPECT_EQ(cell(case_table({exact}, {}), 0, "error bound"), no_column("error bound"));
  const Table table = case_table({exact, rounding}, {});
  EXPECT_EQ(cell(table, 0, "error bound"), "");
  EXPECT_EQ(cell(table, 1, "error bound"), "1.500");
}

TEST(CaseTable, ThePapersNumbersStandBesideWithTheirRelation) {
  const std::vector<PublishedNumber> numbers = published(
      "t,reduce/a,Old GPU,16Mi,i32,sum,,time,ms,=,5.28,T1\n"
      "t,reduce/b,Old GPU,,i32,sum,,bandwidth,GB/s,~,104,T1\n"
      "t,reduce/a,Old GPU,16Mi,f32,sum,,time,ms,=,7,T1\n");
  const Table table = case_table(
      {timed("reduce/a", 1 << 24, 8e4, 7.99e4, 8.01e4), timed("reduce/a", 1 << 25, 8e4, 7.99e4, 8.01e4),
       timed("reduce/b", 1 << 24, 8e4, 7.99e4, 8.01e4)},
      numbers);
  const std::string time = time_us + ", Old GPU, published";
  EXPECT_EQ(cell(table, 0, time), "5280") << "5.28 ms in the unit of the column";
  EXPECT_EQ(cell(table, 1, time), "") << "another n";
  EXPECT_EQ(cell(table, 2, time), "") << "another variant";
  EXPECT_EQ(cell(table, 2, bandwidth + ", Old GPU, published"), "~ 104");
}

TEST(LaunchTable, LaunchesThatReadAreCountedAsPapersDo) {
  Record record = timed("reduce/a", 30 << 20, 6e4, 5.9e4, 6.1e4);
  record["launches"] = {launch_of(1, 0), launch_of(61440, 1.25e8), launch_of(120, 0.5)};
  record["launches"][1]["time_ns"] = 5e4;
  record["launches"][1]["occupancy"] = 0.75;
  record["parameters"] = {{"threads", 7}};  // no field of a launch
  Record other = record;
  other["parameters"] = {{"threads", 8}};
  const Table table = launch_table(TableRecords(PackedRecords({completed(record), completed(other)})),
                                   published("t,reduce/a,Old GPU,30Mi,i32,sum,1,blocks,blocks,<=,61440,T1\n"
                                             "t,reduce/a,Old GPU,30Mi,i32,sum,2,blocks,blocks,=,120,T1\n"
                                             "t,reduce/a,Old GPU,30Mi,i32,sum,,occupancy,%,=,94,T1\n"
                                             "t,reduce/a,Old GPU,30Mi,i32,sum,,time,ms,=,5,T1\n",
                                             "launch"));
  const auto column = [&](const std::string& name) {
    Texts texts;
    for (std::size_t row = 0; row < 3; ++row) texts.push_back(cell(table, row, name));
    return texts;
  };
  EXPECT_EQ(column("launch"), (Texts{"0", "1", "2"})) << "one that reads nothing is none of the paper's";
  EXPECT_EQ(column("threads"), (Texts{"7", "7", "7"}));
  EXPECT_EQ(column("block (threads)"), (Texts{"256", "256", "256"}));
  EXPECT_EQ(column("grid (blocks)"), (Texts{"1", "61440", "120"}));
  EXPECT_EQ(column("grid (blocks), Old GPU, published"), (Texts{"", "<= 61440", "120"}));
  EXPECT_EQ(column("occupancy (%)"), (Texts{"100.0", "75.00", "100.0"}));
  EXPECT_EQ(column("occupancy (%), Old GPU, published"), (Texts{"", "94", "94"}));
  EXPECT_EQ(column(time_us), (Texts{"", "50.00", ""}));
  EXPECT_EQ(column("read (GB/s)"), (Texts{"", "2500", ""}));
  EXPECT_EQ(cell(table, 1, time_us + ", Old GPU, published"), no_column(time_us + ", Old GPU, published"))
      << "that is the case's";
}

TEST(LaunchTable, EqualLaunchesOneAfterTheOtherAreOneRowForReaders) {
  Record record = timed("reduce/a", 1 << 20, 6e4, 5.9e4, 6.1e4);
  record["launches"] = {launch_of(1, 0), launch_of(8, 1), launch_of(8, 1), launch_of(8, 1), launch_of(9, 1)};
  const Table table =
      with_ranges(launch_table(TableRecords(PackedRecords({completed(record), completed(record)})), {}));
  Texts launches;
  for (std::size_t row = 0; row < table.rows.size(); ++row) launches.push_back(cell(table, row, "launch"));
  EXPECT_EQ(launches, (Texts{"0", "1 to 3", "4", "0", "1 to 3", "4"}));
}

}  // namespace
}  // namespace redbench
