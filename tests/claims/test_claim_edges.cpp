// Claims at their edges: a rounding error, one byte, a count of one, and what a record or a part lacks.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/claims/bounds.hpp"
#include "src/claims/columns.hpp"
#include "src/claims/why.hpp"
#include "src/records/columns.hpp"
#include "src/strict_json.hpp"
#include "tests/claims/claim_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

// Of small numbers a billionth of 1 is left to rounding, of large ones a billionth of themselves.
TEST(ClaimEdges, AnExactNumberIsEqualWithinABillionth) {
  for (const auto& [equals, value, verdict] : {std::tuple(2.0, 2 + 1.9e-9, Answered::holds),
                                               {2.0, 2 + 2.1e-9, Answered::fails},
                                               {2.0, 2 - 1.9e-9, Answered::holds},
                                               {2.0, 2 - 2.1e-9, Answered::fails},
                                               {0.25, 0.25 + 0.9e-9, Answered::holds},
                                               {0.25, 0.25 + 1.1e-9, Answered::fails},
                                               {0.0, -0.9e-9, Answered::holds},
                                               {0.0, -1.1e-9, Answered::fails},
                                               {-1000.0, -1000 - 0.9e-6, Answered::holds},
                                               {-1000.0, -1000 + 1.1e-6, Answered::fails}})
    EXPECT_EQ(held_against({.above = {}, .below = {}, .equals = equals}, {value, {}, true}, 0), verdict)
        << equals << " and " << value - equals;
  const Bounds all{.above = 1, .below = 9, .equals = 5};
  for (const auto& [value, verdict] :
       {std::pair(5.0, Answered::holds), {4.0, Answered::fails}, {6.0, Answered::fails}})
    EXPECT_EQ(held_against(all, {value, {}, true}, 0), verdict) << value;
  EXPECT_EQ(held_against({.above = 5, .below = {}, .equals = 5}, {5, {}, true}, 0), Answered::fails);
  EXPECT_EQ(held_against({.above = {}, .below = 5, .equals = 5}, {5, {}, true}, 0), Answered::fails);
}

// A share of a bound below zero is as wide as of the one above.
TEST(ClaimEdges, TheLeastShareOfANegativeBoundIsOfItsSize) {
  const Bounds above{.above = -2, .below = {}, .equals = {}}, below{.above = {}, .below = -2, .equals = {}};
  const auto verdict = [](const Bounds& bounds, double low, double high) {
    return held_against(bounds, {(low + high) / 2, Interval{low, high}, false}, 0.25);
  };
  EXPECT_EQ(verdict(above, -1.4, -1), Answered::holds);
  EXPECT_EQ(verdict(above, -1.6, -1), Answered::undecided);
  EXPECT_EQ(verdict(above, -4, -2.6), Answered::fails);
  EXPECT_EQ(verdict(above, -4, -2.4), Answered::undecided);
  EXPECT_EQ(verdict(below, -4, -2.6), Answered::holds);
  EXPECT_EQ(verdict(below, -4, -2.4), Answered::undecided);
  EXPECT_EQ(verdict(below, -1.4, -1), Answered::fails);
  EXPECT_EQ(verdict(below, -1.6, -1), Answered::undecided);
}

TEST(ClaimEdges, OfEvenlyManyCasesTheMedianIsInTheMiddle) {
  const std::vector<Measured> cases{{8, Interval{7, 12}, false},
                                    {1, Interval{0.5, 3}, false},
                                    {2, Interval{1.5, 2.5}, false},
                                    {5, Interval{3, 6}, false}};
  struct {
    Over over;
    double value, low, high;
  } const expected[] = {{Over::median, 3.5, 2.25, 4.5},
                        {Over::mean, 4, 3, 5.875},
                        {Over::each, 4, 3, 5.875},
                        {Over::lowest, 1, 0.5, 2.5},
                        {Over::highest, 8, 7, 12}};
  for (const auto& one : expected) {
    const Measured found = over_cases(one.over, cases);
    EXPECT_EQ(found.value, one.value) << int(one.over);
    ASSERT_TRUE(found.interval);
    EXPECT_EQ(found.interval->low, one.low) << int(one.over);
    EXPECT_EQ(found.interval->high, one.high) << int(one.over);
  }
}

// Three ratios, one of which is no more than the upper bound: of the two that are beyond it more are wrong,
// so that their intervals are wider. The one of the lower bound is told. 2.776 is Student's of four degrees
// of freedom.
TEST(ClaimEdges, ARatioIsToldWithTheIntervalOfItsFirstBound) {
  const auto of = [](double ratio) {
    return Difference{.log_ratio = std::log(ratio), .standard_error = 1e-4, .freedom = 4};
  };
  const std::vector<std::optional<Difference>> ratios{of(1.3), of(2), of(0.5)};
  const Bounds above{.above = 1.2, .below = {}, .equals = {}}, below{.above = {}, .below = 2, .equals = {}},
      both{.above = 1.2, .below = 2, .equals = {}};
  const auto judged = [&](const Bounds& bounds) { return judge_ratios(ratios, {0.01, 0.5, 0.01}, bounds); };
  const double half = 2.776445e-4;
  for (const Bounds& bounds : {above, both})
    for (const auto& [i, ratio] : {std::pair(0, 1.3), {1, 2.0}, {2, 0.5}}) {
      const JudgedRatio one = judged(bounds)[std::size_t(i)];
      ASSERT_TRUE(one.ratio);
      EXPECT_NEAR(one.ratio->value, ratio, 1e-9);
      EXPECT_FALSE(one.ratio->is_exact);
      EXPECT_NEAR(one.ratio->interval->low, ratio * std::exp(-half), 1e-8) << ratio;
      EXPECT_NEAR(one.ratio->interval->high, ratio * std::exp(half), 1e-8) << ratio;
    }
  EXPECT_LT(judged(below)[0].ratio->interval->low, 1.3 * std::exp(-1.1 * half));
  EXPECT_GT(judged(below)[0].ratio->interval->high, 1.3 * std::exp(1.1 * half));
  const auto verdicts = [&](const Bounds& bounds) {
    std::vector<Answered> all;
    for (const JudgedRatio& one : judged(bounds)) all.push_back(one.verdict);
    return all;
  };
  using enum Answered;
  EXPECT_EQ(verdicts(above), (std::vector{holds, holds, fails})) << "2 / 1.2 is more than 1.5";
  EXPECT_EQ(verdicts(below), (std::vector{holds, undecided, holds}));
  EXPECT_EQ(verdicts(both), (std::vector{holds, undecided, fails}));
  EXPECT_EQ(verdicts({.above = 1.4, .below = {}, .equals = {}}), (std::vector{fails, undecided, fails}))
      << "2 / 1.4 is less than 1.5";
}

// Logarithms of x in steps of ln 2: 0, 1, 3, with a mean of 4/3, so -4/3, -1/3 and 5/3 from it, whose squares
// sum up to 14/3. Those of y: 0, 2 and 3 above the first, so the slope is (-2/3 + 15/3) / (14/3).
TEST(ClaimEdges, ASlopeHasOfEachPointTheWorseHalf) {
  const std::vector<Measured> y{{3, Interval{3 / 1.1, 3 * 1.2}, false},
                                {12, Interval{12 / 1.3, 12 * 1.05}, false},
                                {24, Interval{24 / 1.01, 24 * 1.02}, false}};
  const Measured slope = slope_of({5, 10, 40}, y, 0.03);
  EXPECT_NEAR(slope.value, 13.0 / 14, 1e-12);
  EXPECT_FALSE(slope.is_exact);
  double variance = 0;
  for (const auto& [weight, worse] : {std::pair(4.0, 1.2), {1.0, 1.3}, {5.0, 1.02}})
    variance += std::pow(weight / 14 / std::log(2) * (std::log(worse) + std::log(1.03)), 2);
  ASSERT_TRUE(slope.interval);
  EXPECT_NEAR(slope.interval->low, 13.0 / 14 - std::sqrt(variance), 1e-12);
  EXPECT_NEAR(slope.interval->high, 13.0 / 14 + std::sqrt(variance), 1e-12);
  std::vector<Measured> without = y;
  without[0].interval.reset();
  EXPECT_NEAR(slope_of({5, 10, 40}, without, 0.03).value, 13.0 / 14, 1e-12);
  EXPECT_FALSE(slope_of({5, 10, 40}, without, 0.03).interval);
}

TEST(ClaimEdges, ATransferNeedsBothItsCounts) {
  Record record = fresh("reduce/harris3", 1.0);
  const auto of = [&](const Json& trace) {
    record["trace"] = trace;
    return column_of(record, "transfers_per_access");
  };
  const Json lanes{{"level", 0}, {"lanes", 32}}, lines{{"level", 0}, {"cache_lines", 4}};
  EXPECT_EQ(of(Json::array({lanes})), nullptr) << "of how many transfers";
  EXPECT_EQ(of(Json::array({lines})), nullptr) << "of how many accesses";
  EXPECT_EQ(of(Json::array({lanes, lines})), 0.125);
  EXPECT_EQ(of(Json::array({{{"level", 0}, {"lanes", 1}, {"cache_lines", 3}}})), 3);
  EXPECT_EQ(of(Json::array({{{"level", 2}, {"lanes", 4}, {"cache_lines", 1}}})), 0.25);
  EXPECT_EQ(of(Json::array({7, "level", lanes, {{"level", 0}, {"lanes", "many"}, {"cache_lines", 8}}})), 0.25)
      << "what is no number is left out";
  EXPECT_EQ(of(Json::array({{{"lanes", 4}, {"cache_lines", 1}}})), nullptr) << "of no level";
  EXPECT_EQ(of({{"level", 0}, {"lanes", 4}, {"cache_lines", 1}}), nullptr) << "no list";
}

TEST(ClaimEdges, APredictionNeedsTheMeasuredTimeAndAnObject) {
  Record record = fresh("reduce/harris3", 1.0);
  const auto of = [&](const Json& predicted, const Json& measured) {
    record[predicted_field] = predicted;
    record["ns_per_input"] = measured;
    return Json{column_of(record, "serial_of_measured"), column_of(record, "overlapped_of_measured")};
  };
  const Json both{{"serial", 6}, {"overlapped", 3}};
  EXPECT_EQ(of(both, 8), (Json{0.75, 0.375}));
  EXPECT_EQ(of(both, nullptr), (Json{nullptr, nullptr})) << "nothing to hold it against";
  EXPECT_EQ(of(both, "8"), (Json{nullptr, nullptr}));
  EXPECT_EQ(of(7, 8), (Json{nullptr, nullptr}));
  EXPECT_EQ(of({{"serial", "6"}, {"overlapped", 3}}, 8), (Json{nullptr, 0.375}));
  record.erase(predicted_field);
  EXPECT_EQ(column_of(record, "serial_of_measured"), nullptr);
}

TEST(ClaimEdges, CountsOfOneAreCounts) {
  Record record = fresh("reduce/harris3", 1.0);
  record["launches"] = {launch_of(4, 1), launch_of(2, 0.5), launch_of(1, 0)};
  EXPECT_EQ(column_of(record, "passes"), 2) << "a byte is read";
  record["launches"] = {launch_of(1, 0)};
  EXPECT_EQ(column_of(record, "passes"), 0);
  record["launches"] = "none";
  EXPECT_EQ(column_of(record, "passes"), nullptr);
  for (const auto& [digests, different] : {std::pair(R"([["aa"], ["bb"]])", Json(2)),
                                           {R"([["aa"], ["aa"]])", Json(1)},
                                           {R"([["aa", "bb"]])", Json(2)},
                                           {R"([["aa"], []])", Json()},
                                           {R"([])", Json()},
                                           {R"("aa")", Json()}}) {
    record["result_digests"] = Json::parse(digests);
    EXPECT_EQ(column_of(record, "different_results"), different) << digests;
  }
  record["axes"]["m"] = 16;
  record["parameters"] = {{"sets", 1}, {"sort_bits", 6}};
  EXPECT_EQ(column_of(record, "words"), 16);
  EXPECT_EQ(column_of(record, "rest_bits"), -2);
  EXPECT_EQ(number_of(record, "rest_bits"), -2);
  record["parameters"] = {{"sets", 1}, {"sort_bits", "6"}};
  EXPECT_EQ(column_of(record, "rest_bits"), nullptr);
  EXPECT_EQ(number_of(record, "rest_bits"), std::nullopt);
  EXPECT_EQ(number_of(record, "variant"), std::nullopt) << "a text";
  EXPECT_EQ(column_of(record, "variant"), "reduce/harris3");
}

TEST(ClaimEdges, TheColumnsOfClaimsAreTheseSeven) {
  EXPECT_EQ(
      derived_columns_markdown(),
      "| `words` | m × sets: the words of all sets of buckets |\n"
      "| `rest_bits` | log2(m × sets) less the bits that the input is sorted by |\n"
      "| `passes` | launches that read something: without those that only clear |\n"
      "| `transfers_per_access` | of the traced warp's accesses of a level: 128-byte transfers for each "
      "access |\n"
      "| `different_results` | results that differ in a bit, of repeated runs of one case "
      "(`result_digests`) |\n"
      "| `serial_of_measured` | the time that the cache simulator's model `serial` predicts, over the "
      "measured one |\n"
      "| `overlapped_of_measured` | the same of the model `overlapped` |\n");
  std::vector<std::string> others = record_columns().others;
  for (const char* name : {"words", "rest_bits", "passes", "transfers_per_access", "different_results",
                           "serial_of_measured", "overlapped_of_measured"})
    others.emplace_back(name);
  EXPECT_EQ(claim_columns().others, others);
  for (const char* exact :
       {"words", "rest_bits", "passes", "transfers_per_access", "different_results", "n"}) {
    EXPECT_EQ(follows_time(exact), Follows::exact) << exact;
    EXPECT_EQ(is_counted(exact), std::string_view(exact) == "transfers_per_access") << exact;
  }
}

void write_run(const TemporaryFolder& folder, const std::string& name, const Json& device,
               const std::string& config = "fig1", const std::vector<Record>& records = {}) {
  Json facts = run_of(name, {}).facts;
  facts["name"] = config;
  facts["device"] = device;
  std::string lines;
  for (const Record& record : records) lines += line_of(record) + '\n';
  folder.write(name + "/records.jsonl", lines);
  folder.write(name + "/run.json", line_of(facts));
}

TEST(ClaimEdges, ACacheOfOneByteIsOne) {
  const TemporaryFolder folder;
  write_run(folder, "a", {{"name", "cuda:0"}, {"l2_bytes", 1}});
  write_run(folder, "b", {{"name", "host"}, {"l2_bytes", 5}});
  write_run(folder, "c", {{"name", "simt:h200"}, {"l2_bytes", -1}});
  write_run(folder, "d", {{"name", 7}, {"l2_bytes", 3}});
  for (const char* run : {"a", "b", "d"})
    folder.write(std::string(run) + "/cachesim/host.json", R"({"levels": [{"name": "L1", "bytes": 1},
      {"name": "L2", "bytes": -3}, {"name": "L3", "bytes": 2.5}]})");
  folder.write("e/records.jsonl", "");
  folder.write("e/run.json", "{");
  const Evidence evidence({folder.path()}, {"fig1"});
  std::vector<std::map<std::string, double>> levels;
  for (const EvidenceRun* run : evidence.runs_of("fig1")) levels.push_back(run->levels);
  const std::map<std::string, double> of_host{{"L1", 1}, {"L3", 2.5}};
  EXPECT_EQ(levels, (std::vector<std::map<std::string, double>>{{{"L2", 1}}, of_host, {}, of_host}));
  EXPECT_EQ(evidence.damaged(), std::vector{usage_error([&] { read_facts(folder.path() + "/e/run.json"); })});
  EXPECT_EQ(evidence.least_difference("NVIDIA Test"), nullptr);
}

// Of two self-tests of one hardware the first counts, of the others one is without a record, one is no JSON,
// one has a stale record after another, and one tells no least difference.
TEST(ClaimEdges, TheFirstSelfTestOfAHardwareCounts) {
  const TemporaryFolder folder;
  const auto self_test = [&](const std::string& name, const std::vector<Record>& records, const Json& within,
                             const Json& between) {
    write_run(folder, name + "/first", {{"name", "cuda:0"}}, "selftest", records);
    const auto percent = [](const Json& least) { return Json{{"least_difference_called_percent", least}}; };
    const Json told{
        {"runs", {"first"}}, {"within_a_run", percent(within)}, {"between_runs", percent(between)}};
    return folder.write(name + "/selftest.json", line_of(told));
  };
  const auto of_hardware = [](const char* hardware) {
    Record record = fresh("reduce/harris3", 1.0);
    record["hardware"] = hardware;
    return record;
  };
  Record stale = of_hardware("D");
  stale["measured_by"] = "another";
  self_test("a", {of_hardware("A"), of_hardware("A")}, 0.75, 2.5);
  self_test("b", {of_hardware("A")}, 0.5, 3);
  self_test("c", {}, 0.5, 3);
  self_test("d", {of_hardware("D"), stale}, 0.5, 3);
  self_test("e", {of_hardware("E")}, 1, 1.25);
  self_test("f", {of_hardware("F")}, 0.5, -3);
  const std::string broken = self_test("g", {of_hardware("G")}, 0.5, 3);
  folder.write("g/selftest.json", "{");
  const Evidence evidence({folder.path()}, {"fig1"});
  std::string all;
  for (const auto& [hardware, least] : evidence.least_differences())
    all += fmt::format("{}: {} {} {}\n", hardware, least.within_a_run, least.between_runs,
                       least.folder.substr(folder.path().size()));
  EXPECT_EQ(all, "A: 0.0075 0.025 /a\nE: 0.01 0.0125 /e\n");
  ASSERT_NE(evidence.least_difference("E"), nullptr);
  EXPECT_EQ(evidence.least_difference("E")->folder, folder.path() + "/e");
  EXPECT_EQ(evidence.least_difference("D"), nullptr);
  EXPECT_EQ(evidence.damaged(), std::vector{usage_error([&] { read_json_file(broken, "a self-test"); })});
  EXPECT_TRUE(evidence.runs_of("selftest").empty()) << "no claim asks for it";
  EXPECT_TRUE(evidence.hardware().empty());
}

// What was at the place of a number or of a bound before it was taken away does not count.
TEST(ClaimEdges, APartWithoutANumberOrABoundIsFarFromAny) {
  ClaimPart none;
  none.what = "none";
  none.verdict = Answered::holds;
  none.bounds.above = 1;
  none.value = 1.01;
  none.value.reset();
  ClaimPart far = none;
  far.what = "far";
  far.value = 5;
  far.bounds = {.above = 2, .below = 5.125, .equals = 4.875};
  far.bounds.below.reset();
  far.bounds.equals.reset();
  ClaimPart near = none;
  near.what = "near";
  near.value = 4;
  near.bounds = {.above = {}, .below = 6, .equals = {}};
  EXPECT_EQ(why_of(Answered::holds, {{none, far, near}}), "3 of 3 hold, nearest near: 4, asked < 6");
  // The nearest of its two bounds counts: 1 is less than the 2 of `near`.
  ClaimPart between = near;
  between.what = "between";
  between.value = 8;
  between.bounds = {.above = 7, .below = 20, .equals = {}};
  EXPECT_EQ(why_of(Answered::holds, {{near, between, far}}),
            "3 of 3 hold, nearest between: 8, asked 7 to 20");
  for (ClaimPart* part : {&far, &near, &between}) part->verdict = Answered::fails;
  EXPECT_EQ(why_of(Answered::fails, {{near, far, between}}),
            "3 of 3 do not hold, furthest far: 5, asked > 2");
  between.bounds = {.above = {}, .below = {}, .equals = 12.5};
  EXPECT_EQ(why_of(Answered::fails, {{near, far, between}}),
            "3 of 3 do not hold, furthest between: 8, asked = 12.5");
  none.verdict = Answered::undecided;
  none.why = "no record";
  EXPECT_EQ(why_of(Answered::undecided, {{none}, {none, far}}),
            "none: no record; 1 of 2 undecided, first "
            "none: no record");
  none.what = "";
  EXPECT_EQ(why_of(Answered::undecided, {{none}}), "no record");
  far.what = "";
  EXPECT_EQ(why_of(Answered::fails, {{far}}), "5, asked > 2");
  far.decides = false;
  EXPECT_EQ(why_of(Answered::fails, {{far}, {}}), "");
}

}  // namespace
}  // namespace redbench
