// The last line of a plan's table.
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

}  // namespace
}  // namespace redbench
