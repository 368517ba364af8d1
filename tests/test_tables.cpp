// Tables from records: what is shown, in how many digits, and that a case that is not right shows no time.
#include "src/tables/tables.hpp"

#include <gtest/gtest.h>

namespace redbench {
namespace {

Record record_of(const std::string& variant, Index n, const std::string& outcome) {
  return {{"variant", variant},
          {"n", n},
          {"type", "i32"},
          {"operator", "sum"},
          {"axes", {{"values", "uniform"}}},
          {"parameters", {{"block", 256}}},
          {"device", "cuda:0"},
          {"mode", "cold"},
          {"outcome", outcome},
          {"reason", nullptr},
          {"time_ns", nullptr},
          {"samples_ns", nullptr}};
}

Record timed(const std::string& variant, Index n, double time_ns, double percent) {
  Record record = record_of(variant, n, "passed");
  record["time_ns"] = time_ns;
  record["noise_percent"] = 0.123;
  record["bandwidth_gb_per_s"] = 3456.789;
  record["percent_of_ceiling"] = percent;
  record["samples_ns"] = {time_ns, time_ns};
  return record;
}

TEST(Tables, FourDigitsWithoutPowersOfTen) {
  EXPECT_EQ(significant(1234567), "1234567");
  EXPECT_EQ(significant(3456.789), "3457");
  EXPECT_EQ(significant(12.3456), "12.35");
  EXPECT_EQ(significant(0.0123456), "0.01235");
  EXPECT_EQ(significant(0), "0");
}

TEST(Tables, ColumnsAreTheAxesThatTellCasesApart) {
  const Table table =
      make_table({timed("reduce/a", 1 << 20, 1000, 90), timed("reduce/a", 1 << 21, 2000, 91)});
  std::vector<std::string> names;
  for (const Table::Column& column : table.columns) names.push_back(column.name);
  EXPECT_EQ(names, (std::vector<std::string>{"variant", "n", "time (µs)", "± %", "GB/s", "% of ceiling",
                                             "outcome"}));
  EXPECT_NE(table.caption.find("type i32"), std::string::npos) << table.caption;
  EXPECT_EQ(table.rows[0],
            (std::vector<std::string>{"reduce/a", "1Mi", "1.000", "0.12", "3457", "90.0", "passed"}));
}

TEST(Tables, AParameterIsAColumnWhereOneVariantTakesItAtSeveralValues) {
  Record a = timed("reduce/a", 16, 1, 1), b = timed("reduce/b", 16, 1, 1);
  b["parameters"]["block"] = 512;
  EXPECT_EQ(make_table({a, b}).columns[1].name, "time (µs)") << "two defaults are no axis";
  Record swept = a;
  swept["parameters"]["block"] = 128;
  EXPECT_EQ(make_table({a, swept}).columns[1].name, "block");
}

TEST(Tables, AWrongCaseHasItsReasonAndNoTime) {
  Record wrong = record_of("reduce/b", 16, "wrong");
  wrong["reason"] = "result[0] is 0";
  const Table table = make_table({timed("reduce/a", 16, 1000, 90), wrong});
  EXPECT_EQ(table.rows[1][1], "");
  EXPECT_EQ(table.rows[1].back(), "wrong [1]");
  EXPECT_EQ(table.notes, std::vector<std::string>{"result[0] is 0"});
}

TEST(Tables, MoreThanTheCeilingIsMarked) {
  const Table table = make_table({timed("reduce/a", 16, 1000, 103.21)});
  EXPECT_EQ(table.rows[0][4], "103.2 !");
}

TEST(Tables, ColumnsLineUpThoughUnitsAreNotAscii) {
  const std::string text = aligned(make_table({timed("reduce/a", 16, 1000, 90)}), false);
  const std::size_t rule = text.find("\n-");
  ASSERT_NE(rule, std::string::npos);
  EXPECT_NE(text.find("--------  ---------  ----  ----  ------------  -------\n"), std::string::npos) << text;
}

TEST(Tables, CsvHasEveryFieldInFull) {
  Record odd = timed("reduce/a", 16, 1000.0625, 90);
  odd["reason"] = "a, \"b\"";
  odd["launches"] = {{{"blocks", 61440}}, {{"blocks", 120}}};
  const std::string csv = comma_separated({odd, record_of("reduce/b", 16, "wrong")});
  EXPECT_NE(csv.find("1000.0625"), std::string::npos);
  EXPECT_NE(csv.find("\"a, \"\"b\"\"\""), std::string::npos) << csv;
  EXPECT_NE(csv.find("61440 120"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",samples,"), std::string::npos) << "their number, not the samples";
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

}  // namespace
}  // namespace redbench
