// What is made of records after a reproduction: by which commands, in which order.
#include "src/reproduce/follow_ups.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "src/own_files.hpp"
#include "tests/golden.hpp"

namespace redbench {
namespace {

Figure figure(const std::string& name, std::vector<std::string> machines = {}, bool is_ladder = false) {
  return {.paper = name.substr(0, name.find('/')),
          .config = "configs/" + name + ".json",
          .name = name,
          .is_ladder = is_ladder,
          .machines = std::move(machines)};
}

/// With the program and the scripts by their names.
std::string text_of(const std::vector<FollowUp>& steps) {
  const std::pair<std::string, std::string> names[] = {
      {std::filesystem::read_symlink("/proc/self/exe").string(), "redbench"},
      {own_python() + "' '" + (own_files() / "scripts").string() + "/", ""}};
  std::string text;
  for (const FollowUp& step : steps)
    text += fmt::format("{}. {}{}{}: {}\n", int(step.stage), step.what, step.file.empty() ? "" : " -> ",
                        step.file, step.command);
  for (const auto& [path, name] : names)
    for (std::size_t at; (at = text.find(path)) != text.npos;) text.replace(at, path.size(), name);
  return text;
}

// The host is probed once and first, alone, as that takes times; a report shows plots, ladders and claims.
TEST(FollowUps, EachStageHasWhatTheNextNeeds) {
  Figure cached = figure("eilers2014/c", {"core2_t7300", "host"});
  cached.job.request.overrides.axes = {"n=4096"};
  expect_golden("reproduce/follow_ups.txt",
                text_of(follow_ups_of(
                    {figure("slides/a"), figure("slides/b", {}, true),
                     figure("eilers2014/b", {"core2_t7300"}), cached, figure("eilers2014/d", {"host"})},
                    {"slides", "martin2012", "eilers2014"}, "out", "simt:h200")));
}

TEST(FollowUps, OfOnePaperThereIsOneReportAndOfNothingNone) {
  EXPECT_TRUE(follow_ups_of({}, {"slides"}, "out", "simt").empty());
  EXPECT_EQ(follow_ups_of({figure("slides/a")}, {"slides"}, "out", "simt").size(), 3u)
      << "plots, claims, report";
}

}  // namespace
}  // namespace redbench
