// redbench verify as a user meets it: what it prints of each variant, and its exit codes.
#include <gmock/gmock.h>

#include <regex>
#include <sstream>

#include "src/json/json.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

Answer verify(const std::string& variants, const std::string& more = "") {
  return answer_of(REDBENCH_WRONG_BINARY,
                   "verify -d simt:gtx480 --schedules 1 --small -b '^(" + variants + ")$' " + more, ".");
}

/// Without the time that it took.
std::string timeless(const std::string& text) {
  return std::regex_replace(text, std::regex(", [0-9]+\\.[0-9] s\n"), ", T s\n");
}

// A variant has no more than its outcomes, what did not pass with its reason, and the sums are of all
// variants.
TEST(VerifyCommand, PrintsOutcomesReasonsAndSums) {
  const Answer answer = verify("reduce/(wrong_stale|shuffle_warp_atomic)|segscan/smallest");
  EXPECT_EQ(answer.exit_code, exit_wrong);
  EXPECT_EQ(
      timeless(answer.text),
      "reduce/shuffle_warp_atomic               0 passed, 17 unsupported\n"
      "reduce/wrong_stale                       6 passed, 1 wrong\n"
      "  wrong reduce/wrong_stale n=1 type=i32 operator=sum values=uniform (schedule 0): result[0] is -1, "
      "the exact answer is 1581361928\n"
      "segscan/smallest                        30 passed\n"
      "3 variants on simt:gtx480, 17 cases unsupported, T s\n"
      "36 passed, 1 failed\n");
}

TEST(VerifyCommand, OfOneVariantFiveAreShown) {
  const Answer answer = verify("reduce/(wrong_zero|wrong_faults)");
  EXPECT_EQ(answer.exit_code, exit_wrong) << "the worse of both";
  // Which five of the seven come first is up to the processes.
  std::istringstream lines(
      std::regex_replace(timeless(answer.text), std::regex("(wrong|failed) .* n=.*"), "$1"));
  std::vector<std::string> shown;
  for (std::string line; std::getline(lines, line);)
    if (shown.empty() || line != shown.back()) shown.push_back(line);
  EXPECT_THAT(shown,
              testing::ElementsAre(
                  "reduce/wrong_faults                      0 passed, 7 failed", "  failed", "  and 2 more",
                  "reduce/wrong_zero                        0 passed, 7 wrong", "  wrong", "  and 2 more",
                  "2 variants on simt:gtx480, 0 cases unsupported, T s", "0 passed, 14 failed"));
  EXPECT_EQ(verify("reduce/wrong_faults").exit_code, exit_failed);
  EXPECT_EQ(verify("segscan/smallest").exit_code, exit_fine);
}

// The whole battery has all pairs and shapes, that of --races some, that of --small a few; orders of warps
// are gone through case by case.
TEST(VerifyCommand, HowMuchIsCheckedIsAsItIsAsked) {
  const auto passed = [](const std::string& how) {
    const Answer answer =
        answer_of(REDBENCH_WRONG_BINARY, "verify -d simt:gtx480 -b '^segscan/smallest$' --json " + how, ".");
    EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
    return answer.exit_code == exit_fine ? Json::parse(answer.text)["segscan/smallest"]["passed"].get<int>()
                                         : 0;
  };
  const int few = passed("--schedules 1 --races"), small = passed("--schedules 1 --small");
  EXPECT_EQ(small, 30);
  EXPECT_GT(few, small);
  EXPECT_GT(passed("--schedules 1"), few);
  EXPECT_GT(passed("--races"), few) << "three orders";
}

// What the modelled device sees of each access is looked at where it is asked for.
TEST(VerifyCommand, ARaceIsFoundWhereItIsAskedFor) {
  EXPECT_EQ(verify("reduce/wrong_reuse_race").exit_code, exit_fine);
  const Answer races = verify("reduce/wrong_reuse_race", "--races");
  EXPECT_EQ(races.exit_code, exit_failed) << races.text;
  EXPECT_THAT(races.text, testing::HasSubstr("race in shared memory: "));
}

}  // namespace
}  // namespace redbench
