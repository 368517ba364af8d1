// What a reproduction asks of a config: every bound of each precision, on each kind of device; and what is
// made of the records afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "src/own_files.hpp"
#include "src/records/columns.hpp"
#include "src/reproduce/follow_ups.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Precisions : public testing::Test {
 protected:
  Config config(const std::string& problem, const std::string& axes, const std::string& measure = "{}") {
    const std::string text = R"({"experiments": [{"problem": ")" + problem +
                             R"(", "variants": "*", "axes": )" + axes + R"(}], "measure": )" + measure + "}";
    return load_config(folder_.write("x.json", text), Target::cuda, {}, record_columns());
  }
  Overrides of(const char* precision, const Config& config, Target target) {
    return overrides_of(precision_named(precision), config, target);
  }
  TemporaryFolder folder_;
};

constexpr const char* large = R"({"n": "2^26"})";

TEST_F(Precisions, EachKindOfDeviceHasItsOwnMostElements) {
  const Config plain = config("reduce", large), labels = config("multireduce", R"({"n": "2^26", "m": 16})");
  struct {
    const char* precision;
    const Config& config;
    Target target;
    std::vector<std::string> axes;
  } const cases[] = {{"default", plain, Target::cuda, {}},
                     {"default", plain, Target::simt, {}},
                     {"default", plain, Target::host, {"n=16777216"}},
                     {"default", labels, Target::cuda, {"n=16777216"}},
                     {"default", labels, Target::simt, {}},
                     {"default", labels, Target::host, {"n=16777216"}},
                     {"paper", plain, Target::host, {}},
                     {"paper", labels, Target::cuda, {}},
                     {"quick", plain, Target::cuda, {}},
                     {"quick", plain, Target::simt, {"n=262144"}},
                     {"quick", plain, Target::host, {"n=262144"}},
                     {"quick", labels, Target::cuda, {"n=262144"}}};
  for (const auto& one : cases)
    EXPECT_EQ(of(one.precision, one.config, one.target).axes, one.axes)
        << one.precision << ' ' << one.config.experiments[0].problem << ' ' << int(one.target);
}

TEST_F(Precisions, OnlyAnNThatAllHaveIsBounded) {
  EXPECT_THAT(of("quick", config("reduce", R"({"n": "2^18"})"), Target::simt).axes, IsEmpty());
  EXPECT_THAT(of("quick", config("reduce", R"({"n": 262145})"), Target::simt).axes, ElementsAre("n=262144"));
  EXPECT_THAT(of("quick", config("reduce", R"({"n": ["2^20", "2^26"]})"), Target::simt).axes, IsEmpty());
}

TEST_F(Precisions, AnNIsBoundedThatIsLargerAndNoOther) {
  const Precision one{"own", "", {}, {.modelled = 1, .host = 2, .labelled = 3}, 0};
  struct {
    Target target;
    int n;
    std::vector<std::string> axes;
  } const cases[] = {{Target::simt, 2, {"n=1"}},
                     {Target::simt, 1, {}},
                     {Target::host, 3, {"n=2"}},
                     {Target::host, 2, {}},
                     {Target::cuda, 9, {}}};
  for (const auto& of : cases)
    EXPECT_EQ(overrides_of(one, config("reduce", "{\"n\": " + std::to_string(of.n) + "}"), of.target).axes,
              of.axes)
        << int(of.target) << ' ' << of.n;
}

TEST_F(Precisions, WhatAConfigHasLessOfStays) {
  const Config more = config("reduce", large,
                             R"({"forks": 5, "min_samples": 20, "max_samples": 200, "timeout_s": 3})"),
               less = config("reduce", large,
                             R"({"forks": 1, "min_samples": 2, "max_samples": 5, "timeout_s": 0.05})");
  EXPECT_THAT(of("default", more, Target::cuda).sets,
              ElementsAre("measure.forks=1", "measure.max_samples=100", "measure.timeout_s=0.25"));
  EXPECT_THAT(of("quick", more, Target::cuda).sets,
              ElementsAre("measure.forks=1", "measure.min_samples=3", "measure.max_samples=10",
                          "measure.timeout_s=0.1"));
  EXPECT_THAT(of("paper", more, Target::cuda).sets, IsEmpty());
  for (const char* name : {"default", "quick"})
    EXPECT_THAT(of(name, less, Target::cuda).sets, IsEmpty()) << name;
}

// What the help and a dry run say of a precision is what it is.
TEST(AllPrecisions, HaveTheirBounds) {
  std::vector<std::string> all;
  for (const Precision& one : precisions()) {
    std::string bounds;
    for (const auto& [key, most] : one.bounds) bounds += fmt::format(" {}={}", key, most);
    all.push_back(fmt::format("{}:{}; {} {} {}; {} s: {}", one.name, bounds, one.most_n.modelled,
                              one.most_n.host, one.most_n.labelled, one.most_s, one.what));
  }
  EXPECT_THAT(all, ElementsAre("default: forks=1 max_samples=100 timeout_s=0.25; 0 16777216 16777216; 240 s: "
                               "one process for each config, "
                               "at most 100 samples and a quarter of a second of a case, 2^24 labels; "
                               "configs of more than 4 minutes are "
                               "left: all papers in less than 20 minutes of an H200",
                               "paper:; 0 0 0; 0 s: as the configs say: most cells in three or five "
                               "processes, 200 samples of a case",
                               "quick: forks=1 min_samples=3 max_samples=10 timeout_s=0.1; 262144 262144 "
                               "262144; 60 s: enough to see that "
                               "all works: at most 10 samples of a case, 2^18 elements on a modelled device, "
                               "on the CPU alone, and with "
                               "labels; configs of more than a minute are left"));
  EXPECT_EQ(
      usage_error([] { precision_named("papr"); }),
      "--precision papr: there is no such; did you mean `paper`?; there are `default`, `paper` or `quick`");
}

// A probe of the host takes times, so it comes before all else, whichever figure asks for it.
TEST(FollowUpsOf, TheProbeComesFirstThoughAnEarlierFigureHasNone) {
  Figure first{.paper = "p", .config = "configs/p/a.json", .name = "p/a"}, second = first;
  first.machines = {"old"};
  second.name = "p/b";
  second.machines = {"host"};
  std::vector<std::string> what;
  for (const FollowUp& step : follow_ups_of({first, second}, {"p"}, "out", "simt"))
    what.push_back(fmt::format("{} {}", int(step.stage), step.what));
  EXPECT_THAT(what, ElementsAre("0 the caches of p/b", "1 the caches of p/a", "1 the plots of p/a",
                                "1 the plots of p/b", "2 the claims", "3 the report of p"));
}

TEST(FollowUpsOf, EachFigureIsTakenUpByItsOwnFolder) {
  Figure plain{.paper = "slides", .config = "configs/slides/a.json", .name = "slides/a"};
  Figure ladder{.paper = "slides", .config = "configs/slides/b.json", .name = "slides/b"};
  ladder.is_ladder = true;
  Figure cached{.paper = "eilers2014", .config = "configs/eilers2014/c.json", .name = "eilers2014/c"};
  cached.machines = {"core2_t7300", "host"};
  cached.job.request.overrides.axes = {"n=4096"};
  Figure again{.paper = "eilers2014", .config = "configs/eilers2014/d.json", .name = "eilers2014/d"};
  again.machines = {"host"};
  const std::vector<FollowUp> steps = follow_ups_of(
      {plain, ladder, cached, again}, {"slides", "martin2012", "eilers2014"}, "out", "simt:h200");
  std::vector<std::string> what, files;
  for (const FollowUp& step : steps) {
    what.push_back(step.what);
    files.push_back(step.file);
  }
  EXPECT_THAT(what,
              ElementsAre("the caches of eilers2014/c", "the caches of eilers2014/d", "the steps of slides/b",
                          "the plots of slides/a", "the plots of slides/b", "the plots of eilers2014/c",
                          "the plots of eilers2014/d", "the claims", "the report of slides",
                          "the report of eilers2014", "the report of all papers"));
  EXPECT_THAT(files, ElementsAre("out/eilers2014/c/cachesim/predictions.md",
                                 "out/eilers2014/d/cachesim/predictions.md", "out/slides/b/why.json", "", "",
                                 "", "", "out/claims.md", "out/slides/report.html",
                                 "out/eilers2014/report.html", "out/report.html"));
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string(), python = own_python(),
                    scripts = (own_files() / "scripts").string(),
                    plots = python + " " + scripts + "/make_plots.py --redbench " + program,
                    report = python + " " + scripts + "/make_report.py --redbench " + program;
  const std::string commands[] = {
      program +
          " cachesim configs/eilers2014/c.json --run out/eilers2014/c --out out/eilers2014/c/cachesim "
          "--replace "
          "--axis n=4096 --machine core2_t7300 --machine host > /dev/null",
      program +
          " cachesim configs/eilers2014/d.json --run out/eilers2014/d --out out/eilers2014/d/cachesim "
          "--replace "
          "--machine out/eilers2014/c/cachesim/host.json > /dev/null",
      program +
          " why configs/slides/b.json --device simt:h200 --results out/slides/b --json > "
          "out/slides/b/why.json",
      plots + " out/slides/a > /dev/null",
      plots + " out/slides/b > /dev/null",
      plots + " out/eilers2014/c > /dev/null",
      plots + " out/eilers2014/d > /dev/null",
      program + " claims out --json out/claims.json --md out/claims.md > /dev/null",
      report + " --claims out/claims.json --output out/slides/report.html out/slides > /dev/null",
      report + " --claims out/claims.json --output out/eilers2014/report.html out/eilers2014 > /dev/null",
      report + " --claims out/claims.json --output out/report.html out/slides out/eilers2014 > /dev/null"};
  const std::string caches = "`redbench doctor --caches` says what is known of this host's",
                    packages = "`redbench doctor` says whether Python has what it takes",
                    counts = "`redbench why --help` says what it counts",
                    judged = "`redbench claims --help` says what it reads";
  const std::string remedies[] = {caches,   caches, counts,   packages, packages, packages,
                                  packages, judged, packages, packages, packages};
  ASSERT_EQ(steps.size(), std::size(commands));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::string unquoted = steps[i].command;  // words are quoted or not
    std::erase(unquoted, '\'');
    EXPECT_EQ(unquoted, commands[i]) << steps[i].what;
    EXPECT_EQ(steps[i].remedy, remedies[i]) << steps[i].what;
  }
  EXPECT_THAT(follow_ups_of({}, {"slides"}, "out", "simt"), IsEmpty()) << "nothing was made";
  EXPECT_EQ(follow_ups_of({plain}, {"slides"}, "out", "simt").size(), 3u) << "plots, claims, one report";
}

}  // namespace
}  // namespace redbench
