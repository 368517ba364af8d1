// The wrong kernels of tests/wrong, each caught by the check that is there for it, and costing no other case.
#include <set>

#include "tests/support.hpp"
#include "tests/wrong_kernels.hpp"

namespace redbench {
namespace {

constexpr int hang_s = 3;

class Wrong : public testing::TestWithParam<WrongKernel> {};

TEST_P(Wrong, IsCaughtByItsCheck) {
  expect_caught(GetParam(), GetParam().simt, REDBENCH_WRONG_BINARY, "simt:gtx480", hang_s);
}
INSTANTIATE_TEST_SUITE_P(Kernels, Wrong, testing::ValuesIn(wrong_kernels()), name_of_test);

// A wrong kernel that no row names would be caught by nothing.
TEST(WrongKernels, EachHasItsCheck) {
  const Answer answer = answer_of(REDBENCH_WRONG_BINARY, "list --json -b /wrong_", ".");
  std::set<std::string> built, named;
  const Json cards = Json::parse(answer.text);
  for (const auto& [name, card] : cards.items()) built.insert(name);
  for (const WrongKernel& one : wrong_kernels()) {
    named.insert(one.variant);
    EXPECT_EQ(one.cuda == CaughtBy::unknown, !one.why.empty()) << one;
  }
  EXPECT_EQ(built, named);
}

/// By the variant's name, the rows of a battery that went wrong.
std::map<std::string, Json> battery(const std::string& arguments) {
  const Answer answer = answer_of(REDBENCH_WRONG_BINARY, "verify -d simt:gtx480 --json " + arguments, ".");
  const Json tallies = Json::parse(answer.text, nullptr, false);
  std::map<std::string, Json> bad;
  if (!tallies.is_object()) {
    ADD_FAILURE() << answer.text;
    return bad;
  }
  int wrong = 0;
  for (const auto& [name, tally] : tallies.items()) {
    bad[name] = tally["bad"];
    wrong += tally["wrong"].get<int>();
  }
  EXPECT_EQ(answer.exit_code, wrong ? exit_wrong : exit_fine);
  return bad;
}

TEST(WrongKernels, ACellSurvivesAllAtOnce) {
  expect_that_a_cell_survives(REDBENCH_WRONG_BINARY, "simt:gtx480", hang_s);
}

// The battery finds what one size does not, by the same checks.
TEST(WrongKernels, TheBatteryCatchesThemAll) {
  std::map<std::string, std::set<CaughtBy>> checks;
  for (const WrongKernel& one : wrong_kernels()) {
    checks[one.variant].insert(one.simt);
    if (one.simt == CaughtBy::comparison) checks[one.variant].insert(CaughtBy::rounding_bound);
  }
  const auto bad = battery(
      "--schedules 4 -b '^reduce/wrong_(zero|last_tile|one_dropped|swapped|stale|writes_input|no_barrier)$'");
  EXPECT_EQ(bad.size(), 7u);
  for (const auto& [name, rows] : bad) {
    EXPECT_FALSE(rows.empty()) << name;
    for (const Json& row : rows) EXPECT_TRUE(checks[name].contains(caught_by(row))) << row << caught_by(row);
  }
}

// The modelled device runs a case once; the next case of the battery meets what it left.
TEST(WrongKernels, TheBatteryCatchesWhatALaunchLeavesInADeviceVariable) {
  const auto bad = battery("--schedules 1 -b '^reduce/wrong_count_kept$'");
  EXPECT_EQ(caught_by(bad.at("reduce/wrong_count_kept").at(0)), CaughtBy::result_poison);
}

// Lanes in order make it right; of four schedules some do not.
TEST(WrongKernels, SchedulesCatchWhatOneOrderDoesNot) {
  const std::string variant = "-b '^reduce/wrong_lucky_order$'";
  EXPECT_TRUE(battery("--schedules 1 " + variant)["reduce/wrong_lucky_order"].empty());
  EXPECT_FALSE(battery("--schedules 4 " + variant)["reduce/wrong_lucky_order"].empty());
}

}  // namespace
}  // namespace redbench
