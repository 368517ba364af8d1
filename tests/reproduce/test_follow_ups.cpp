// What is made of records after a reproduction: by which commands, in which order.
#include "src/reproduce/follow_ups.hpp"

#include <gmock/gmock.h>

#include <filesystem>

#include "src/own_files.hpp"

namespace redbench {
namespace {

using testing::IsEmpty;

Figure figure(const std::string& name, std::vector<std::string> machines = {}, bool is_ladder = false) {
  return {.paper = name.substr(0, name.find('/')),
          .config = "configs/" + name + ".json",
          .name = name,
          .is_ladder = is_ladder,
          .machines = std::move(machines)};
}

/// The commands of a stage, without quotes, and with the program and the scripts by their names.
std::vector<std::string> commands(const std::vector<FollowUp>& steps, Stage stage) {
  const std::pair<std::string, std::string> names[] = {
      {std::filesystem::read_symlink("/proc/self/exe").string(), "redbench"},
      {own_python() + " " + (own_files() / "scripts").string() + "/", ""}};
  std::vector<std::string> all;
  for (const FollowUp& step : steps) {
    if (step.stage != stage) continue;
    std::string text = step.command;
    std::erase(text, '\'');
    for (const auto& [path, name] : names)
      for (std::size_t at; (at = text.find(path)) != text.npos;) text.replace(at, path.size(), name);
    all.push_back(text);
  }
  return all;
}

// The host is probed once and first, alone, as that takes times; a report shows plots, ladders and claims.
TEST(FollowUps, EachStageHasWhatTheNextNeeds) {
  Figure cached = figure("eilers2014/c", {"core2_t7300", "host"});
  cached.job.request.overrides.axes = {"n=4096"};
  const std::vector<FollowUp> steps =
      follow_ups_of({figure("slides/a"), figure("slides/b", {}, true),
                     figure("eilers2014/b", {"core2_t7300"}), cached, figure("eilers2014/d", {"host"})},
                    {"slides", "martin2012", "eilers2014"}, "out", "simt:h200");
  EXPECT_TRUE(std::ranges::is_sorted(steps, {}, &FollowUp::stage));
  using Words = std::vector<std::string>;
  EXPECT_EQ(commands(steps, Stage::probe),
            Words{"redbench cachesim configs/eilers2014/c.json --run out/eilers2014/c --out "
                  "out/eilers2014/c/cachesim --replace --axis n=4096 --machine core2_t7300 --machine host > "
                  "/dev/null"});
  EXPECT_EQ(commands(steps, Stage::draw),
            (Words{"redbench cachesim configs/eilers2014/b.json --run out/eilers2014/b --out "
                   "out/eilers2014/b/cachesim --replace --machine core2_t7300 > /dev/null",
                   "redbench cachesim configs/eilers2014/d.json --run out/eilers2014/d --out "
                   "out/eilers2014/d/cachesim --replace --machine out/eilers2014/c/cachesim/host.json > "
                   "/dev/null",
                   "redbench why configs/slides/b.json --device simt:h200 --results out/slides/b --json > "
                   "out/slides/b/why.json",
                   "make_plots.py --redbench redbench out/slides/a > /dev/null",
                   "make_plots.py --redbench redbench out/slides/b > /dev/null",
                   "make_plots.py --redbench redbench out/eilers2014/b > /dev/null",
                   "make_plots.py --redbench redbench out/eilers2014/c > /dev/null",
                   "make_plots.py --redbench redbench out/eilers2014/d > /dev/null"}));
  EXPECT_EQ(commands(steps, Stage::judge),
            Words{"redbench claims out --json out/claims.json --md out/claims.md > /dev/null"});
  const std::string report = "make_report.py --redbench redbench --claims out/claims.json --output out/";
  EXPECT_EQ(commands(steps, Stage::report),
            (Words{report + "slides/report.html out/slides > /dev/null",
                   report + "eilers2014/report.html out/eilers2014 > /dev/null",
                   report + "report.html out/slides out/eilers2014 > /dev/null"}));
}

TEST(FollowUps, OfOnePaperThereIsOneReportAndOfNothingNone) {
  EXPECT_THAT(follow_ups_of({}, {"slides"}, "out", "simt"), IsEmpty());
  EXPECT_EQ(follow_ups_of({figure("slides/a")}, {"slides"}, "out", "simt").size(), 3u)
      << "plots, claims, report";
}

}  // namespace
}  // namespace redbench
