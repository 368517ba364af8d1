// Tables at their edges: numbers at a change of digits, texts as long as they may be, columns in the order in
// which they go.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "src/tables/case_table.hpp"
#include "src/tables/fit.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/tables.hpp"
#include "tests/record_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

TEST(NumberEdges, DigitsChangeAtPowersOfTen) {
  EXPECT_EQ(significant(0.0001), "0.0001000") << "no power of ten yet";
  EXPECT_EQ(significant(0.000099994), "1.00e-04");
  EXPECT_EQ(significant(0.000099996), "0.0001000") << "rounded to four digits";
  EXPECT_EQ(significant(-0.00005), "-5.00e-05");
  EXPECT_EQ(significant(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(significant(12345.678), "12346");
  EXPECT_EQ(significant(12345.678, 3), "12300");
  EXPECT_EQ(significant(987654, 2), "990000");
  EXPECT_EQ(significant(0.5, 1), "0.5");
  EXPECT_EQ(to_percents(-4.96), "-4.96");
  EXPECT_EQ(to_percents(-5.04), "-5.0");
  EXPECT_EQ(to_percents(5), "5.0");
  EXPECT_EQ(to_percents(-0.5), "-0.50");
  EXPECT_EQ(to_percents(499), "499");
  EXPECT_EQ(to_percents(504), "500");
  EXPECT_EQ(to_percents(1254), "1250");
  EXPECT_EQ(to_percents(5260), "5300");
}

TEST(NumberEdges, APlaceIsThatOfADigit) {
  EXPECT_EQ(rounded(2.5, 0), "2") << "a half goes to the even digit";
  EXPECT_EQ(rounded(3.5, 0), "4");
  EXPECT_EQ(rounded(1234.5, 1), "1230");
  EXPECT_EQ(rounded(1250, 2), "1300");
  EXPECT_EQ(rounded(1.2345, -2), "1.23");
  EXPECT_EQ(rounded(-0.126, -1), "-0.1");
  EXPECT_EQ(last_place(0, 1, 2), 0);
  EXPECT_EQ(last_place(8.5, 9, 8), -2) << "no interval";
  EXPECT_EQ(last_place(8.5, 8.5, 8.5), -2) << "no interval";
  EXPECT_EQ(last_place(5, 4.99, 5.01), -3) << "0.02 wide, with a digit more";
  EXPECT_EQ(last_place(5, 4.9999, 5.0001), -3) << "four digits are enough";
  EXPECT_EQ(last_place(99.996, 99, 101), -1) << "it is 100.0 in four digits";
  EXPECT_EQ(last_place(99.996, 99.9999, 100), -1) << "four digits are enough";
  EXPECT_EQ(digits_to(0, -3), 1);
  EXPECT_EQ(digits_to(8.672, -3), 4);
  EXPECT_EQ(digits_to(8.672, -5), 4);
  EXPECT_EQ(digits_to(8.672, 0), 1);
  EXPECT_EQ(digits_to(8.672, 2), 1);
  EXPECT_EQ(digits_to(99.996, 0), 3) << "it is 100";
  EXPECT_EQ(as_printed(1e6), "1000000");
  EXPECT_EQ(as_printed(-1e6), "-1000000");
  EXPECT_EQ(as_printed(999999.5), "1000000") << "as all of six digits are";
  EXPECT_EQ(as_printed(-999999.4), "-999999");
  EXPECT_EQ(as_printed(0), "0");
  EXPECT_EQ(as_printed(0.00001234), "1.234e-05");
}

std::string left_out(int width, const std::string& names) {
  return "Left out for a width of " + std::to_string(width) + ": " + names +
         ". The CSV file has all that was measured, --width 0 shows these columns, too.";
}

// 32 characters of a text are left while there are columns to spare, then 18.
TEST(FitEdges, ATextAsLongAsIsLeftIsWhole) {
  const auto spare = [](std::size_t length, int importance, int width) {
    return fit({.columns = {{"variant", false}, {"time", true}, {"rest", true, importance}},
                .rows = {{std::string(length, 'v'), "1.25", std::string(30, '9')}}},
               std::size_t(width));
  };
  Table table = spare(32, 1, 38);
  EXPECT_EQ(table.rows[0], (Texts{std::string(32, 'v'), "1.25"}));
  EXPECT_THAT(table.notes, ElementsAre());
  EXPECT_THAT(table.remarks, ElementsAre(left_out(38, "rest")));
  table = spare(33, 1, 38);
  EXPECT_EQ(table.rows[0], (Texts{std::string(14, 'v') + "…" + std::string(13, 'v') + " [1]", "1.25"}));
  EXPECT_THAT(table.notes, ElementsAre(std::string(33, 'v')));
  EXPECT_THAT(table.remarks, ElementsAre(left_out(38, "rest")));
  table = spare(18, Table::needed, 24);
  EXPECT_EQ(table.rows[0], (Texts{std::string(18, 'v'), "1.25"}));
  EXPECT_THAT(table.notes, ElementsAre());
  EXPECT_THAT(table.remarks, ElementsAre(left_out(24, "rest")));
  table = spare(19, Table::needed, 24);
  EXPECT_EQ(table.rows[0], (Texts{std::string(7, 'v') + "…" + std::string(6, 'v') + " [1]", "1.25"}));
  EXPECT_THAT(table.notes, ElementsAre(std::string(19, 'v')));
  table = spare(19, Table::needed, 57);
  EXPECT_EQ(table.rows[0].size(), 3u) << "19 and 2 and 4 and 2 and 30";
  EXPECT_THAT(table.notes, ElementsAre());
}

TEST(FitEdges, ALongNumberIsWholeBesideATextThatIsCut) {
  const std::string number(40, '7'), name(40, 'v'), cut = std::string(7, 'v') + "…" + std::string(6, 'v');
  const Table table = fit({.columns = {{"variant", false}, {"count", true}, {"reason", false}},
                           .rows = {{name, number, "short"}, {"b", "1", name}, {name + "w", "2", "x"}},
                           .notes = {"first"}},
                          20);
  ASSERT_EQ(table.columns.size(), 2u);
  EXPECT_EQ(table.rows,
            (std::vector<Texts>{{cut + " [2]", number},
                                {"b", "1"},
                                {std::string(7, 'v') + "…" + std::string(5, 'v') + "w [3]", "2"}}));
  EXPECT_THAT(table.notes, ElementsAre("first", name, name + "w"));
  EXPECT_THAT(table.remarks, ElementsAre(left_out(20, "reason")));
  const Table one = fit({.columns = {{"count", true}}, .rows = {{number}}}, 20);
  EXPECT_EQ(one.rows, (std::vector<Texts>{{number}}));
  EXPECT_THAT(one.notes, ElementsAre());
  EXPECT_THAT(one.remarks, ElementsAre());
}

// The tenth note has a digit more, and the text a character less.
TEST(FitEdges, TheMarkOfANoteTakesFromItsText) {
  const std::string name(40, 'v');
  const Table table =
      fit({.columns = {{"variant", false}, {"time", true}}, .rows = {{name, "1"}}, .notes = Texts(9, "note")},
          20);
  EXPECT_EQ(table.rows[0][0], std::string(6, 'v') + "…" + std::string(6, 'v') + " [10]");
  EXPECT_EQ(table.notes.size(), 10u);
}

// 7 of the first column, and 10 of each other with 2 before it.
TEST(FitEdges, ColumnsGoByImportanceThenFromTheRight) {
  const Table whole{.columns = {{"variant", false, 0},
                                {"time", true, Table::essential},
                                {"axis", true, Table::needed},
                                {"five", true, 5},
                                {"two", true, 2},
                                {"other five", true, 5},
                                {"block", true, Table::needed}},
                    .rows = {{"harris1", "1000000001", "1000000002", "1000000003", "1000000004", "1000000005",
                              "1000000006"}}};
  const auto names = [&](int width) {
    Texts all;
    for (const Table::Column& column : fit(whole, std::size_t(width)).columns) all.push_back(column.name);
    return all;
  };
  EXPECT_THAT(names(79), ElementsAre("variant", "time", "axis", "five", "two", "other five", "block"));
  for (const int width : {78, 67})
    EXPECT_THAT(names(width), ElementsAre("variant", "time", "axis", "five", "other five", "block")) << width;
  for (const int width : {66, 55})
    EXPECT_THAT(names(width), ElementsAre("variant", "time", "axis", "five", "block")) << width;
  for (const int width : {54, 43})
    EXPECT_THAT(names(width), ElementsAre("variant", "time", "axis", "block")) << width;
  for (const int width : {42, 31}) EXPECT_THAT(names(width), ElementsAre("variant", "time", "axis")) << width;
  for (const int width : {30, 19, 1}) EXPECT_THAT(names(width), ElementsAre("variant", "time")) << width;
  EXPECT_THAT(fit(whole, 31).rows, ElementsAre(Texts{"harris1", "1000000001", "1000000002"}));
  EXPECT_THAT(fit(whole, 31).remarks, ElementsAre(left_out(31, "five; two; other five; block")));
}

TEST(TableEdges, NotesAreNumberedByTheirTexts) {
  Texts notes{"old"};
  EXPECT_EQ(note("new", notes), " [2]");
  EXPECT_EQ(note("old", notes), " [1]");
  EXPECT_EQ(note("newer", notes), " [3]");
  EXPECT_EQ(note("new", notes), " [2]");
  EXPECT_THAT(notes, ElementsAre("old", "new", "newer"));
}

TEST(TableEdges, AFieldIsQuotedWhereItMustBe) {
  for (const auto& [text, field] : {std::pair("", ""),
                                    {"plain text; all 'of' it", "plain text; all 'of' it"},
                                    {"a,b", "\"a,b\""},
                                    {"say \"x\"", "\"say \"\"x\"\"\""},
                                    {"a\nb", "\"a\nb\""},
                                    {"a\rb", "\"a\rb\""},
                                    {"\"", "\"\"\"\""}})
    EXPECT_EQ(quoted_field(text), field);
}

// A launch that reads any byte is counted, one that reads none is launch 0.
TEST(TableEdges, LaunchesThatReadAreNumberedFromOne) {
  Record first = record_of("reduce/a"), second = record_of("reduce/b");
  first["launches"] = {launch_of(5, 0), launch_of(4, 1), launch_of(3, 0), launch_of(2, 0.5)};
  second["launches"] = {launch_of(7)};
  EXPECT_EQ(
      markdown(launch_table({completed(first), completed(second)}, {})),
      "| variant | launch | kernel | grid (blocks) | block (threads) | shared memory (bytes) | occupancy "
      "(%) | limited by |\n"
      "| --- | ---: | --- | ---: | ---: | ---: | ---: | --- |\n"
      "| a | 0 | tree | 5 | 256 | 1024 | 100.0 | warps |\n"
      "| a | 1 | tree | 4 | 256 | 1024 | 100.0 | warps |\n"
      "| a | 0 | tree | 3 | 256 | 1024 | 100.0 | warps |\n"
      "| a | 2 | tree | 2 | 256 | 1024 | 100.0 | warps |\n"
      "| b | 1 | tree | 7 | 256 | 1024 | 100.0 | warps |\n");
}

// A time without one of its ends has three digits, whatever the other end.
TEST(TableEdges, HalfAnIntervalIsNone) {
  std::vector<Record> records;
  for (const auto& [low, high] :
       {std::pair(Json(1999.0), Json()), {Json(), Json(2001.0)}, {Json(), Json()}}) {
    records.push_back(
        timed("reduce/" + std::string(1, char('a' + records.size())), 1 << 20, 2000, 1999, 2001));
    records.back()["time_low_ns"] = low;
    records.back()["time_high_ns"] = high;
  }
  records.push_back(timed("reduce/d", 1 << 20, 2000, 1999, 2001));
  Texts times;
  for (const Texts& row : case_table(records, {}).rows) times.push_back(row[0] + " " + row[1] + " " + row[2]);
  EXPECT_THAT(times, ElementsAre("a 2.00 ", "b 2.00 ", "c 2.00 ", "d 2.000 1.999 to 2.001"));
}

}  // namespace
}  // namespace redbench
