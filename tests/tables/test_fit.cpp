// Tables for a width: which columns and which part of a text go first, and that nothing is lost in silence.
#include <gmock/gmock.h>

#include "src/tables/tables.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using Texts = std::vector<std::string>;

std::string left_out(int width, const std::string& names) {
  return "Left out for a width of " + std::to_string(width) + ": " + names +
         ". --width 0 shows these columns, too.";
}

// 7 characters of the first column, and 10 of each other with 2 before it.
TEST(Fit, ColumnsGoByImportanceThenFromTheRight) {
  const Table whole{
      .columns = {{"variant", false, 0},
                  {"time", true, Table::essential},
                  {"axis", true, Table::needed},
                  {"five", true, 5},
                  {"two", true, 2},
                  {"other five", true, 5}},
      .rows = {{"harris1", "1000000001", "1000000002", "1000000003", "1000000004", "1000000005"}}};
  Texts left{"variant", "time", "axis", "five", "two", "other five"};
  EXPECT_EQ(fit(whole, 67).columns.size(), left.size());
  int width = 66;
  for (const char* gone : {"two", "other five", "five", "axis"}) {
    std::erase(left, gone);
    for (const int fits : {width, width - 11}) {
      Texts names;
      for (const Table::Column& column : fit(whole, std::size_t(fits)).columns) names.push_back(column.name);
      EXPECT_EQ(names, left) << fits;
    }
    width -= 12;
  }
  EXPECT_THAT(fit(whole, 31).rows, ElementsAre(Texts{"harris1", "1000000001", "1000000002"}));
  EXPECT_THAT(fit(whole, 31).remarks, ElementsAre(left_out(31, "five; two; other five")));
}

TEST(Fit, ATextIsCutOnlyWhereItDoesNotFit) {
  const std::string name(40, 'v');
  const Table table{.columns = {{"variant", false}, {"time", true}}, .rows = {{name, "1.25"}}};
  EXPECT_EQ(fit(table, 46).rows[0][0], name) << "40, 2 between the columns and 4";
  EXPECT_NE(fit(table, 45).rows[0][0], name);
  EXPECT_EQ(fit(table, 0).rows[0][0], name);
}

// 32 characters of a text are left while there are columns to spare, then 18; the mark of the note counts.
TEST(Fit, TextsAreCutTo32CharactersThenTo18) {
  struct {
    std::size_t length;
    int importance, width;  // of the column that goes, of the table
    std::string text;
  } const cases[] = {
      {32, 1, 38, std::string(32, 'v')},
      {33, 1, 38, std::string(14, 'v') + "…" + std::string(13, 'v') + " [1]"},
      {18, Table::wanted, 24, std::string(18, 'v')},
      {19, Table::needed, 24, std::string(7, 'v') + "…" + std::string(6, 'v') + " [1]"},
  };
  for (const auto& [length, importance, width, text] : cases) {
    const std::string name(length, 'v');
    const Table table = fit({.columns = {{"variant", false}, {"time", true}, {"rest", true, importance}},
                             .rows = {{name, "1.25", std::string(30, '9')}}},
                            std::size_t(width));
    EXPECT_EQ(table.rows[0], (Texts{text, "1.25"}));
    EXPECT_EQ(table.notes, text == name ? Texts{} : Texts{name});
    EXPECT_THAT(table.remarks, ElementsAre(left_out(width, "rest")));
  }
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
  EXPECT_EQ(fit({.columns = {{"count", true}}, .rows = {{number}}}, 20).rows, (std::vector<Texts>{{number}}));
}

}  // namespace
}  // namespace redbench
