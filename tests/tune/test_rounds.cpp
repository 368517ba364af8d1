// What the rounds of a search are planned to take.
#include "src/tune/rounds.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "src/json/json.hpp"
#include "src/tune/candidates.hpp"
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

// The bug: what was fastest at n was lost at n / 16, or never tried again.
TEST(Rounds, HalvingKeepsWhatTheFileHasUntilARoundDecides) {
  Search search{.variant = find_variant("reduce/harris3"), .point = {}, .input = {}};
  search.known = {{"block", 100}};
  std::vector<Record> records;
  for (Index block = 1; block <= 100; ++block) {
    search.left.push_back({{"block", block}});
    records.push_back(measured("reduce/harris3", {double(block), double(block), double(block)}));
    records.back()["parameters"] = search.left.back();
  }
  search.point = {
      .variant = "reduce/harris3", .type = records[0]["type"], .op = records[0]["operator"], .n = 1024};
  search.point.axes = records[0]["axes"];
  Measured round{.round = {.halving = true}, .run = run_of("r", records)};
  for (std::size_t i = 0; i < records.size(); ++i)
    round.timed[line_of({search.point.variant, 1024, search.point.type, search.point.op, search.point.axes})]
        .push_back(i);
  std::vector<Search> searches{search};
  keep_faster(searches, round);
  EXPECT_EQ(searches[0].left.size(), 51u) << "the faster half";
  EXPECT_EQ(searches[0].left.back(), search.known);
  round.round.halving = false;
  keep_faster(searches, round);
  EXPECT_EQ(searches[0].left, std::vector<Json>{Json({{"block", 1}})}) << "all are measured at n";
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
