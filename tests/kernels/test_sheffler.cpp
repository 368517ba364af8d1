// Sheffler's multiscan in both of its conditions: as published it loses what lies below a row whose values
// add up to the identity (Eilers 2014, 5.4).
#include "tests/run_support.hpp"

namespace redbench {
namespace {

/// The outcome of a case and the reason for it, of one label's values in squares of 4 x 4 inputs.
std::pair<std::string, std::string> outcome(const std::string& variant, const std::vector<i32>& values,
                                            int published, const std::string& scan = "exclusive") {
  const TemporaryFolder folder;
  const Json file = folder.write("values.npy", npy_of<i32>("<i4", values));
  const Record record =
      only_record(R"({"problem": "multiscan", "variants": ")" + variant +
                  R"(", "axes": {"m": 1, "type": "i32", "operator": "sum", "threads": 4, "published": )" +
                  std::to_string(published) + R"(, "scan": ")" + scan + R"(", "values": {"file": )" +
                  file.dump() + "}}}");
  return {record["outcome"], record.value("reason", Json()).is_string() ? record["reason"] : ""};
}

/// Rows from the bottom. The second adds up to 0.
const std::vector<i32> row_of_zero{1, 2, 3, 4, 5, -5, 7, -7, 1, 1, 1, 1, 9, 9, 9, 9};
/// It adds up to 1.
const std::vector<i32> row_of_one{1, 2, 3, 4, 5, -5, 7, -6, 1, 1, 1, 1, 9, 9, 9, 9};
/// The same, with the row in the middle of another square: segments are joined by their buckets.
const std::vector<i32> second_square = [] {
  std::vector<i32> both = row_of_one;
  both.insert(both.end(), row_of_zero.begin(), row_of_zero.end());
  return both;
}();

class ShefflerCondition : public testing::TestWithParam<std::string> {};

// The third row's spine has the second row's sum, 0, and the first row's from below, 10: it hands on neither.
TEST_P(ShefflerCondition, AsPublishedARowOfTheIdentityLosesTheRowsBelow) {
  const auto [result, reason] = outcome(GetParam(), row_of_zero, 1);
  EXPECT_EQ(result, "wrong");
  EXPECT_NE(reason.find("result[8] is 0, the exact answer is 10"), reason.npos) << reason;
  EXPECT_EQ(outcome(GetParam(), second_square, 1).first, "wrong");
}

TEST_P(ShefflerCondition, AsPublishedItIsRightWhereNoRowIsTheIdentity) {
  EXPECT_EQ(outcome(GetParam(), row_of_one, 1).first, "passed");
}

TEST_P(ShefflerCondition, MendedItIsRightForBoth) {
  for (const char* scan : {"exclusive", "inclusive"}) {
    EXPECT_EQ(outcome(GetParam(), row_of_zero, 0, scan).first, "passed");
    EXPECT_EQ(outcome(GetParam(), row_of_one, 0, scan).first, "passed");
    EXPECT_EQ(outcome(GetParam(), second_square, 0, scan).first, "passed");
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, ShefflerCondition, testing::Values("sheffler_global", "sheffler_shared"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace redbench
