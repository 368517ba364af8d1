// The wrong kernels of problems with labels: each is right on the battery's other shapes, and caught on those
// that are there for it.
#include <gmock/gmock.h>

#include <map>
#include <set>

#include "src/json/json.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

/// The cases of a wrong kernel that did not pass, as the battery on the modelled GTX 480 finds them.
class WrongLabels : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const Answer answer = answer_of(
        REDBENCH_WRONG_BINARY,
        "verify -d simt:gtx480 --json --schedules 1 -b '^(histogram|multireduce|multiscan)/wrong_'", ".");
    EXPECT_EQ(answer.exit_code, exit_wrong) << answer.text;
    tallies_ = Json::parse(answer.text, nullptr, false);
    ASSERT_TRUE(tallies_.is_object()) << answer.text;
  }

  const Json& bad(const std::string& name) { return tallies_.at(name).at("bad"); }
  int passed(const std::string& name) { return tallies_.at(name).at("passed").get<int>(); }

  /// The values that an axis has in the bad cases.
  std::set<std::string> values(const std::string& name, const std::string& axis) {
    std::set<std::string> all;
    for (const Json& one : bad(name)) {
      const std::string key = one["key"].get<std::string>() + " ";
      const std::size_t start = key.find(" " + axis + "=") + axis.size() + 2;
      all.insert(key.substr(start, key.find(' ', start) - start));
    }
    return all;
  }
  std::set<std::string> reasons(const std::string& name) {
    std::set<std::string> all;
    for (const Json& one : bad(name)) all.insert(one["reason"].get<std::string>());
    return all;
  }
  /// By the comparison with the exact answer, and by nothing else.
  void expect_compared(const std::string& name) {
    EXPECT_FALSE(bad(name).empty()) << name;
    for (const Json& one : bad(name)) EXPECT_EQ(one["outcome"], "wrong") << one;
    EXPECT_THAT(reasons(name), Each(HasSubstr("the exact answer is"))) << name;
  }

  static Json tallies_;
};
Json WrongLabels::tallies_;

TEST_F(WrongLabels, AllAreThere) { EXPECT_EQ(tallies_.size(), 19u); }

// 64 labels are counted, of 65 the last is not.
TEST_F(WrongLabels, ALastTileThatIsSkippedShowsBesideTheTile) {
  expect_compared("histogram/wrong_last_tile");
  const std::set<std::string> sizes = values("histogram/wrong_last_tile", "n");
  for (const char* beside : {"63", "65", "1", "1009"}) EXPECT_THAT(sizes, Contains(beside));
  for (const char* full : {"64", "128", "4096"}) EXPECT_THAT(sizes, Not(Contains(full)));
}

// What was in the result: the poison is all ones, so a label without an input has -1.
TEST_F(WrongLabels, CountsThatAreNotClearedShowThePoison) {
  const std::string name = "histogram/wrong_not_cleared";
  expect_compared(name);
  EXPECT_THAT(reasons(name), Contains(HasSubstr("is 4294967295, the exact answer is 0")));
  EXPECT_EQ(passed(name), 0) << "without any input there are counts, too";
}

TEST_F(WrongLabels, ADroppedLabelShowsWhereItOccurs) {
  const std::string name = "histogram/wrong_label_dropped";
  expect_compared(name);
  EXPECT_THAT(reasons(name), Each(HasSubstr("result[255]")));
  EXPECT_THAT(values(name, "m"), Not(Contains("255")));
  EXPECT_THAT(values(name, "m"), Contains("257"));
}

// Of one label it is the only one.
TEST_F(WrongLabels, TheLastLabelShowsWithAnyM) {
  const std::string name = "histogram/wrong_last_label";
  expect_compared(name);
  EXPECT_THAT(values(name, "m"), IsSupersetOf({"1", "2", "33", "257"}));
}

// 10007 labels are 313 for a thread, of which more than 255 are equal.
TEST_F(WrongLabels, BinsOfABytesWidthOverflowWhereAllLabelsAreEqual) {
  const std::string name = "histogram/wrong_bins_overflow";
  expect_compared(name);
  EXPECT_THAT(values(name, "labels"), Contains("degenerate"));
  EXPECT_THAT(values(name, "n"), Contains("10007"));
  EXPECT_THAT(values(name, "n"), Not(Contains("4097")));
}

// The first run finds the poison of scratch memory, whatever the input.
TEST_F(WrongLabels, BucketsOfTheLastRunShowThePoison) {
  const std::string name = "histogram/wrong_cleared_after";
  expect_compared(name);
  EXPECT_EQ(passed(name), 0);
}

// With a label for each lane there is no update to lose.
TEST_F(WrongLabels, LostUpdatesShowWhereLabelsMeetInAWarp) {
  const std::string name = "histogram/wrong_lost_updates";
  expect_compared(name);
  EXPECT_THAT(values(name, "labels"), Contains("degenerate"));
  EXPECT_THAT(values(name, "n"), Not(Contains("1")));
}

// With one label for 33 inputs or more, or one for each lane, none or all of a warp's updates meet.
TEST_F(WrongLabels, ALostUpdateShowsWhereLabelsMeetInAWarp) {
  const std::string name = "multireduce/wrong_lost_update";
  expect_compared(name);
  EXPECT_THAT(values(name, "labels"), Contains("degenerate"));
  EXPECT_THAT(values(name, "n"), Not(Contains("1")));
}

TEST_F(WrongLabels, SwappedSetsShowByTheOrder) {
  const std::string name = "multireduce/wrong_sets_swapped";
  expect_compared(name);
  EXPECT_EQ(values(name, "operator"), (std::set<std::string>{"affine", "right"}));
  // One tile has one set.
  EXPECT_THAT(values(name, "n"), Not(Contains("64")));
  EXPECT_THAT(values(name, "n"), Contains("127"));
}

TEST_F(WrongLabels, BucketsThatAreNotClearedShowEverywhere) {
  const std::string name = "multireduce/wrong_not_cleared";
  // Labels without an input have a bucket, too. Where every label has one, `right` keeps nothing of what was
  // there.
  EXPECT_LE(passed(name), 1);
}

TEST_F(WrongLabels, ADroppedLabelOfAReductionShowsWhereItOccurs) {
  const std::string name = "multireduce/wrong_label_dropped";
  expect_compared(name);
  EXPECT_THAT(values(name, "m"), Contains("1"));
  EXPECT_THAT(values(name, "n"), Not(Contains("0")));
}

TEST_F(WrongLabels, InclusiveShowsInTheExclusiveCasesAlone) {
  const std::string name = "multiscan/wrong_inclusive";
  expect_compared(name);
  EXPECT_EQ(values(name, "scan"), std::set<std::string>{"exclusive"});
}

// Sums are right in any order: only operators that do not commute tell.
TEST_F(WrongLabels, SwappedTilesShowByTheOrder) {
  const std::string name = "multiscan/wrong_tiles_swapped";
  expect_compared(name);
  const std::set<std::string> operators = values(name, "operator");
  EXPECT_THAT(operators, Contains("affine"));
  EXPECT_THAT(operators, Not(Contains("sum")));
  // Two tiles have one order: a third has to see it.
  EXPECT_THAT(values(name, "n"), Not(Contains("128")));
}

TEST_F(WrongLabels, TheOtherScanAtABorderShowsFromTheSecondTileOn) {
  const std::string name = "multiscan/wrong_border_swapped";
  expect_compared(name);
  EXPECT_THAT(values(name, "n"), Not(Contains("64")));
  EXPECT_THAT(values(name, "n"), Contains("127"));
  EXPECT_EQ(values(name, "scan"), (std::set<std::string>{"exclusive", "inclusive"}));
}

TEST_F(WrongLabels, SwappedOperandsShowByTheOrder) {
  const std::string name = "multiscan/wrong_operands_swapped";
  expect_compared(name);
  EXPECT_EQ(values(name, "operator"), (std::set<std::string>{"affine", "right"}));
  EXPECT_THAT(values(name, "n"), Not(Contains("1")));
}

TEST_F(WrongLabels, BucketsOfAScanThatAreNotClearedShowThePoison) {
  const std::string name = "multiscan/wrong_not_cleared";
  expect_compared(name);
  // A label's first value is the first to see it.
  EXPECT_THAT(values(name, "n"), Contains("1"));
}

// Two of the lowest integers add up to 0, and so does the map (-1, -1) after itself to the identity.
TEST_F(WrongLabels, ThePublishedConditionShowsWhereARowIsTheIdentity) {
  const std::string name = "multiscan/wrong_published_sheffler";
  expect_compared(name);
  EXPECT_EQ(values(name, "values"), (std::set<std::string>{"extreme"}));
  EXPECT_EQ(values(name, "operator"), (std::set<std::string>{"affine", "sum"}));
}

TEST_F(WrongLabels, ALostCarryShowsInTheNextTile) {
  const std::string name = "multiscan/wrong_carry_lost";
  expect_compared(name);
  EXPECT_THAT(values(name, "n"), Not(Contains("64")));
  // With one label it is the last.
  EXPECT_THAT(values(name, "m"), Contains("1"));
}

}  // namespace
}  // namespace redbench
