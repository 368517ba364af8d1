// What the rounds of a search are planned to take.
#include "src/tune/rounds.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <map>

#include "src/json/json.hpp"
#include "src/tune/candidates.hpp"
#include "src/tune/verdict.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

// Rounds of 255 + 8, 128 + 8 and 64 + 8 candidates halve, one of 32 + 8 decides.
TEST(Rounds, SecondsAreOfAllButTheLast) {
  std::vector<Search> searches(2);
  searches[0].left.resize(255);
  searches[1].left.resize(8);
  const RoundCosts costs{.halving = {1, 10}, .deciding = {100, 1000}};
  EXPECT_EQ(costs.seconds(searches), 3 * 1 + (263 + 136 + 72) * 10 + 100 + 40 * 1000);
}

/// A round of harris3, of so many ns with each block, and a search of all of them.
std::pair<Search, Measured> searched(const std::map<Index, double>& times, bool halving) {
  Search search{.variant = find_variant("reduce/harris3"), .point = {}, .input = {}};
  std::vector<Record> records;
  for (const auto& [block, ns] : times) {
    search.left.push_back({{"block", block}});
    records.push_back(measured("reduce/harris3", {ns, ns, ns}));
    records.back()["parameters"] = search.left.back();
  }
  TunedPoint& point = search.point;
  point = {.variant = "reduce/harris3", .type = records[0]["type"], .op = records[0]["operator"], .n = 1024};
  point.axes = records[0]["axes"];
  Measured round{.round = {.halving = halving}, .run = run_of("r", records)};
  for (std::size_t i = 0; i < records.size(); ++i)
    round.timed[line_of({point.variant, 1024, point.type, point.op, point.axes})].push_back(i);
  return {search, round};
}

// The bug: what was fastest at n was lost at n / 16, or never tried again.
TEST(Rounds, HalvingKeepsWhatTheFileHasUntilARoundDecides) {
  std::map<Index, double> times;
  for (Index block = 1; block <= 100; ++block) times[block] = double(block);
  auto [search, round] = searched(times, true);
  search.known = {{"block", 100}};
  std::vector<Search> searches{search};
  keep_faster(searches, round);
  EXPECT_EQ(searches[0].left.size(), 51u) << "the faster half";
  EXPECT_EQ(searches[0].left.back(), search.known);
  round.round.halving = false;
  keep_faster(searches, round);
  EXPECT_EQ(searches[0].left, std::vector<Json>{Json({{"block", 1}})}) << "all are measured at n";
}

// The bug: where the last round told nothing, the default took the place of what had been told faster once.
TEST(Rounds, WhatTheFileHasStaysUnlessItLosesOrSomethingIsFasterThanTheDefault) {
  const Index printed = 256, known = 64, other = 128;
  const auto taken = [&](Index fastest, double printed_ns, double fastest_ns, std::size_t known_tried = 0) {
    auto [search, round] = searched({{printed, printed_ns}, {fastest, fastest_ns}}, false);
    search.known = {{"block", known}};
    search.known_tried = known_tried;
    search.tried = 8;
    std::vector<Search> searches{search};
    searches[0].left = {{{"block", fastest}}};
    set_beside_defaults(searches);
    judge_last(searches, round, 1, "cold");
    return std::pair(searches[0].point.parameters.at("block"), searches[0].keeps_file);
  };
  EXPECT_EQ(taken(other, 1000, 500), std::pair(other, false));
  EXPECT_EQ(taken(other, 1000, 1000), std::pair(known, true));
  EXPECT_EQ(taken(other, 500, 1000), std::pair(known, true)) << "it was not measured";
  EXPECT_EQ(taken(known, 1000, 500), std::pair(known, false));
  EXPECT_EQ(taken(known, 1000, 500, 9), std::pair(known, true)) << "found among more";
  EXPECT_EQ(taken(known, 1000, 1000), std::pair(known, true));
  EXPECT_EQ(taken(known, 500, 1000), std::pair(printed, false));
}

TEST(Rounds, WhatTheFileHasIsLostWhereItGivesNoTimeAtN) {
  auto [search, round] = searched({{128, 1000}, {256, 1000}}, false);
  search.known = {{"block", 64}};
  std::vector<Search> searches{search};
  keep_faster(searches, round);
  EXPECT_TRUE(searches[0].known_lost);
  set_beside_defaults(searches);
  judge_last(searches, round, 1, "cold");
  EXPECT_EQ(searches[0].point.parameters.at("block"), 256);
  EXPECT_FALSE(searches[0].keeps_file);
}

TEST(Rounds, ADefaultThatIsTheFastestIsHeldAgainstWhatTheFileHas) {
  auto [search, round] = searched({{256, 1000}}, false);
  std::vector<Search> searches{search};
  set_beside_defaults(searches);
  EXPECT_TRUE(searches[0].left.empty()) << "nothing is left to measure";
  search.known = {{"block", 64}};
  searches = {search};
  set_beside_defaults(searches);
  EXPECT_EQ(searches[0].left, (std::vector<Json>{{{"block", 256}}, {{"block", 64}}}));
}

// All candidates of cpu_sorted move the same bytes, so they are planned to take the same time.
TEST(Rounds, FewCandidatesTellWhatAllTakeAndNoConfigIsWritten) {
  TemporaryFolder folder;
  OpenDevices open("host");
  const TuneOptions options{.subjects = {"gather/cpu_sorted"}, .request = {.overrides = {.axes = {"n=1Mi"}}}};
  const AskedPoints asked = read_points(options, open.devices(), folder.path());
  const RoundOptions rounds{.devices = open.devices(), .folder = folder.path(), .measure = asked.measure};
  const auto planned_s = [&](std::size_t planned) {
    std::vector<Search> few = asked.searches, all = asked.searches;
    few[0].left = candidates(few[0].variant->card, 8, planned);
    all[0].left = candidates(all[0].variant->card, 8, 512);
    return plan_rounds(few, rounds).seconds(all);
  };
  EXPECT_NEAR(planned_s(8) / planned_s(512), 1, 1e-9);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().filename(), "points.json");
}

}  // namespace
}  // namespace redbench
