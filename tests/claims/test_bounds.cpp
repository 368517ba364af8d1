// Numbers against the bounds of a claim, the columns that only claims have, and what is told of an answer:
// each by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/claims/answer_text.hpp"
#include "src/claims/bounds.hpp"
#include "src/claims/columns.hpp"
#include "src/claims/why.hpp"
#include "tests/claims/claim_support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Measured between(double low, double high) { return {(low + high) / 2, Interval{low, high}, false}; }

TEST(HeldAgainst, TheWholeIntervalIsBeyondByTheLeastShare) {
  const Bounds above{.above = 2, .below = {}, .equals = {}}, below{.above = {}, .below = 2, .equals = {}},
      both{.above = 1, .below = 2, .equals = {}};
  struct {
    Bounds bounds;
    double low, high, least;
    Answered verdict;
  } const cases[] = {{above, 2.01, 3, 0, Answered::holds},         {above, 2, 3, 0, Answered::undecided},
                     {above, 1, 2, 0, Answered::undecided},        {below, 2, 3, 0, Answered::undecided},
                     {above, 2.1, 3, 0.06, Answered::undecided},   {above, 2.13, 3, 0.06, Answered::holds},
                     {above, 1, 1.99, 0, Answered::fails},         {above, 1, 1.9, 0.06, Answered::undecided},
                     {above, 1, 1.87, 0.06, Answered::fails},      {above, 1, 3, 0, Answered::undecided},
                     {below, 1, 1.99, 0, Answered::holds},         {below, 1, 1.9, 0.06, Answered::undecided},
                     {below, 1, 1.87, 0.06, Answered::holds},      {below, 2.01, 3, 0, Answered::fails},
                     {below, 2.1, 3, 0.06, Answered::undecided},   {below, 1, 3, 0, Answered::undecided},
                     {both, 1.1, 1.9, 0, Answered::holds},         {both, 1.1, 2.1, 0, Answered::undecided},
                     {both, 0.9, 1.9, 0, Answered::undecided},     {both, 2.1, 2.2, 0, Answered::fails},
                     {both, 0.1, 0.2, 0, Answered::fails},         {both, 0.9, 2.2, 0, Answered::undecided},
                     {both, 1.05, 1.9, 0.06, Answered::undecided}, {both, 1.1, 1.85, 0.06, Answered::holds}};
  for (const auto& one : cases)
    EXPECT_EQ(held_against(one.bounds, between(one.low, one.high), one.least), one.verdict)
        << one.bounds.text() << ": " << one.low << " to " << one.high << ", " << one.least;
  EXPECT_EQ(held_against(above, {5, {}, false}, 0), Answered::undecided) << "without an interval";
}

TEST(HeldAgainst, AnExactNumberIsOrIsNot) {
  const auto exact = [](const Bounds& bounds, double value) {
    return held_against(bounds, {value, {}, true}, 0.5);
  };
  EXPECT_EQ(exact({.above = 2, .below = {}, .equals = {}}, 2), Answered::fails);
  EXPECT_EQ(exact({.above = 2, .below = {}, .equals = {}}, 2.001), Answered::holds);
  EXPECT_EQ(exact({.above = {}, .below = 2, .equals = {}}, 2), Answered::fails);
  EXPECT_EQ(exact({.above = {}, .below = 2, .equals = {}}, 1.999), Answered::holds);
  EXPECT_EQ(exact({.above = {}, .below = {}, .equals = 1000}, 1000.0000001), Answered::holds);
  EXPECT_EQ(exact({.above = {}, .below = {}, .equals = 1000}, 1000.00001), Answered::fails);
  EXPECT_EQ(exact({.above = 1, .below = 3, .equals = {}}, 4), Answered::fails);
  // A part of 1e-9 of the number, of small ones as of 1.
  for (const double sign : {1.0, -1.0}) {
    EXPECT_EQ(exact({.above = {}, .below = {}, .equals = 0.5}, 0.5 + sign * 0.9e-9), Answered::holds);
    EXPECT_EQ(exact({.above = {}, .below = {}, .equals = 0.5}, 0.5 + sign * 1.1e-9), Answered::fails);
    EXPECT_EQ(exact({.above = {}, .below = {}, .equals = -8}, -8 + sign * 7e-9), Answered::holds);
    EXPECT_EQ(exact({.above = {}, .below = {}, .equals = -8}, -8 + sign * 9e-9), Answered::fails);
  }
}

/// Rounds of one process, or of several.
Difference one_process(double log_ratio) {
  std::vector<double> rounds;
  for (int i = -20; i <= 20; ++i) rounds.push_back(log_ratio + i * 1e-4);
  return {.log_ratio = log_ratio, .rounds = rounds};
}
Difference several(double log_ratio) {
  return {.log_ratio = log_ratio, .standard_error = 1e-4, .freedom = 4};
}

TEST(JudgedRatios, AreHeldAgainstTheBoundNotAgainstOne) {
  for (Difference (*const make)(double) : {one_process, several}) {
    const auto judged = [&](double ratio, const Bounds& bounds, double least = 0.01) {
      return judge_ratios({make(std::log(ratio))}, {least}, bounds).at(0);
    };
    const bool one = make == one_process;
    for (const double bound : {0.5, 1.0, 3.0}) {
      const Bounds above{.above = bound, .below = {}, .equals = {}},
          below{.above = {}, .below = bound, .equals = {}};
      for (const auto& [ratio, of_above, of_below] :
           {std::tuple(bound * 1.05, Answered::holds, Answered::fails),
            {bound * 1.008, Answered::undecided, Answered::undecided},
            {bound / 1.05, Answered::fails, Answered::holds},
            {bound / 1.008, Answered::undecided, Answered::undecided}}) {
        EXPECT_EQ(judged(ratio, above).verdict, of_above) << one << ' ' << ratio << " > " << bound;
        EXPECT_EQ(judged(ratio, below).verdict, of_below) << one << ' ' << ratio << " < " << bound;
        const Measured told = *judged(ratio, above).ratio;
        EXPECT_NEAR(told.value, ratio, 1e-9);
        EXPECT_NEAR(told.interval->low, ratio, 0.003 * ratio);
        EXPECT_NEAR(told.interval->high, ratio, 0.003 * ratio);
        EXPECT_LT(told.interval->low, ratio);
        EXPECT_GT(told.interval->high, ratio);
      }
      EXPECT_EQ(judged(bound * 1.05, above, 0.06).verdict, Answered::undecided) << "its own least difference";
    }
    const Bounds both{.above = 1.2, .below = 1.5, .equals = {}};
    EXPECT_EQ(judged(1.3, both).verdict, Answered::holds);
    EXPECT_EQ(judged(1.1, both).verdict, Answered::fails);
    EXPECT_EQ(judged(1.6, both).verdict, Answered::fails);
    EXPECT_EQ(judged(1.5, both).verdict, Answered::undecided);
  }
  const std::vector<JudgedRatio> none =
      judge_ratios({std::nullopt, several(1)}, {0.01, 0.01}, {.above = 1, .below = {}, .equals = {}});
  EXPECT_FALSE(none[0].ratio);
  EXPECT_EQ(none[0].verdict, Answered::undecided);
  EXPECT_EQ(none[1].verdict, Answered::holds);
}

TEST(OverCases, EachStatisticIsOfTheValuesAndOfBothEnds) {
  const std::vector<Measured> cases{
      {10, Interval{9, 14}, false}, {2, Interval{1, 4}, false}, {3, Interval{2, 6}, false}};
  struct {
    Over over;
    double value, low, high;
  } const expected[] = {
      {Over::lowest, 2, 1, 4}, {Over::highest, 10, 9, 14}, {Over::median, 3, 2, 6}, {Over::mean, 5, 4, 8}};
  for (const auto& one : expected) {
    const Measured found = over_cases(one.over, cases);
    EXPECT_EQ(found.value, one.value) << int(one.over);
    ASSERT_TRUE(found.interval);
    EXPECT_EQ(found.interval->low, one.low) << int(one.over);
    EXPECT_EQ(found.interval->high, one.high) << int(one.over);
    EXPECT_FALSE(found.is_exact);
  }
  const Measured exact{4, {}, true};
  EXPECT_TRUE(over_cases(Over::mean, {exact, exact}).is_exact);
  EXPECT_FALSE(over_cases(Over::mean, {exact, exact}).interval);
  const Measured mixed = over_cases(Over::mean, {exact, {6, Interval{5, 8}, false}});
  EXPECT_EQ(mixed.interval->low, 4.5);
  EXPECT_EQ(mixed.interval->high, 6);
  EXPECT_FALSE(over_cases(Over::mean, {{6, {}, false}, {6, Interval{5, 8}, false}}).interval)
      << "of one process";
}

TEST(Slope, IsOfLogarithmsWithTheWorseHalfOfEachInterval) {
  const std::vector<double> x{1, 2, 4, 8};
  std::vector<Measured> y;
  for (const double at : x)
    y.push_back({5 * at * at, Interval{5 * at * at / 1.1, 5 * at * at * 1.05}, false});
  const Measured slope = slope_of(x, y, 0.02);
  EXPECT_NEAR(slope.value, 2, 1e-12);
  // Weights of logarithms in steps of ln 2: -1.5, -0.5, 0.5, 1.5, over their squares' sum, 5.
  const double half = std::log(1.1) + std::log(1.02), error = half * std::sqrt(5) / 5 / std::log(2);
  EXPECT_NEAR(slope.interval->low, 2 - error, 1e-12);
  EXPECT_NEAR(slope.interval->high, 2 + error, 1e-12);
  y[2].interval.reset();
  EXPECT_FALSE(slope_of(x, y, 0.02).interval);
}

TEST(ClaimColumns, EachFollowsFromItsRecord) {
  Record record = fresh("reduce/harris3", 1.0);
  const auto of = [&](const char* column) { return column_of(record, column); };
  EXPECT_TRUE(of("words").is_null());
  EXPECT_TRUE(of("rest_bits").is_null());
  record["parameters"] = {{"sets", 8}};
  EXPECT_TRUE(of("words").is_null()) << "of how many sets of words";
  record["parameters"] = Json::object();
  record["axes"]["m"] = 1024;
  EXPECT_TRUE(of("words").is_null()) << "of how many words in a set";
  EXPECT_TRUE(of("rest_bits").is_null());
  EXPECT_TRUE(of("passes").is_null());
  EXPECT_TRUE(of("transfers_per_access").is_null());
  EXPECT_TRUE(of("different_results").is_null());
  EXPECT_TRUE(of("serial_of_measured").is_null());
  record["parameters"] = {{"sets", 8}, {"sort_bits", 3}};
  EXPECT_EQ(of("words"), 8192);
  EXPECT_EQ(of("rest_bits"), 10) << "13 less 3";
  record["launches"] = {launch_of(4), launch_of(2), launch_of(1, 0)};
  EXPECT_EQ(of("passes"), 2) << "one only clears";
  record["trace"] = {{{"access", "load"}, {"lanes", 32}, {"cache_lines", 1}},
                     {{"access", "store"}, {"lanes", 16}, {"cache_lines", 6}, {"level", 0}},
                     {{"access", "store"}, {"lanes", 4}, {"cache_lines", 4}, {"level", 1}}};
  EXPECT_EQ(of("transfers_per_access"), 0.5) << "10 of 20, those of levels";
  for (const char* without : {"lanes", "cache_lines"}) {
    Record part = record;
    for (Json& access : part["trace"]) access.erase(without);
    EXPECT_TRUE(column_of(part, "transfers_per_access").is_null()) << without;
  }
  record["result_digests"] = {{"aa", "bb", "aa"}, {"cc", "aa", "bb"}};
  EXPECT_EQ(of("different_results"), 3);
  record["result_digests"] = Json::array({Json::array({"aa", "aa"})});
  EXPECT_EQ(of("different_results"), 1);
  record["result_digests"] = Json::array({Json::array({"aa"})});
  EXPECT_TRUE(of("different_results").is_null()) << "nothing to be the same as";
  record["ns_per_input"] = 4.0;
  record[predicted_field] = {{"serial", 6.0}, {"overlapped", 3.0}};
  EXPECT_EQ(of("serial_of_measured"), 1.5);
  EXPECT_EQ(of("overlapped_of_measured"), 0.75);
  record["ns_per_input"] = nullptr;
  EXPECT_TRUE(of("serial_of_measured").is_null()) << "of no time";
  record["ns_per_input"] = 4.0;
  record[predicted_field] = {{"serial", nullptr}};
  EXPECT_TRUE(of("serial_of_measured").is_null());
  EXPECT_TRUE(of("overlapped_of_measured").is_null()) << "not predicted";
  record["counters"] = {{"block_barriers", 7}};
  EXPECT_EQ(of("block_barriers"), 7);
  EXPECT_EQ(of("n"), claimed_n);
  EXPECT_TRUE(of("nothing").is_null());
}

// A variant alone is also called without its problem.
TEST(ClaimColumns, ARecordFitsByEachOfItsColumns) {
  Record record = fresh("reduce/harris3", 1.0, 1000);
  record["axes"]["labels"] = "zipf/1";
  record["parameters"] = {{"block", 256}};
  for (const auto& [where, fits] : {std::pair(Json::object(), true),
                                    {Json{{"variant", "reduce/harris3"}}, true},
                                    {Json{{"variant", "harris3"}}, true},
                                    {Json{{"variant", "reduce"}}, false},
                                    {Json{{"variant", {"harris2", "harris3"}}}, true},
                                    {Json{{"variant", {"harris2", "harris4"}}}, false},
                                    {Json{{"labels", "zipf/1"}}, true},
                                    {Json{{"labels", "1"}}, false},
                                    {Json{{"block", {128, 256}}, {"n", 1000}}, true},
                                    {Json{{"block", 256}, {"n", 1001}}, false},
                                    {Json{{"block", "256"}}, false},
                                    {Json{{"sets", 8}}, false}})
    EXPECT_EQ(fits_where(record, where), fits) << where;
}

TEST(ClaimColumns, WhatFollowsTheTimeHasItsInterval) {
  for (const auto& [column, follows] : {std::pair("time_ns", Follows::time),
                                        {"ns_per_input", Follows::time},
                                        {"bandwidth_gb_per_s", Follows::against},
                                        {"percent_of_ceiling", Follows::against},
                                        {"serial_of_measured", Follows::against},
                                        {"overlapped_of_measured", Follows::against},
                                        {"words", Follows::exact},
                                        {"passes", Follows::exact},
                                        {"different_results", Follows::exact},
                                        {"shared_load_conflicts", Follows::exact}})
    EXPECT_EQ(follows_time(column), follows) << column;
  for (const char* column : {"transfers_per_access", "sectors", "shared_load_conflicts", "divergent_percent"})
    EXPECT_TRUE(is_counted(column)) << column;
  for (const char* column : {"time_ns", "words", "passes", "n"}) EXPECT_FALSE(is_counted(column)) << column;
}

ClaimPart part(const char* what, Answered verdict, double value, double low, double high, double bound) {
  ClaimPart one;
  one.what = what;
  one.verdict = verdict;
  one.value = value;
  one.low = low;
  one.high = high;
  one.bounds.above = bound;
  return one;
}

TEST(WhyAClaim, TheNumberThatIsNearestToItsBoundOrFurthestFromIt) {
  const std::vector<ClaimPart> hold{part("a", Answered::holds, 1.5, 1.4, 1.6, 1),
                                    part("b", Answered::holds, 1.2, 1.1, 1.3, 1),
                                    part("c", Answered::holds, 3, 2, 4, 1)};
  EXPECT_EQ(why_of(Answered::holds, {hold}), "3 of 3 hold, nearest b: 1.200 (1.100 to 1.300), asked > 1");
  std::vector<ClaimPart> fail = hold;
  fail[0] = part("d", Answered::fails, 0.9, 0.8, 0.95, 1);
  fail[1] = part("e", Answered::fails, 0.5, 0.4, 0.6, 1);
  EXPECT_EQ(why_of(Answered::fails, {fail}),
            "2 of 3 do not hold, furthest e: 0.5000 (0.4000 to 0.6000), asked > 1");
  fail[1].decides = false;
  EXPECT_EQ(why_of(Answered::fails, {fail}),
            "1 of 2 do not hold, furthest d: 0.9000 (0.8000 to 0.9500), asked > 1");
  ClaimPart open = part("f", Answered::undecided, 1, 0.9, 1.1, 1);
  open.why = "too near";
  EXPECT_EQ(why_of(Answered::undecided, {{open}}), "f: 1.000 (0.9000 to 1.100), asked > 1: too near");
  EXPECT_EQ(why_of(Answered::undecided, {{hold[0]}, {open, hold[1]}, {open, hold[1]}}),
            "1 of 2 undecided, first f: 1.000 (0.9000 to 1.100), asked > 1: too near")
      << "the same is said once";
  std::vector<std::vector<ClaimPart>> many;
  for (const char* what : {"a", "b", "c", "d", "e"})
    many.push_back({part(what, Answered::holds, 2, 2, 2, 1)});
  const std::string three =
      "a: 2.000 (2.000 to 2.000), asked > 1; b: 2.000 (2.000 to 2.000), asked > 1; c: 2.000 (2.000 to "
      "2.000), "
      "asked > 1";
  EXPECT_EQ(why_of(Answered::holds, many), three + "; and 2 more");
  many.pop_back();
  EXPECT_EQ(why_of(Answered::holds, many), three + "; and 1 more");
  many.pop_back();
  EXPECT_EQ(why_of(Answered::holds, many), three);
  EXPECT_EQ(why_of(Answered::fails, many), "");
}

// A bound that is not there is not at 0.
TEST(WhyAClaim, ANumberIsNearToTheBoundsThatItHas) {
  const std::vector<ClaimPart> hold{part("a", Answered::holds, -0.5, -0.6, -0.4, -1),
                                    part("b", Answered::holds, 0.125, 0.1, 0.2, -1)};
  EXPECT_EQ(why_of(Answered::holds, {hold}),
            "2 of 2 hold, nearest a: -0.5000 (-0.6000 to -0.4000), asked > -1");
  std::vector<ClaimPart> fail = hold;
  for (ClaimPart& one : fail) {
    one.verdict = Answered::fails;
    one.bounds = {.above = {}, .below = -1, .equals = {}};
  }
  EXPECT_EQ(why_of(Answered::fails, {fail}),
            "2 of 2 do not hold, furthest b: 0.1250 (0.1000 to 0.2000), asked < -1");
}

TEST(WhyAClaim, ANumberIsToldWithBothEndsOrAlone) {
  ClaimPart one = part("a", Answered::holds, 2.5, 1.25, 3.75, 1);
  EXPECT_EQ(number_text(one), "2.500 (1.250 to 3.750)");
  one.high.reset();
  EXPECT_EQ(number_text(one), "2.5");
  one.low.reset();
  one.high = 3.75;
  EXPECT_EQ(number_text(one), "2.5");
  one.high.reset();
  EXPECT_EQ(number_text(one), "2.5");
  one.value.reset();
  EXPECT_EQ(number_text(one), "");
}

TEST(ClaimsJson, EachFieldOfAClaimAndOfItsPartsIsItsOwn) {
  ClaimTest ratio = test_of(ClaimKind::ratio, {}), value = test_of(ClaimKind::value, {});
  const Claim claim{"paper", "A paper", "an-id", "section 3", "so it is", {ratio, value}};
  ClaimAnswer told;
  told.claim = &claim;
  told.verdict = Answered::fails;
  told.why = "because";
  told.parts = {part("a / b", Answered::holds, 2, 1.5, 2.5, 1)};
  told.parts[0].unit = "GB/s";
  told.parts[0].records = {"folder#key", "other#key"};
  told.parts[0].least_difference = 0.015;
  told.parts[0].is_self_tested = true;
  ClaimPart& empty = told.parts.emplace_back();
  empty.what = "nothing";
  empty.why = "no record";
  empty.decides = false;
  told.missing = {"configs/x.json"};
  ClaimAnswer open;
  open.claim = &claim;
  const std::vector<ClaimAnswer> answers{told, open, told};
  const Evidence of_one = evidence({fresh("reduce/harris3", 1.0)});
  const Json json = to_json(answers, of_one);
  EXPECT_EQ(json["claims"][0], (Json{{"id", "an-id"},
                                     {"paper", "paper"},
                                     {"paper_title", "A paper"},
                                     {"source", "section 3"},
                                     {"sentence", "so it is"},
                                     {"kind", "ratio, value"},
                                     {"verdict", "does not hold"},
                                     {"why", "because"},
                                     {"parts",
                                      {{{"what", "a / b"},
                                        {"value", 2.0},
                                        {"low", 1.5},
                                        {"high", 2.5},
                                        {"unit", "GB/s"},
                                        {"bound", "> 1"},
                                        {"verdict", "holds"},
                                        {"why", ""},
                                        {"decides", true},
                                        {"records", {"folder#key", "other#key"}}},
                                       {{"what", "nothing"},
                                        {"value", nullptr},
                                        {"low", nullptr},
                                        {"high", nullptr},
                                        {"unit", ""},
                                        {"bound", ""},
                                        {"verdict", "undecided"},
                                        {"why", "no record"},
                                        {"decides", false},
                                        {"records", Json::array()}}}},
                                     {"smallest_difference_percent", 1.5},
                                     {"missing", {"configs/x.json"}}}));
  EXPECT_TRUE(json["claims"][1]["smallest_difference_percent"].is_null());
  EXPECT_EQ(json["counts"], (Json{{"holds", 0}, {"does not hold", 2}, {"undecided", 1}}));
  EXPECT_EQ(json["schema"], 1);
  EXPECT_EQ(json["hardware"], Json{"NVIDIA Test"});
  EXPECT_EQ(json["damaged"], Json::array());
  EXPECT_EQ(json.size(), 5u);
  EXPECT_EQ(summary_of(answers), "0 hold, 2 do not hold, 1 undecided");
  const std::string text = markdown(answers, of_one);
  EXPECT_THAT(text, HasSubstr("\n## A paper\n\n| claim | what the paper says | where | verdict | why |\n"));
  EXPECT_THAT(text, HasSubstr("| an-id | so it is | section 3 | does not hold | because |\n"));
  EXPECT_THAT(text, HasSubstr("Without a self-test of the hardware it is 1 %."));
  const Evidence tested(std::list{evidence_of("test", {})},
                        {{"NVIDIA Test", LeastDifference{"selftest", 0.005, 0.03}}});
  EXPECT_THAT(
      least_difference_text(tested),
      HasSubstr("NVIDIA Test: a ratio counts from 0.50 % on within a run and from 3.0 % on between runs "
                "(selftest). "));
}

}  // namespace
}  // namespace redbench
