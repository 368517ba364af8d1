// What a reproduction asks of a config: every bound of each precision, on each kind of device; and what is
// made of the records afterwards.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/records/columns.hpp"
#include "src/reproduce/follow_ups.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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
  const char* const commands[] = {
      " cachesim configs/eilers2014/c.json --run out/eilers2014/c --out out/eilers2014/c/cachesim --replace "
      "--axis "
      "n=4096 --machine core2_t7300 --machine host > /dev/null",
      " cachesim configs/eilers2014/d.json --run out/eilers2014/d --out out/eilers2014/d/cachesim --replace "
      "--machine "
      "out/eilers2014/c/cachesim/host.json > /dev/null",
      " why configs/slides/b.json --device simt:h200 --results out/slides/b --json > out/slides/b/why.json",
      " out/slides/a > /dev/null",
      " out/slides/b > /dev/null",
      " out/eilers2014/c > /dev/null",
      " out/eilers2014/d > /dev/null",
      " claims out --json out/claims.json --md out/claims.md > /dev/null",
      " --claims out/claims.json --output out/slides/report.html out/slides > /dev/null",
      " --claims out/claims.json --output out/eilers2014/report.html out/eilers2014 > /dev/null",
      " --claims out/claims.json --output out/report.html out/slides out/eilers2014 > /dev/null"};
  ASSERT_EQ(steps.size(), std::size(commands));
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // Words are quoted or not.
    std::string plain_words = steps[i].command;
    std::erase(plain_words, '\'');
    EXPECT_THAT(plain_words, HasSubstr(commands[i])) << steps[i].what;
    EXPECT_FALSE(steps[i].remedy.empty()) << steps[i].what;
  }
  EXPECT_THAT(follow_ups_of({}, {"slides"}, "out", "simt"), IsEmpty()) << "nothing was made";
  EXPECT_EQ(follow_ups_of({plain}, {"slides"}, "out", "simt").size(), 3u) << "plots, claims, one report";
}

}  // namespace
}  // namespace redbench
