// Claims of ratios: which two records may be held against each other, and the interval of what is said of
// many.
#include <gmock/gmock.h>

#include "tests/claims/claim_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

/// harris2 takes more than so many times the time of harris3, of all n.
ClaimTest more_than(double bound) {
  ClaimTest test = test_of(ClaimKind::ratio, {{{"variant", "harris2"}}});
  test.to = Selection{{{"variant", "harris3"}}, {}};
  test.at = {"n"};
  test.bounds.above = bound;
  return test;
}

// Of one kind of device, what was not measured alike is no answer, however far apart the times are.
TEST(ClaimedRatio, RecordsOfOneDeviceAreHeldAgainstEachOtherIfMeasuredAlike) {
  Record other_inputs = fresh("reduce/harris2", 3.0);
  EXPECT_EQ(answer_of(more_than(2), evidence({fresh("reduce/harris3", 1.0), other_inputs})).verdict,
            Answered::holds);
  other_inputs["seed"] = 2;
  const ClaimAnswer answer = answer_of(more_than(2), evidence({fresh("reduce/harris3", 1.0), other_inputs}));
  EXPECT_EQ(answer.verdict, Answered::undecided);
  EXPECT_THAT(answer.why, HasSubstr("other inputs, by their seed: 1 and 2"));
}

// A paper that holds a GPU against a CPU asks for records that are of other hardware.
TEST(ClaimedRatio, ACpuMayBeHeldAgainstAGpu) {
  Record on_host = fresh("reduce/cpu_serial", 30.0);
  on_host["device"] = "host";
  on_host["hardware"] = "Test CPU";
  add_provenance(on_host, *find_variant("reduce/cpu_serial"), Target::host);
  ClaimTest test = more_than(20);
  test.of = {{{{"variant", "cpu_serial"}}, {}}};
  const ClaimAnswer answer = answer_of(test, evidence({fresh("reduce/harris3", 1.0), on_host}));
  EXPECT_EQ(answer.verdict, Answered::holds) << answer.why;
  EXPECT_NEAR(*answer.parts[0].value, 30, 0.01);
}

// Of two cases one is told apart from the bound, so its own interval is widened. What is said of both is one
// statement, and its interval that of a case which stands alone.
TEST(ClaimedRatio, WhatIsSaidOfAllCasesIsNotWidenedByHowManyTheyAre) {
  const std::vector<double> four_times{400000, 404000, 396000, 402000, 398000},
      twice{200000, 202000, 198000, 201000, 199000};
  const std::vector<Record> far{fresh("reduce/harris3", 1.0), fresh("reduce/harris2", four_times)};
  std::vector<Record> both = far;
  both.push_back(fresh("reduce/harris3", 1.0, 1024));
  both.push_back(fresh("reduce/harris2", twice, 1024));
  ClaimTest test = more_than(2);
  const ClaimPart alone = answer_of(test, evidence(far)).parts.at(0);
  test.over = Over::highest;
  const ClaimAnswer of_both = answer_of(test, evidence(both));
  ASSERT_EQ(of_both.parts.size(), 3u);
  EXPECT_LT(*of_both.parts[0].low, 0.999 * *alone.low) << "of two";
  const ClaimPart& highest = of_both.parts[2];
  EXPECT_EQ(highest.what, "highest of 2 cases");
  EXPECT_NEAR(*highest.value, 4, 0.01);
  EXPECT_NEAR(*highest.low, *alone.low, 1e-9);
  EXPECT_NEAR(*highest.high, *alone.high, 1e-9);
}

}  // namespace
}  // namespace redbench
