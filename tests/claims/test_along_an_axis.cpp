// Claims of a slope, an optimum or a step along an axis, against hand-made records.
#include <gmock/gmock.h>

#include "tests/claims/claim_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using enum ClaimVerdict;

const Json harris3{{"variant", "harris3"}};

TEST(Claims, ASlopeIsAnExponent) {
  ClaimTest test = test_of(ClaimKind::slope, {harris3});
  test.x = "n";
  test.bounds = {.above = 0.95, .below = 1.05, .equals = {}};
  const auto of_power = [&](double exponent, int points) {
    std::vector<Record> records;
    for (int i = 0; i < points; ++i)
      records.push_back(fresh("reduce/harris3", std::pow(2, exponent * i), Index(1024) << i));
    return answer_of(test, evidence(records));
  };
  EXPECT_EQ(of_power(1, 6).verdict, holds);
  EXPECT_NEAR(*of_power(1, 6).parts[0].value, 1, 1e-3);
  EXPECT_EQ(of_power(1, 3).parts[0].least_difference, 0.01);
  EXPECT_EQ(of_power(0.8, 6).verdict, fails);
  EXPECT_EQ(of_power(1.2, 6).verdict, fails);
  EXPECT_EQ(of_power(0.95, 6).verdict, undecided);
  EXPECT_EQ(of_power(1, 2).verdict, undecided);
  EXPECT_THAT(of_power(1, 2).why, HasSubstr("2 points along n, of which a slope needs 3"));
}

// A device that refuses the largest inputs still shows how the others grow.
TEST(Claims, APointThatTheDeviceRefusesIsNoneOfALine) {
  std::vector<Record> records;
  for (int i = 0; i < 5; ++i) records.push_back(fresh("reduce/harris3", std::pow(2, i), Index(1024) << i));
  Record refused = record_of("reduce/harris3", Index(1024) << 5, "unsupported");
  refused["reason"] = "too large";
  add_provenance(refused, *find_variant("reduce/harris3"), Target::cuda);
  ClaimTest test = test_of(ClaimKind::slope, {harris3});
  test.x = "n";
  test.bounds = {.above = 0.95, .below = 1.05, .equals = {}};
  records.push_back(refused);
  EXPECT_EQ(answer_of(test, evidence(records)).verdict, holds);
  EXPECT_EQ(answer_of(test, evidence(records)).parts.size(), 1u);
  records.back()["outcome"] = "failed";
  EXPECT_EQ(answer_of(test, evidence(records)).verdict, undecided) << "what failed is not known";
}

TEST(Claims, AnOptimumLiesAmongValues) {
  struct {
    std::vector<double> times;  // in blocks of 64, 128, 256 and 512
    double tolerance_percent;
    Pick is;
    ClaimVerdict verdict;
  } const cases[] = {
      {{2, 1.5, 1, 1.3}, 0, Pick::fastest, holds},  {{2, 1, 1.5, 1.3}, 0, Pick::fastest, holds},
      {{2, 1.5, 1.3, 1}, 0, Pick::fastest, fails},  {{2, 1.5, 1, 1.004}, 0, Pick::fastest, undecided},
      {{2, 1.5, 1.04, 1}, 0, Pick::fastest, fails}, {{2, 1.5, 1.04, 1}, 10, Pick::fastest, holds},
      {{2, 1.5, 1.3, 1}, 10, Pick::fastest, fails}, {{1, 1.5, 2, 1.3}, 0, Pick::slowest, holds},
      {{2, 1.5, 1, 1.3}, 0, Pick::slowest, fails}};
  ClaimTest test = test_of(ClaimKind::optimum, {{{"variant", "harris5"}}});
  test.x = "block";
  for (const auto& row : cases) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < 4; ++i) records.push_back(of_block(64 << i, row.times[i]));
    test.among = {128, 256};
    test.tolerance_percent = row.tolerance_percent;
    test.is = row.is;
    EXPECT_EQ(answer_of(test, evidence(records)).verdict, row.verdict) << &row - cases;
    test.among = {1024};
    EXPECT_EQ(answer_of(test, evidence(records)).verdict, undecided) << "no such block";
  }
}

TEST(Claims, AStepIsWhereTheWordsLeaveTheCache) {
  ClaimTest test = test_of(ClaimKind::step, {harris3});
  test.x = "n";
  test.bounds.above = 1.5;
  const auto with = [&](double inside, double between, double beyond, double level) {
    EvidenceRun run =
        evidence_of("test", {fresh("reduce/harris3", inside, 512), fresh("reduce/harris3", between, 1024),
                             fresh("reduce/harris3", beyond, 2048)});
    if (level > 0) run.levels["L2"] = level;
    return answer_of(test, Evidence(std::list{run}));
  };
  // 4 KiB: 512 words fill half of it, 1024 all, and 2048 lie beyond.
  EXPECT_EQ(with(1, 1, 2, 4096).verdict, holds);
  EXPECT_EQ(with(1, 1, 2, 4096).parts[0].what, "harris3, n 2Ki / n 512, out of L2");
  EXPECT_EQ(with(1, 2, 1.1, 4096).verdict, fails);
  EXPECT_EQ(with(1, 1, 2, 0).verdict, undecided);
  EXPECT_EQ(with(1, 1, 2, 1e9).verdict, undecided);  // none beyond
}

}  // namespace
}  // namespace redbench
