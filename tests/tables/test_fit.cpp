// Tables for a width: which columns and which part of a text go first, and that nothing is lost in silence.
#include "src/tables/fit.hpp"

#include <gmock/gmock.h>

namespace redbench {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

std::string left_out(int width, const std::string& names) {
  return "Left out for a width of " + std::to_string(width) + ": " + names +
         ". The CSV file has all that was measured, --width 0 shows these columns, too.";
}

// 7 characters of the first column, and 10 of each other with 2 before it.
// 7 of the first column, and 10 of each other with 2 before it.
TEST(Fit, ColumnsGoByImportanceThenFromTheRight) {
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

TEST(Fit, ATextIsCutOnlyWhereItDoesNotFit) {
  const std::string name(40, 'v');
  const Table table{.columns = {{"variant", false}, {"time", true}}, .rows = {{name, "1.25"}}};
  EXPECT_EQ(fit(table, 46).rows[0][0], name) << "40, 2 between the columns and 4";
  EXPECT_NE(fit(table, 45).rows[0][0], name);
  EXPECT_EQ(fit(table, 0).rows[0][0], name);
}

// 32 characters of a text are left while there are columns to spare, then 18; the mark of the note counts.
// 32 characters of a text are left while there are columns to spare, then 18.
TEST(Fit, TextsAreCutTo32CharactersThenTo18) {
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

TEST(Fit, NumbersAreNeverCutAndCutTextsHaveNotes) {
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

}  // namespace
}  // namespace redbench
