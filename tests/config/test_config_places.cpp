// Where a mistake of a config is said to be, and which place a key of the command line means.
#include "src/config/json_node.hpp"
#include "tests/config/config_support.hpp"
#include "tests/sanitizer_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

// The bug: another key was taken for the one that the command line had set, and its option blamed.
TEST(ConfigPlaces, ANoteIsOfItsOwnPartAlone) {
  Origins origins;
  origins.file = "x.json";
  origins.parts = {{"$.seed", "", "--set seed=9"}};
  EXPECT_EQ(origins.place("$.seed"), "x.json: $.seed (--set seed=9)");
  EXPECT_EQ(origins.place("$.seed[0]"), "x.json: $.seed[0] (--set seed=9)");
  EXPECT_EQ(origins.place("$.seed.part"), "x.json: $.seed.part (--set seed=9)");
  EXPECT_EQ(origins.place("$.seeds"), "x.json: $.seeds") << "it begins alike";
  EXPECT_EQ(origins.place("$.plot"), "x.json: $.plot") << "it is as long";
  EXPECT_EQ(origins.place("$.plot[0]"), "x.json: $.plot[0]");
}

// The bug: what follows a bracket was left out, were it another bracket.
TEST_F(ConfigFile, AnElementOfAListInAListIsNamedByBothNumbers) {
  const auto set = [](const std::string& s) { return Overrides{.axes = {}, .sets = {s}, .variants = {}}; };
  EXPECT_EQ(error(with_axes(R"({"n": [[1, 2]]})"), set("experiments[0].axes.n[0][2]=3")),
            "--set experiments[0].axes.n[0][2]=3: $.experiments[0].axes.n[0] has no element 2");
}

// The bug: a mistake of the file was said to be in the patch, which does not have the key.
TEST_F(ConfigFile, AMistakeIsInThePatchOnlyWhereThePatchHasIt) {
  const auto with = [](const std::string& members, const std::string& patch) {
    return "{" + members +
           R"(, "experiments": [{"problem": "reduce", "variants": ["harris3"], "axes": {"n": 1}}],
        "on_simt": )" +
           patch + "}";
  };
  const std::string patch =
      R"({"measure": {"max_noise": 3}, "seed": 9, "caches": {"loops": {}, "steps": 0}})";
  EXPECT_EQ(error(with(R"("title": 7)", patch)), "x.json: $.title: expected a string, got 7");
  EXPECT_EQ(error(with(R"("measure": {"forks": 0})", patch)),
            "x.json: $.measure.forks: expected a whole number from 1 to 100, got 0")
      << "of an object that both have";
  EXPECT_EQ(error(with(R"("title": "t")", patch)),
            "x.json: $.on_simt.caches.steps: expected a whole number from 1 to 1099511627776, got 0")
      << "of an object that the patch alone has";
  EXPECT_EQ(error(with(R"("measure": {"forks": 2})", R"({"measure": {"max_noise": 0}})")),
            "x.json: $.on_simt.measure.max_noise: expected a number above 0, got 0");
}

// A note of the command line repeats 60 characters of it, from the first.
TEST_F(ConfigFile, WhatTheCommandLineSetsIsNamedByItsBeginning) {
  const std::string text = with_axes(R"({"n": 1})");
  const auto set = [](const std::string& s) { return Overrides{.axes = {}, .sets = {s}, .variants = {}}; };
  const auto noise = [](int characters) {
    return "measure.max_noise=\"" + std::string(std::size_t(characters), 'x') + '"';
  };
  const std::string place = "x.json: $.measure.max_noise (--set measure.max_noise=\"",
                    expected = "): expected a number above 0, got \"";
  EXPECT_EQ(error(text, set(noise(40))),
            place + std::string(40, 'x') + '"' + expected + std::string(40, 'x') + '"')
      << "60 characters are shown whole";
  EXPECT_EQ(error(text, set(noise(41))),
            place + std::string(41, 'x') + "..." + expected + std::string(41, 'x') + '"');
  for (const std::string bad :
       {"measure", "=1", "..=1", "a[=1", "a[]=1", "a[x]=1", "a[1000000]=1", ".a=1", "a..b=1"})
    EXPECT_EQ(error(text, set(bad)), "--set " + bad + ": expected KEY=VALUE, as in measure.max_noise=1");
  EXPECT_EQ(error(text, set("ab" + std::string(70, 'k'))),
            "--set ab" + std::string(58, 'k') + ": expected KEY=VALUE, as in measure.max_noise=1");
  EXPECT_EQ(load(text, set("$.seed=3")).seed, 3u) << "as messages name it";
}

// What follows a bracket without its end would be read for ever, and fill the memory.
TEST(ConfigPlaces, ABracketOfTheCommandLineHasAnEnd) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer takes more addresses than there are here";
  const Answer answer = answer_of("sh",
                                  "-c 'ulimit -v 4000000; exec " REDBENCH_BINARY
                                  " plan configs/quick.json -d simt:gtx480 --set \"experiments[1=1\"'",
                                  REDBENCH_SOURCE_DIR);
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_THAT(answer.text,
              HasSubstr("--set experiments[1=1: expected KEY=VALUE, as in measure.max_noise=1\n"));
}

}  // namespace
}  // namespace redbench
