// The columns and the last line of a plan's table.
#include <gtest/gtest.h>

#include "src/plan/plan.hpp"

namespace redbench {
namespace {

TEST(PlanTable, TheTimeIsAboutThatFromASecondOn) {
  const auto end = [](double seconds) {
    const std::string text = format_plan(Plan{}, seconds);
    return text.substr(text.rfind("; ") + 2);
  };
  EXPECT_EQ(end(0.99), "less than a second\n");
  EXPECT_EQ(end(1), "about 1 s\n");
  EXPECT_EQ(end(1.9), "about 2 s\n");
}

// A file is its path; what else is made from one says so before it.
TEST(PlanTable, ValuesOfAxesAreNamesOrPaths) {
  EXPECT_EQ(axis_text("uniform"), "uniform");
  EXPECT_EQ(axis_text(17), "17");
  EXPECT_EQ(axis_text({{"file", "a/b.npy"}}), "a/b.npy");
  EXPECT_EQ(axis_text({{"cut", "a/b.npy"}}), "cut:a/b.npy");
  EXPECT_EQ(axis_text({{"file", 3}}), R"({"file":3})");
  EXPECT_EQ(axis_text({{"file", "a"}, {"n", "b"}}), R"({"file":"a","n":"b"})");
  EXPECT_EQ(axis_text(Json::array({"a"})), R"(["a"])");
  EXPECT_EQ(axis_text(Json()), "null");
  EXPECT_EQ(axis_text(Json::object()), "{}");
}

// A column is as wide as its title or what is in it, whichever is wider.
TEST(PlanTable, ColumnsAreAsWideAsTheirWidestEntry) {
  Variant variant;
  variant.name = "a/b";
  Case one;
  one.variant = &variant;
  one.input.n = 5;
  one.input.axes["m"] = 123456;
  one.parameters = {{"long_name", 77}};
  one.sizes.values = 3;
  Case other = one;
  other.refusal = "too large";
  EXPECT_EQ(
      format_plan(Plan{{{find_problem("reduce"), one.input, {one, other}}}}, 5000),
      R"(variant  n  type  operator  m       parameters    blocks  threads  shared  occupancy  scratch  memory
a/b      5  i32   sum       123456  long_name=77  -       -        -       -          0 B      3 B
a/b      5  i32   sum       123456  long_name=77  refused: too large
2 cases in 1 cell, 1 refused; at most 3 B of device memory; about 83 min
)");
}

}  // namespace
}  // namespace redbench
